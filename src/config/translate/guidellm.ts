/**
 * `guidellm benchmark` of earlier versions (`--rate-type`, later `--profile`), and `guidellm run`
 * (`--profile kind=...`).
 */

import type { ForeignLine } from "./foreign_line.ts";
import { ignored, part, reads, same, unsupported } from "./foreign_option.ts";
import type { ForeignTool } from "./foreign_tool.ts";
import { setData } from "./guidellm_data.ts";
import { type Fields, fieldsOf, text } from "./guidellm_fields.ts";
import { setProfile, setRamp } from "./guidellm_profile.ts";
import type { OurLine } from "./our_line.ts";

const OUTPUTS = "results are always written, to the folder of --artifact-dir";
const WARMUP = "warm-up is a part of the run there, and comes before it here";
const SCENARIO = "its scenarios are not known here: write their values as options";
const SATURATION = "a run continues; --search-recipe finds the highest load";
const QUIET_REPORT = "the report is always printed; --ui none leaves out the progress";

/** Fields of its profile that can have several values, one for each run. */
const VARYING: ReadonlySet<string> = new Set(["profile.rate", "profile.streams"]);

/** GuideLLM's older command. */
export const GUIDELLM_BENCHMARK: ForeignTool = {
  name: "guidellm benchmark",
  version: "0.1 to 0.6",
  words: [["guidellm", "benchmark"], ["guidellm", "benchmark", "run"]],
  abbreviates: false,
  options: [
    unsupported("--scenario -c", SCENARIO),
    part("--target"),
    part("--backend-type --backend", "openai_http"),
    part("--backend-args --backend-kwargs"),
    part("--model"),
    part("--request-type --request-format"),
    unsupported("--request-formatter-kwargs", "bodies have the fields of --extra-inputs"),
    part("--processor"),
    unsupported("--processor-args", "a tokenizer has no settings here"),
    part("--data"),
    unsupported("--data-args", "a dataset has no settings here"),
    same("--data-samples", "num-dataset-entries"),
    unsupported("--data-column-mapper", "fields of an input file have fixed names"),
    unsupported("--data-preprocessors", "prompts are sent unchanged"),
    unsupported("--data-preprocessors-kwargs", "prompts are sent unchanged"),
    unsupported("--data-finalizer", "prompts are sent unchanged"),
    ignored("--data-num-workers", "data are read before the run", "value"),
    ignored("--dataloader-kwargs", "data are read before the run", "value"),
    part("--data-sampler"),
    part("--rate-type --profile", "sweep"),
    part("--rate"),
    part("--max-seconds"),
    part("--max-requests"),
    unsupported("--max-errors", "a run does not end for its errors"),
    same("--max-error-rate --max-global-error-rate", "max-error-rate"),
    unsupported("--over-saturation", SATURATION),
    unsupported("--detect-saturation --default-over-saturation", SATURATION, "nothing"),
    part("--warmup-percent"),
    part("--warmup"),
    part("--rampup"),
    unsupported(
      "--cooldown-percent --cooldown",
      "the window ends with the last response; recompute takes another window",
    ),
    reads(
      "--disable-progress --disable-console-interactive",
      (_, ours) => ours.set("ui", "none", "--disable-progress"),
      "nothing",
    ),
    ignored("--display-scheduler-stats", "the certificate tells the client's own error"),
    ignored("--disable-console-outputs --disable-console", QUIET_REPORT),
    same("--output-dir", "artifact-dir"),
    ignored("--outputs", OUTPUTS, "values"),
    reads(
      "--output-path",
      ([path = ""], ours) => ours.set("artifact-dir", folderOf(path), "--output-path"),
    ),
    reads("--output-extras", ([json = ""], ours) => {
      for (const [name, value] of Object.entries(fieldsOf(json))) {
        ours.add(
          "tag",
          `${name}=${typeof value === "object" ? JSON.stringify(value) : value}`,
          "--output-extras",
        );
      }
    }),
    ignored(
      "--output-sampling --sample-requests",
      "the line of each request is always written",
      "value",
    ),
    part("--random-seed"),
    ignored("--help", "inferometer profile --help lists its options"),
  ],
  together(theirs: ForeignLine, ours: OurLine): void {
    const rates = theirs.values("--rate").flatMap((value) => value.replace(/[[\]]/g, "").split(","))
      .map((rate) => rate.trim()).filter((rate) => rate !== "");
    setBackend(
      {
        target: theirs.value("--target"),
        kind: theirs.value("--backend-type"),
        request_type: theirs.value("--request-type"),
        ...fieldsOf(theirs.value("--backend-args") ?? ""),
      },
      theirs.value("--model"),
      ours,
      ["--target", "--backend-type", "--request-type", "--backend-args", "--model"],
    );
    setData(theirs.values("--data"), ours);
    if (theirs.has("--processor")) {
      ours.set("tokenizer", theirs.value("--processor") ?? "", "--processor");
    }
    if (theirs.has("--data-sampler")) {
      ours.set("dataset-sampling-strategy", "random", "--data-sampler");
    }
    setLimits(
      {
        seconds: theirs.value("--max-seconds"),
        requests: theirs.value("--max-requests"),
        warmupPercent: theirs.number("--warmup-percent"),
        warmup: theirs.value("--warmup"),
      },
      ours,
      ["--max-seconds", "--max-requests", "--warmup-percent"],
    );
    ours.took("--warmup");
    const kind = theirs.value("--rate-type") ?? "sweep";
    setProfile({ kind, rates, maxConcurrency: undefined }, ours, ["--rate-type", "--rate"]);
    if (theirs.has("--rampup")) setRamp(kind, theirs.value("--rampup") ?? "", ours);
    if (theirs.has("--random-seed")) {
      ours.set("random-seed", theirs.value("--random-seed") ?? "", "--random-seed");
    }
  },
};

