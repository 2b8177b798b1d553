/**
 * `guidellm benchmark`, by the options of GuideLLM 0.3 (`--rate-type`), and `guidellm run`, by those
 * of 0.8 (`--profile kind=...`).
 */

import type { ForeignLine } from "./foreign_line.ts";
import { anyway, gone, part, reads } from "./foreign_option.ts";
import type { ForeignTool } from "./foreign_tool.ts";
import type { OurLine, OurOption } from "./our_line.ts";
import { setPublicDataset } from "./translated_values.ts";

const OUTPUTS = "results are always written, to the folder of --artifact-dir";
const SCENARIO = "its scenarios are not known here: write their values as options";
const QUIET_REPORT = "the report is always printed; --ui none leaves out the progress";

/** Values as `key=value,key=value`, as JSON, or one word. */
export type Fields = Readonly<Record<string, unknown>>;

/** GuideLLM's older command. */
export const GUIDELLM_BENCHMARK: ForeignTool = {
  name: "guidellm benchmark (0.3)",
  words: [["guidellm", "benchmark"], ["guidellm", "benchmark", "run"]],
  abbreviates: false,
  options: [
    gone("--scenario", SCENARIO),
    part("--target"),
    part("--backend-type --backend", "openai_http"),
    part("--backend-args --backend-kwargs"),
    part("--model"),
    part("--processor"),
    gone("--processor-args", "a tokenizer has no settings here"),
    part("--data"),
    gone("--data-args", "a data set has no settings here"),
    part("--data-sampler"),
    part("--rate-type --profile", "sweep"),
    part("--rate"),
    part("--max-seconds"),
    part("--max-requests"),
    part("--warmup-percent --warmup"),
    gone(
      "--cooldown-percent --cooldown",
      "the window ends with the last response; recompute takes another window",
    ),
    reads(
      "--disable-progress",
      (_, ours) => ours.set("ui", "none", "--disable-progress"),
      "nothing",
    ),
    anyway("--display-scheduler-stats", "the certificate tells the client's own error"),
    anyway("--disable-console-outputs", QUIET_REPORT),
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
    anyway("--output-sampling", "the line of each request is always written", "value"),
    part("--random-seed"),
    anyway("--help", "inferometer profile --help prints ours"),
  ],
  together(theirs: ForeignLine, ours: OurLine): void {
    const rates = (theirs.value("--rate") ?? "").split(",").map((rate) => rate.trim())
      .filter((rate) => rate !== "");
    setBackend(
      {
        target: theirs.value("--target"),
        kind: theirs.value("--backend-type"),
        ...fieldsOf(theirs.value("--backend-args") ?? ""),
      },
      theirs.value("--model"),
      ours,
      ["--target", "--backend-type", "--backend-args", "--model"],
    );
    setSyntheticData(fieldsOf(theirs.value("--data") ?? ""), theirs.value("--data"), ours);
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
        warmupPercent: theirs.has("--warmup-percent")
          ? theirs.number("--warmup-percent")
          : undefined,
      },
      ours,
      ["--max-seconds", "--max-requests", "--warmup-percent"],
    );
    setProfile(theirs.value("--rate-type") ?? "sweep", rates, ours, ["--rate-type", "--rate"]);
    if (theirs.has("--random-seed")) {
      ours.set("random-seed", theirs.value("--random-seed") ?? "", "--random-seed");
    }
  },
};

