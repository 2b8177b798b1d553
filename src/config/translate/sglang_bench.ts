/** `python -m sglang.bench_serving`. */

import type { ForeignLine } from "./foreign_line.ts";
import { ignored, part, reads, same, UNMADE_DATASET, unsupported } from "./foreign_option.ts";
import type { ForeignTool } from "./foreign_tool.ts";
import type { OurLine } from "./our_line.ts";
import {
  bodyField,
  leaveDataset,
  ONE_TURN,
  RESOLUTIONS,
  setDataFile,
  setEvenLengths,
  setGoodput,
  setHeaders,
  setLoad,
  setPublicDataset,
  setServer,
} from "./translated_values.ts";

const PROFILER = "the server's profiler is not started";
const TRACE = "see --input-file and its formats";

/** Endpoint types and default ports, by SGLang's names. */
const BACKENDS: Readonly<Record<string, readonly [type: string, port: number]>> = {
  "sglang": ["generate", 30_000],
  "sglang-native": ["generate", 30_000],
  "sglang-oai": ["completions", 30_000],
  "sglang-oai-chat": ["chat", 30_000],
  "sglang-embedding": ["embeddings", 30_000],
  "vllm": ["completions", 8000],
  "vllm-chat": ["chat", 30_000],
  "vllm-embedding": ["embeddings", 8000],
  "lmdeploy": ["completions", 23_333],
  "lmdeploy-chat": ["chat", 30_000],
  "trt": ["kserve", 8000],
};