/** GuideLLM's newer command. */
export const GUIDELLM_RUN: ForeignTool = {
  name: "guidellm run",
  version: "0.8",
  words: [["guidellm", "run"]],
  abbreviates: false,
  options: [
    unsupported("--config --scenario -c", SCENARIO),
    reads("--label -l", (values, ours) => {
      for (const value of values) ours.add("tag", value, "--label");
    }),
    part("--backend"),
    part("--profile"),
    part("--constraint"),
    part("--tokenizer"),
    part("--data"),
    unsupported("--data-column-mapper", "fields of an input file have fixed names"),
    unsupported("--data-preprocessor", "prompts are sent unchanged"),
    unsupported("--data-finalizer", "prompts are sent unchanged"),
    unsupported("--data-loader", "see --dataset-sampling-strategy"),
    part("--seed"),
    ignored("--output", OUTPUTS, "value"),
    part("--metrics"),
    part("--override", undefined, "values"),
    ignored("--disable-console --disable-console-outputs", QUIET_REPORT),
    reads(
      "--disable-console-interactive --disable-progress",
      (_, ours) => ours.set("ui", "none", "--disable-console-interactive"),
      "nothing",
    ),
    ignored("--help", "inferometer profile --help lists its options"),
  ],
  together(theirs: ForeignLine, ours: OurLine): void {
    const fields = (name: string): Fields => fieldsOf(theirs.value(name) ?? "");
    const backend = fields("--backend");
    setBackend(backend, text(backend["model"]), ours, ["--backend"]);
    setData(theirs.values("--data"), ours);
    const tokenizer = fields("--tokenizer");
    const named = text(tokenizer["model"] ?? tokenizer["name"] ?? tokenizer["path"]);
    if (named !== undefined) ours.set("tokenizer", named, "--tokenizer");
    else if (theirs.has("--tokenizer")) {
      ours.note("--tokenizer", "left out: the model's own is used anyway");
    }
    const limits = limitsOf(theirs.values("--constraint"), ours);
    const profile = fields("--profile");
    const warmup = profile["warmup"];
    setLimits(
      { ...limits, warmupPercent: typeof warmup === "number" ? warmup : undefined },
      ours,
      ["--constraint"],
    );
    const [field, ...values] = theirs.values("--override");
    const others = field !== undefined && VARYING.has(field) ? values : [];
    if (others.length === 0 && field !== undefined) {
      ours.none("--override", `only ${[...VARYING].join(" and ")} can have several values`);
    }
    const given = profile["rate"] ?? profile["streams"] ?? profile["sweep_size"];
    const rates = (others.length > 0 ? others : [given].flat())
      .map(text).flatMap((rate) => rate?.split(",") ?? []);
    const kind = text(profile["kind"]) ?? "sweep";
    if (kind === "replay") setReplay(profile, ours);
    else {
      const maxConcurrency = text(profile["max_concurrency"]);
      const shape = { kind, rates, maxConcurrency };
      setProfile(shape, ours, ["--profile", "--override"]);
    }
    const seed = text(fields("--seed")["value"]);
    if (seed !== undefined) ours.set("random-seed", seed, "--seed");
    const slo = Object.entries(fieldsOf(JSON.stringify(fields("--metrics")["slo"] ?? {})));
    if (slo.length > 0) {
      const objectives = slo.map(([name, value]) => `${SLO_TAGS[name] ?? name}:${value}`);
      ours.set("goodput", objectives.join(" "), "--metrics");
    } else if (theirs.has("--metrics")) {
      ours.note("--metrics", "left out: all metrics are always computed");
    }
  },
};

function folderOf(path: string): string {
  return path.replace(/\/?[^/]*\.(json|ya?ml|csv|html)$/, "") || ".";
}

/** Endpoint types by parts of the API's names. */
const APIS: readonly (readonly [part: RegExp, type: string])[] = [
  [/chat/, "chat"],
  [/completions/, "completions"],
  [/responses/, "responses"],
  [/embeddings/, "embeddings"],
  [/audio/, "audio-transcription"],
];