/** GuideLLM's newer command. */
export const GUIDELLM_RUN: ForeignTool = {
  name: "guidellm run (0.8)",
  words: [["guidellm", "run"]],
  abbreviates: false,
  options: [
    gone("--config --scenario -c", SCENARIO),
    reads("--label -l", (values, ours) => {
      for (const value of values) ours.add("tag", value, "--label");
    }),
    part("--backend"),
    part("--profile"),
    part("--constraint"),
    part("--tokenizer"),
    part("--data"),
    gone("--data-column-mapper", "fields of an input file have fixed names"),
    gone("--data-preprocessor", "prompts are sent as they are"),
    gone("--data-finalizer", "prompts are sent as they are"),
    gone("--data-loader", "see --dataset-sampling-strategy"),
    part("--seed"),
    anyway("--output", OUTPUTS, "value"),
    part("--metrics"),
    gone("--override", "one command line is one run: write one for each value", "values"),
    anyway("--disable-console --disable-console-outputs", QUIET_REPORT),
    reads(
      "--disable-console-interactive --disable-progress",
      (_, ours) => ours.set("ui", "none", "--disable-console-interactive"),
      "nothing",
    ),
    anyway("--help", "inferometer profile --help prints ours"),
  ],
  together(theirs: ForeignLine, ours: OurLine): void {
    const fields = (name: string): Fields => fieldsOf(theirs.value(name) ?? "");
    const backend = fields("--backend");
    setBackend(backend, text(backend["model"]), ours, ["--backend"]);
    setSyntheticData(fields("--data"), theirs.value("--data"), ours);
    const tokenizer = fields("--tokenizer");
    const named = text(tokenizer["model"] ?? tokenizer["name"] ?? tokenizer["path"]);
    if (named !== undefined) ours.set("tokenizer", named, "--tokenizer");
    else if (theirs.has("--tokenizer")) {
      ours.note("--tokenizer", "left out: the model's own is used anyway");
    }
    const limits: Record<string, string> = {};
    for (const value of theirs.values("--constraint")) {
      const { kind, value: limit, ...rest } = fieldsOf(value);
      const seconds = text(limit ?? rest["seconds"] ?? rest["max_duration"] ?? rest["max_seconds"]);
      const requests = text(limit ?? rest["count"] ?? rest["max_num"] ?? rest["max_requests"]);
      if (/duration|seconds/.test(String(kind)) && seconds !== undefined) {
        limits["seconds"] = seconds;
      } else if (/requests|number/.test(String(kind)) && requests !== undefined) {
        limits["requests"] = requests;
      } else ours.none("--constraint", `"${value}" ends no run here`);
    }
    const profile = fields("--profile");
    const warmup = profile["warmup"];
    setLimits(
      {
        seconds: limits["seconds"],
        requests: limits["requests"],
        warmupPercent: typeof warmup === "number" ? warmup : undefined,
      },
      ours,
      ["--constraint"],
    );
    const rates = [profile["rate"] ?? profile["streams"]].flat().map(text)
      .flatMap((rate) => rate === undefined ? [] : rate.split(","));
    setProfile(text(profile["kind"]) ?? "sweep", rates, ours, ["--profile"]);
    const seed = text(fields("--seed")["value"]);
    if (seed !== undefined) ours.set("random-seed", seed, "--seed");
    const slo = Object.entries(fieldsOf(JSON.stringify(fields("--metrics")["slo"] ?? {})));
    if (slo.length > 0) {
      const tags: Record<string, string> = {
        "ttft_ms": "time_to_first_token",
        "tpot_ms": "inter_token_latency",
        "e2el_ms": "request_latency",
      };
      ours.set(
        "goodput",
        slo.map(([name, value]) => `${tags[name] ?? name}:${value}`).join(" "),
        "--metrics",
      );
    } else if (theirs.has("--metrics")) {
      ours.note("--metrics", "left out: all metrics are always computed");
    }
  },
};

function folderOf(path: string): string {
  return path.replace(/\/?[^/]*\.(json|ya?ml|csv|html)$/, "") || ".";
}

function text(value: unknown): string | undefined {
  return value === undefined || value === null ? undefined : String(value);
}