/** See the module's comment. */
export const SGLANG_BENCH: ForeignTool = {
  name: "sglang.bench_serving",
  version: "0.5.23",
  words: [
    ["sglang.bench_serving"],
    ["sglang.benchmark.serving"],
    ["sglang", "bench_serving"],
    ["bench_serving.py"],
  ],
  abbreviates: true,
  options: [
    part("--backend", "sglang"),
    part("--base-url"),
    part("--host", "0.0.0.0"),
    part("--port"),
    reads(
      "--ready-check-timeout-sec",
      ([value = ""], ours) =>
        ours.set("wait-for-model-timeout", value, "--ready-check-timeout-sec"),
    ),
    part("--dataset-name", "sharegpt"),
    part("--dataset-path"),
    unsupported("--dataset-offset", "a file is read from its beginning"),
    unsupported("--agentic-max-turns", UNMADE_DATASET),
    unsupported("--speed-bench-category", UNMADE_DATASET),
    unsupported("--speed-bench-output-len", UNMADE_DATASET),
    part("--model"),
    part("--served-model-name"),
    part("--tokenizer"),
    part("--num-prompts", "1000"),
    part("--sharegpt-output-len"),
    unsupported("--sharegpt-context-len", "prompts are not left out by their length"),
    part("--random-input-len", "1024"),
    part("--random-output-len", "1024"),
    part("--random-range-ratio", "0.0"),
    part("--image-count", "1"),
    part("--image-resolution", "1080p"),
    unsupported("--random-image-count", "each request has the same number of images", "nothing"),
    part("--image-format", "jpeg"),
    unsupported("--image-content", "images are random"),
    part("--request-rate", "inf"),
    same("--use-trace-timestamps", "fixed-schedule", "nothing"),
    part("--max-concurrency"),
    reads("--output-file", ([name = ""], ours) => {
      const [, folder = ".", file = name] = /^(.*)\/([^/]*)$/.exec(name) ?? [];
      ours.set(
        "artifact-dir",
        folder === "." ? file.replace(/\.jsonl?$/, "") : folder,
        "--output-file",
      );
      ours.note(
        "--output-file",
        "a run here is a folder of files, not a line that is added to one",
      );
    }),
    ignored("--output-details", "a line for each request is always written"),
    reads("--goodput", (values, ours) => setGoodput(values, ours), "values"),
    unsupported(
      "--print-requests",
      "requests and replies go to a file by --export-level raw",
      "nothing",
    ),
    reads("--disable-tqdm", (_, ours) => ours.set("ui", "none", "--disable-tqdm"), "nothing"),
    part("--disable-stream", undefined, "nothing"),
    bodyField("--return-logprob", "nothing"),
    bodyField("--top-logprobs-num"),
    reads(
      "--token-ids-logprob",
      (values, ours) =>
        ours.add(
          "extra-inputs",
          `{"token_ids_logprob":[${values.join(",")}]}`,
          "--token-ids-logprob",
        ),
      "values",
    ),
    bodyField("--logprob-start-len"),
    bodyField("--return-routed-experts", "nothing"),
    ignored("--cache-report", "cached tokens that the server reports are always told"),
    part("--seed", "42"),
    part("--disable-ignore-eos", undefined, "nothing"),
    part("--temperature", "0.0"),
    part("--top-p", "1.0"),
    part("--extra-request-body"),
    unsupported(
      "--apply-chat-template",
      "the client applies no chat template: --endpoint-type chat lets the server",
      "nothing",
    ),
    unsupported("--profile", PROFILER, "nothing"),
    ignored("--plot-throughput", "report.html has pictures"),
    unsupported("--profile-activities", PROFILER, "values"),
    unsupported("--profile-start-step", PROFILER),
    unsupported("--profile-steps", PROFILER),
    unsupported("--profile-num-steps", PROFILER),
    unsupported("--profile-by-stage", PROFILER, "nothing"),
    unsupported("--profile-stages", PROFILER, "values"),
    unsupported("--profile-output-dir", PROFILER),
    unsupported("--profile-prefix", PROFILER),
    part("--lora-name", undefined, "values"),
    part("--lora-request-distribution", "uniform"),
    part("--lora-zipf-alpha", "1.5"),
    unsupported("--prompt-suffix", "nothing is put behind prompts"),
    unsupported("--pd-separated", PROFILER, "nothing"),
    unsupported("--profile-prefill-url", PROFILER, "values"),
    unsupported("--profile-decode-url", PROFILER, "values"),
    reads("--flush-cache", (_, ours) => {
      ours.set("reset-prefix-cache", true, "--flush-cache");
    }, "nothing"),
    same("--flush-cache-timeout", "reset-kv-cache-timeout-seconds"),
    part("--warmup-requests", "1"),
    unsupported("--tokenize-prompt", "prompts are sent as text", "nothing"),
    part("--gsp-num-groups", "64"),
    part("--gsp-prompts-per-group", "16"),
    part("--gsp-system-prompt-len", "2048"),
    part("--gsp-question-len", "128"),
    part("--gsp-output-len", "256"),
    part("--gsp-range-ratio", "1.0"),
    ignored("--gsp-fast-prepare", "prompts are always generated fast"),
    unsupported("--gsp-send-routing-key", "no key of the group is sent", "nothing"),
    part("--gsp-num-turns", "1"),
    unsupported("--gsp-ordered", "see --dataset-sampling-strategy", "nothing"),
    unsupported("--gsp-group-distribution", "each group is as likely"),
    unsupported("--gsp-zipf-alpha", "each group is as likely"),
    part("--mooncake-slowdown-factor", "1.0"),
    unsupported("--mooncake-num-rounds", TRACE),
    unsupported("--mooncake-workload", TRACE),
    unsupported("--fake-prefill", UNMADE_DATASET, "nothing"),
    reads("--tag", ([value = ""], ours) => ours.add("tag", `tag=${value}`, "--tag")),
    reads("--header", (values, ours) => setHeaders(values, ours, "--header"), "values"),
    ignored("--rust-client", "there is one client"),
    same("--rust-worker-threads", "workers"),
  ],
  together(theirs: ForeignLine, ours: OurLine): void {
    const backend = theirs.value("--backend") ?? "sglang";
    const [type, port] = BACKENDS[backend] ?? [undefined, 30_000];
    setServer(theirs, ours, port);
    const [model, served] = [theirs.value("--model"), theirs.value("--served-model-name")];
    const adapters = theirs.values("--lora-name").map((name) => name.split("=")[0] as string);
    if (adapters.length > 0) {
      ours.set("model", adapters, "--lora-name", "--model", "--served-model-name");
    } else if (model !== undefined || served !== undefined) {
      ours.set("model", served ?? model ?? "", "--model", "--served-model-name");
    }
    const tokenizer = theirs.value("--tokenizer") ?? (served === undefined ? undefined : model);
    if (tokenizer !== undefined) ours.set("tokenizer", tokenizer, "--tokenizer");
    if (adapters.length > 0 || theirs.has("--lora-request-distribution")) {
      const distribution = theirs.value("--lora-request-distribution") ?? "";
      if (distribution === "uniform") {
        ours.set("model-selection-strategy", "random", "--lora-request-distribution");
      } else if (distribution === "distinct") {
        ours.set("model-selection-strategy", "round-robin", "--lora-request-distribution");
      } else if (adapters.length > 0) {
        const alpha = theirs.number("--lora-zipf-alpha") ?? 1;
        const weights = adapters.map((_, place) => Number((alpha ** -place).toPrecision(6)));
        ours.set("model-selection-strategy", "weighted", "--lora-request-distribution");
        ours.set("model-weights", weights.join(","), "--lora-zipf-alpha");
      }
    }
    if (type === undefined) ours.none("--backend", `there is no API like ${backend}`);
    else ours.set("endpoint-type", type, "--backend");
    ours.took("--disable-stream");
    if (type !== "embeddings" && !theirs.has("--disable-stream")) ours.set("streaming", true);
    if (backend === "trt") {
      const path = "/v2/models/ensemble/generate";
      const stream = theirs.has("--disable-stream") ? "" : "_stream";
      ours.set("custom-endpoint", `${path}${stream}`, "--backend");
    }
    setData(theirs, ours);
    if (isReplayed(theirs, backend)) {
      ours.set("fixed-schedule", true, "--use-trace-timestamps");
      const concurrency = theirs.value("--max-concurrency");
      if (concurrency !== undefined) ours.set("concurrency", concurrency, "--max-concurrency");
    } else setLoad(theirs, ours);
    setCount(theirs, ours);
    const warmups = theirs.number("--warmup-requests") ?? 1;
    ours.took("--warmup-requests");
    if (warmups > 0) ours.set("warmup-request-count", warmups, "--warmup-requests");
    ours.set("random-seed", theirs.value("--seed") ?? "", "--seed");
    setFields(theirs, ours, type);
  },
};