/** Our metrics by its names of objectives. */
const SLO_TAGS: Readonly<Record<string, string>> = {
  "ttft_ms": "time_to_first_token",
  "tpot_ms": "inter_token_latency",
  "e2el_ms": "request_latency",
};

/** Returns the limits at which its constraints end a run. */
function limitsOf(
  constraints: readonly string[],
  ours: OurLine,
): { readonly seconds: string | undefined; readonly requests: string | undefined } {
  let seconds: string | undefined;
  let requests: string | undefined;
  for (const constraint of constraints) {
    const { kind, value, ...rest } = fieldsOf(constraint);
    const duration = text(value ?? rest["seconds"] ?? rest["max_duration"] ?? rest["max_seconds"]);
    const count = text(value ?? rest["count"] ?? rest["max_num"] ?? rest["max_requests"]);
    if (/duration|seconds/.test(String(kind)) && duration !== undefined) seconds = duration;
    else if (/requests|number/.test(String(kind)) && count !== undefined) requests = count;
    else ours.none("--constraint", `"${constraint}" ends no run here`);
  }
  return { seconds, requests };
}

/** Requests at the times of a trace. */
function setReplay(profile: Fields, ours: OurLine): void {
  ours.set("fixed-schedule", true, "--profile");
  const scale = Number(profile["time_scale"] ?? 1);
  if (scale > 0 && scale !== 1) ours.set("synthesis-speedup-ratio", 1 / scale, "--profile");
}

function setBackend(
  {
    target,
    kind,
    request_type: requestType,
    request_format: format,
    extras,
    api_key: key,
    ...rest
  }: Fields,
  model: string | undefined,
  ours: OurLine,
  theirs: readonly string[],
): void {
  const [first = ""] = theirs;
  const settings = theirs.at(-2) ?? first;
  ours.took(...theirs);
  ours.set("url", text(target) ?? "http://localhost:8000", first);
  if (model !== undefined) ours.set("model", model, theirs.at(-1) ?? first);
  if (kind !== undefined && kind !== "openai_http") {
    ours.none(theirs[1] ?? first, `there is no backend like ${kind}`);
  }
  const api = text(requestType ?? format) ?? "chat_completions";
  const type = APIS.find(([part]) => part.test(api))?.[1];
  if (type === undefined) ours.none(settings, `there is no API like ${api}`);
  else ours.set("endpoint-type", type);
  if (/translations/.test(api)) ours.set("custom-endpoint", "/v1/audio/translations");
  if (["chat", "completions", "responses"].includes(type ?? "")) ours.set("streaming", true);
  if (key !== undefined) ours.set("api-key", String(key), settings);
  for (const [name, value] of Object.entries(rest)) {
    if (value === null || name === "model") continue;
    if (name === "headers" && typeof value === "object") {
      for (const [header, content] of Object.entries(value)) {
        if (content !== null) ours.add("header", `${header}:${content}`, settings);
      }
    } else if (name === "timeout") ours.set("request-timeout-seconds", String(value), settings);
    else ours.none(settings, `nothing like its ${name}`);
  }
  const body = (extras as Fields | undefined)?.["body"];
  if (body !== undefined) ours.add("extra-inputs", JSON.stringify(body), settings);
}

interface Limits {
  readonly seconds: string | undefined;
  readonly requests: string | undefined;
  readonly warmupPercent: number | undefined;
  /** A share below 1, else seconds or requests; or fields with more about it. */
  readonly warmup?: string | undefined;
}

function setLimits(
  { seconds, requests, warmupPercent: percent, warmup }: Limits,
  ours: OurLine,
  theirs: readonly string[],
): void {
  ours.took(...theirs);
  if (seconds !== undefined) ours.set("benchmark-duration", seconds, theirs[0] as string);
  if (requests !== undefined) ours.set("request-count", requests, theirs[0] as string);
  const amount = Number(warmup);
  if (warmup !== undefined && Number.isNaN(amount)) {
    return ours.none("--warmup", `"${warmup}": give --warmup-duration or --warmup-request-count`);
  }
  if (amount >= 1) {
    ours.set(seconds === undefined ? "warmup-request-count" : "warmup-duration", amount);
    return ours.note("--warmup", WARMUP);
  }
  const warmupPercent = percent ?? (warmup === undefined ? undefined : amount);
  if (warmupPercent === undefined) return;
  // Below 1 it is a share; newer versions count from 1 on.
  const share = warmupPercent > 1 ? warmupPercent / 100 : warmupPercent;
  if (seconds !== undefined) ours.set("warmup-duration", Number(seconds) * share);
  else if (requests !== undefined) {
    ours.set("warmup-request-count", Math.ceil(Number(requests) * share));
  }
  ours.note(warmup === undefined ? theirs.at(-1) as string : "--warmup", WARMUP);
}