/** Reads `{"a":1}`, `a=1,b=2`, or a word (as `kind`). */
function fieldsOf(value: string): Fields {
  if (value.trim() === "") return {};
  try {
    const read: unknown = JSON.parse(value);
    if (typeof read === "object" && read !== null && !Array.isArray(read)) return read as Fields;
  } catch {
    // Pairs, or a word.
  }
  if (!value.includes("=")) return { kind: value };
  const fields: Record<string, unknown> = {};
  let last: string | undefined;
  for (const pair of value.split(",")) {
    const at = pair.indexOf("=");
    if (at < 0 && last !== undefined) fields[last] = `${fields[last]},${pair}`;
    else fields[last = pair.slice(0, at).trim()] = pair.slice(at + 1).trim();
  }
  return fields;
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
  const isCompletions = /(^|\/)(text_)?completions$/.test(api) && !/chat/.test(api);
  ours.set(
    "endpoint-type",
    isCompletions ? "completions" : /responses/.test(api) ? "responses" : "chat",
  );
  ours.set("streaming", true);
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

/** Sizes of synthetic prompts; else a file. */
function setSyntheticData(fields: Fields, whole: string | undefined, ours: OurLine): void {
  if (whole === undefined) return;
  const { prompt_tokens: input, output_tokens: output, kind: _kind, ...rest } = fields;
  if (input === undefined) {
    const path = text(fields["path"] ?? fields["source"] ?? fields["data"]) ?? whole;
    if (/\.(jsonl?|csv|txt|parquet)$/.test(path)) {
      ours.set("input-file", path, "--data");
      ours.note("--data", `lines are {"text": ..., "output_length": ...} here`);
    } else if (setPublicDataset(ours, path, undefined, "--data")) {
      ours.note("--data", "the usual part and columns of the data set are read");
    } else {ours.none(
        "--data",
        `the data set ${path} is not known here: name a file by --input-file`,
      );}
    return;
  }
  ours.set("isl", String(input), "--data");
  if (output !== undefined) {
    ours.set("osl", String(output), "--data");
    // It asks for exactly as many.
    ours.add("extra-inputs", "ignore_eos:true", "--data");
  }
  for (const [name, value] of Object.entries(rest)) {
    if (name === "prompt_tokens_stdev") ours.set("isl-stddev", String(value), "--data");
    else if (name === "output_tokens_stdev") ours.set("osl-stddev", String(value), "--data");
    else if (name === "samples") ours.set("num-dataset-entries", String(value), "--data");
    else if (name === "prefix_tokens") {
      ours.set("prefix-prompt-length", String(value), "--data");
      if (rest["prefix_count"] === undefined) ours.set("num-prefix-prompts", 1);
    } else if (name === "prefix_count") ours.set("num-prefix-prompts", String(value), "--data");
    else if (name === "turns") ours.set("session-turns-mean", String(value), "--data");
    else ours.none("--data", `nothing like its ${name}`);
  }
}

interface Limits {
  readonly seconds: string | undefined;
  readonly requests: string | undefined;
  readonly warmupPercent: number | undefined;
}

function setLimits(
  { seconds, requests, warmupPercent }: Limits,
  ours: OurLine,
  theirs: readonly string[],
): void {
  ours.took(...theirs);
  if (seconds !== undefined) ours.set("benchmark-duration", seconds, theirs[0] as string);
  if (requests !== undefined) ours.set("request-count", requests, theirs[0] as string);
  if (warmupPercent === undefined) return;
  // Below 1 it is a share; newer versions count from 1 on.
  const share = warmupPercent > 1 ? warmupPercent / 100 : warmupPercent;
  if (seconds !== undefined) ours.set("warmup-duration", Number(seconds) * share);
  else if (requests !== undefined) {
    ours.set("warmup-request-count", Math.ceil(Number(requests) * share));
  }
  ours.note(
    theirs.at(-1) as string,
    "warm-up is a part of the run there, and comes before it here",
  );
}

/** One run for each rate. */
function setProfile(
  kind: string,
  rates: readonly string[],
  ours: OurLine,
  theirs: readonly string[],
): void {
  ours.took(...theirs);
  const first = theirs[0] as string;
  const each = (name: string): void => {
    if (rates.length === 0) ours.none(first, `${kind} without a rate`);
    else ours.vary(rates.map((rate): OurOption[] => [[name, [rate]]]));
  };
  if (kind === "concurrent") each("--concurrency");
  else if (kind === "synchronous") ours.set("concurrency", 1, first);
  else if (kind === "throughput") {
    if (rates.length > 0) each("--concurrency");
    else ours.set("request-rate", "inf", first);
  } else if (kind === "constant" || kind === "poisson" || kind === "async") {
    each("--request-rate");
    ours.set("arrival-pattern", kind === "poisson" ? "poisson" : "constant", first);
  } else if (kind === "sweep") {
    ours.none(
      first,
      "a sweep: one command line is one run; begin with --request-rate inf for the highest rate",
    );
    if (rates.length > 0 && theirs.length > 1) {
      ours.none(theirs[1] as string, "the number of runs of a sweep");
    }
  } else ours.none(first, `nothing like ${kind}`);
}