/** Whether requests are sent at the times of a trace: to its own API those of Mooncake always are. */
function isReplayed(theirs: ForeignLine, backend: string): boolean {
  return theirs.has("--use-trace-timestamps") ||
    (backend === "sglang" && theirs.value("--dataset-name") === "mooncake" &&
      Boolean(theirs.value("--dataset-path")));
}

function setCount(theirs: ForeignLine, ours: OurLine): void {
  if (theirs.value("--dataset-name") !== "generated-shared-prefix") {
    ours.set("request-count", theirs.value("--num-prompts") ?? "", "--num-prompts");
    return;
  }
  const turns = theirs.number("--gsp-num-turns") ?? 1;
  ours.set(turns > 1 ? "num-sessions" : "request-count", sharedPrefixPrompts(theirs));
  if (theirs.has("--num-prompts")) {
    ours.note(
      "--num-prompts",
      "left out: with shared prefixes it is the groups times their prompts",
    );
  }
}

/** Sets the fields that SGLang sends with every request by default. */
function setFields(theirs: ForeignLine, ours: OurLine, type: string | undefined): void {
  ours.took("--disable-ignore-eos", "--temperature", "--top-p", "--extra-request-body");
  const body = theirs.value("--extra-request-body");
  const sampling: string[] = [];
  if (type !== "embeddings") {
    sampling.push(`"temperature":${theirs.value("--temperature")}`);
    if (theirs.has("--top-p")) sampling.push(`"top_p":${theirs.value("--top-p")}`);
    sampling.push(`"ignore_eos":${!theirs.has("--disable-ignore-eos")}`);
  }
  if (type === "generate") ours.add("extra-inputs", `{"sampling_params":{${sampling.join(",")}}}`);
  else if (sampling.length > 0) ours.add("extra-inputs", `{${sampling.join(",")}}`);
  if (body !== undefined) ours.add("extra-inputs", body, "--extra-request-body");
}

function setData(theirs: ForeignLine, ours: OurLine): void {
  const dataset = theirs.value("--dataset-name") ?? "sharegpt";
  const path = theirs.value("--dataset-path") || undefined;
  ours.took("--dataset-name");
  if (dataset === "random" || dataset === "random-ids" || dataset === "image") {
    setRange(theirs, ours, "--random-input-len", "--random-output-len", "--random-range-ratio");
    if (dataset === "random-ids") ours.set("prompt-corpus", "random", "--dataset-name");
    if (dataset === "image") setImages(theirs, ours);
    if (path !== undefined) {
      ours.note("--dataset-path", "left out: random prompts are generated from inferometer's text");
    }
    return;
  }
  if (dataset === "generated-shared-prefix") return setSharedPrefixes(theirs, ours);
  if (dataset === "mooncake" && path !== undefined) return setTrace(theirs, ours, path);
  if (dataset === "sharegpt") {
    setPublicDataset(ours, dataset, path, path === undefined ? "--dataset-name" : "--dataset-path");
    const [type] = BACKENDS[theirs.value("--backend") ?? "sglang"] ?? [];
    if (type === "chat") ours.note("--dataset-name", ONE_TURN);
  } else if (path !== undefined && dataset === "custom") {
    ours.set("input-file", path, "--dataset-path");
    ours.set("custom-dataset-type", "sharegpt", "--dataset-name");
    ours.note("--dataset-name", ONE_TURN);
  } else if (path !== undefined) setDataFile(ours, dataset, path);
  else if (!setPublicDataset(ours, dataset, path, "--dataset-name")) leaveDataset(ours, dataset);
  if (theirs.has("--sharegpt-output-len")) {
    ours.set("osl", theirs.value("--sharegpt-output-len") ?? "", "--sharegpt-output-len");
  }
}

/** Lengths by the names of the options that say them. */
function setRange(
  theirs: ForeignLine,
  ours: OurLine,
  input: string,
  output: string,
  ratio: string,
): void {
  setEvenLengths(ours, {
    input: theirs.number(input) ?? 0,
    output: theirs.number(output) ?? 0,
    ratio: theirs.value(ratio) ?? "",
    isFixed: theirs.number(ratio) === 1,
    style: "sglang",
  }, { input: [input], output: [output], ratio });
}

/** Groups of prompts, each with a beginning of its own. */
function setSharedPrefixes(theirs: ForeignLine, ours: OurLine): void {
  ours.set("num-prefix-prompts", theirs.value("--gsp-num-groups") ?? "", "--gsp-num-groups");
  ours.set(
    "prefix-prompt-length",
    theirs.value("--gsp-system-prompt-len") ?? "",
    "--gsp-system-prompt-len",
  );
  setRange(theirs, ours, "--gsp-question-len", "--gsp-output-len", "--gsp-range-ratio");
  ours.set("num-dataset-entries", sharedPrefixPrompts(theirs), "--gsp-prompts-per-group");
  const turns = theirs.number("--gsp-num-turns") ?? 1;
  if (turns > 1) ours.set("session-turns-mean", turns, "--gsp-num-turns");
  ours.took("--gsp-num-turns");
}

function sharedPrefixPrompts(theirs: ForeignLine): number {
  return (theirs.number("--gsp-num-groups") ?? 0) * (theirs.number("--gsp-prompts-per-group") ?? 0);
}

function setTrace(theirs: ForeignLine, ours: OurLine, path: string): void {
  ours.set("input-file", path, "--dataset-path");
  ours.set("custom-dataset-type", "mooncake-trace", "--dataset-name");
  if (!theirs.has("--mooncake-slowdown-factor")) return;
  ours.set(
    "synthesis-speedup-ratio",
    1 / (theirs.number("--mooncake-slowdown-factor") ?? 0),
    "--mooncake-slowdown-factor",
  );
}

function setImages(theirs: ForeignLine, ours: OurLine): void {
  const text = theirs.value("--image-resolution") ?? "1080p";
  const [, height, width] = /^(\d+)x(\d+)$/.exec(text) ?? [];
  const size = RESOLUTIONS[text] ??
    (height === undefined ? undefined : [Number(width), Number(height)]);
  ours.set("batch-size-image", theirs.value("--image-count") ?? "", "--image-count");
  ours.set("image-format", theirs.value("--image-format") ?? "", "--image-format");
  if (size === undefined) ours.none("--image-resolution", `"${text}" is no size`);
  else {
    ours.set("image-width-mean", size[0] as number, "--image-resolution");
    ours.set("image-height-mean", size[1] as number, "--image-resolution");
  }
}
