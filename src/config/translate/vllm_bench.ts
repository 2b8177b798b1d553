/** `vllm bench serve`, with the options that earlier versions had. */

import type { ForeignLine } from "./foreign_line.ts";
import { ignored, part, reads, same, UNMADE_DATASET, unsupported } from "./foreign_option.ts";
import type { ForeignTool } from "./foreign_tool.ts";
import type { OurLine } from "./our_line.ts";
import {
  API_PATHS,
  bodyField,
  setField,
  setGoodput,
  setHeaders,
  setLoad,
  setServer,
} from "./translated_values.ts";
import { BACKENDS, isSelfTimed, setData } from "./vllm_data.ts";
import { setRamp } from "./vllm_ramp.ts";

/** Endpoint types for which the tool requests streams. */
const STREAMED = new Set(["completions", "chat", "responses", "kserve", "huggingface-generate"]);
const SONNET = "there are no prompts of sonnets; see --isl, --osl, --prefix-prompt-length";
const PLOT = "report.html has its own charts";

/** See the module's comment. */
export const VLLM_BENCH: ForeignTool = {
  name: "vllm bench serve",
  version: "0.33",
  words: [
    ["vllm", "bench", "serve"],
    ["vllm.entrypoints.cli.main", "bench", "serve"],
    ["benchmark_serving.py"],
    ["vllm.benchmarks.serve"],
  ],
  abbreviates: true,
  joinsFields: true,
  options: [
    ignored("--trust-remote-code", "a tokenizer's code is never run"),
    same("--seed", "random-seed"),
    part("--num-prompts", "1000"),
    part("--dataset-name", "random"),
    part("--no-stream", undefined, "nothing"),
    part("--dataset-path"),
    unsupported(
      "--no-oversample",
      "prompts are used again until --request-count is reached",
      "nothing",
    ),
    ignored(
      "--skip-chat-template --custom-skip-chat-template",
      "the client applies no chat template",
    ),
    ignored("--enable-multimodal-chat", "prompts with media are messages of chat"),
    part("--disable-shuffle", undefined, "nothing"),
    part("--custom-output-len", "256"),
    unsupported(
      "--custom-ensure-client-side-data",
      "files are always read before the run",
      "nothing",
    ),
    part("--spec-bench-output-len", "256"),
    part("--spec-bench-category"),
    part("--sharegpt-output-len"),
    part("--timed-trace-chunk-hash-size", "16"),
    part("--timed-trace-sec-multiplier", "1"),
    part("--timed-trace-label-timestamp"),
    part("--timed-trace-label-input-length"),
    part("--timed-trace-label-output-length"),
    part("--timed-trace-label-hash-ids"),
    unsupported("--blazedit-min-distance", UNMADE_DATASET),
    unsupported("--blazedit-max-distance", UNMADE_DATASET),
    unsupported("--asr-max-audio-len-sec", UNMADE_DATASET),
    unsupported("--asr-min-audio-len-sec", UNMADE_DATASET),
    part("--random-input-len", "1024"),
    part("--random-output-len", "128"),
    part("--random-range-ratio", "0.0"),
    part("--random-prefix-len", "0"),
    part("--random-batch-size", "1"),
    part("--no-reranker", undefined, "nothing"),
    part("--random-mm-base-items-per-request", "1"),
    part("--random-mm-num-mm-items-range-ratio", "0.0"),
    part("--random-mm-limit-mm-per-prompt", '{"image": 255, "video": 1}'),
    part("--random-mm-bucket-config", "{(256, 256, 1): 0.5, (720, 1280, 1): 0.5}"),
    part("--hf-subset"),
    part("--hf-split"),
    part("--hf-name"),
    part("--hf-output-len"),
    unsupported("--bfcl-categories", UNMADE_DATASET),
    part("--prefix-repetition-prefix-len", "256"),
    part("--prefix-repetition-suffix-len", "256"),
    part("--prefix-repetition-num-prefixes", "10"),
    part("--prefix-repetition-output-len", "128"),
    unsupported("--speed-bench-dataset-subset", UNMADE_DATASET),
    part("--speed-bench-output-len", "4096"),
    unsupported("--speed-bench-category", UNMADE_DATASET),
    reads("--label", ([label = ""], ours) => ours.add("tag", `label=${label}`, "--label")),
    part("--backend --endpoint-type", "openai"),
    part("--base-url"),
    part("--host", "127.0.0.1"),
    part("--port", "8000"),
    part("--endpoint", "/v1/completions"),
    reads("--header", (values, ours) => setHeaders(values, ours, "--header"), "values"),
    part("--max-concurrency"),
    part("--model -m"),
    part("--input-len"),
    part("--output-len"),
    part("--tokenizer"),
    ignored("--tokenizer-mode", "tokenizers are read from their tokenizer.json", "value"),
    bodyField("--use-beam-search", "nothing"),
    bodyField("--logprobs"),
    part("--request-rate", "inf"),
    part("--burstiness", "1.0"),
    unsupported(
      "--probe-request-rate",
      "there are no probe requests; see the certificate of the run",
    ),
    reads("--disable-tqdm", (_, ours) => ours.set("ui", "none", "--disable-tqdm"), "nothing"),
    part("--num-warmups", "0"),
    unsupported("--profile", "the server's profiler is not started", "nothing"),
    ignored("--save-result", "results are always written"),
    ignored("--save-detailed", "a line for each request is always written"),
    unsupported(
      "--append-result",
      "each run has a folder of its own; see inferometer runs",
      "nothing",
    ),
    reads("--metadata", (values, ours) => {
      for (const value of values) ours.add("tag", value, "--metadata");
    }, "values"),
    same("--result-dir", "artifact-dir"),
    reads(
      "--result-filename",
      ([name = ""], ours) =>
        ours.set("profile-export-prefix", name.replace(/\.json$/, ""), "--result-filename"),
    ),
    part("--ignore-eos", undefined, "nothing"),
    part("--self-timed", undefined, "nothing"),
    part("--no-self-timed", undefined, "nothing"),
    ignored("--percentile-metrics", "all metrics have percentiles", "value"),
    ignored("--metric-percentiles", "p1 to p99 are always reported", "value"),
    reads("--goodput", (values, ours) => setGoodput(values, ours), "values"),
    unsupported("--request-id-prefix", "each request has an identifier of its own"),
    bodyField("--top-p"),
    bodyField("--top-k"),
    bodyField("--min-p"),
    bodyField("--temperature"),
    bodyField("--frequency-penalty"),
    bodyField("--presence-penalty"),
    bodyField("--repetition-penalty"),
    part("--served-model-name"),
    part("--lora-modules", undefined, "values"),
    part("--lora-assignment", "random"),
    part("--ramp-up-strategy"),
    part("--ramp-up-start-rps"),
    part("--ramp-up-end-rps"),
    reads(
      "--ready-check-timeout-sec",
      ([value = ""], ours) =>
        ours.set("wait-for-model-timeout", value, "--ready-check-timeout-sec"),
    ),
    reads(
      "--chat-template-kwargs",
      ([json = ""], ours) =>
        ours.add("extra-inputs", `{"chat_template_kwargs":${json}}`, "--chat-template-kwargs"),
    ),
    reads("--extra-body", ([json = ""], ours) => ours.add("extra-inputs", json, "--extra-body")),
    reads("--skip-tokenizer-init", (_, ours) => {
      ours.set("use-server-token-count", true, "--skip-tokenizer-init");
    }, "nothing"),
    unsupported("--sonnet-input-len", SONNET),
    unsupported("--sonnet-output-len", SONNET),
    unsupported("--sonnet-prefix-len", SONNET),
    bodyField("--best-of"),
    unsupported(
      "--insecure",
      "certificates are always checked; name yours by --ca-cert",
      "nothing",
    ),
    ignored("--plot-timeline", PLOT),
    unsupported("--timeline-itl-thresholds", PLOT),
    ignored("--plot-dataset-stats", PLOT),
  ],
  together(theirs: ForeignLine, ours: OurLine): void {
    setServer(theirs, ours, 8000);
    setModel(theirs, ours);
    setApi(theirs, ours);
    setData(theirs, ours);
    const isRamp = theirs.has("--ramp-up-strategy");
    if (isRamp) setRamp(theirs, ours);
    else if (!isSelfTimed(theirs)) setLoad(theirs, ours);
    const burstiness = theirs.number("--burstiness") ?? 1;
    ours.took("--burstiness");
    if (burstiness !== 1) {
      if (isRamp || Number.isFinite(theirs.number("--request-rate") ?? Infinity)) {
        ours.set("arrival-pattern", "gamma", "--burstiness");
        ours.set("arrival-smoothness", burstiness, "--burstiness");
      } else ours.note("--burstiness", "left out: it means nothing without a --request-rate");
    }
    setRequestCount(theirs, ours);
    const warmups = theirs.number("--num-warmups") ?? 0;
    if (warmups > 0) ours.set("warmup-request-count", warmups, "--num-warmups");
    ours.took("--num-warmups");
    const isAnyway = isToEnd(theirs);
    if (theirs.has("--ignore-eos") || isAnyway) {
      setField(ours, "ignore_eos", "true", "--ignore-eos");
      if (isAnyway) {
        ours.note("--ignore-eos", "with random tokens and traces it does so without being asked");
      }
    }
  },
};

/**
 * Whether the tool lets replies to prompts of random tokens, and of traces, run to their length.
 */
function isToEnd(theirs: ForeignLine): boolean {
  const dataset = theirs.value("--dataset-name") ?? "random";
  if (dataset === "timed_trace") return true;
  const type = BACKENDS[theirs.value("--backend") ?? "openai"] ?? "";
  return (dataset === "random" || dataset === "random-mm") &&
    ["completions", "chat", "responses"].includes(type);
}

function setModel(theirs: ForeignLine, ours: OurLine): void {
  const [model, served] = [theirs.value("--model"), theirs.value("--served-model-name")];
  const adapters = theirs.values("--lora-modules");
  const sent = served ?? model;
  if (adapters.length > 0) {
    ours.set("model", adapters, "--lora-modules");
    ours.set(
      "model-selection-strategy",
      theirs.value("--lora-assignment") ?? "random",
      "--lora-assignment",
    );
    ours.took("--model", "--served-model-name");
  } else if (sent !== undefined) ours.set("model", sent, "--model", "--served-model-name");
  const tokenizer = theirs.value("--tokenizer") ??
    (sent === model && adapters.length === 0 ? undefined : model);
  if (tokenizer !== undefined) ours.set("tokenizer", tokenizer, "--tokenizer");
}

/**
 * Sets the number of requests. A number below 0 means all existing prompts, for which inferometer
 * has no number.
 */
function setRequestCount(theirs: ForeignLine, ours: OurLine): void {
  const count = theirs.value("--num-prompts") ?? "";
  if (!count.startsWith("-")) ours.set("request-count", count, "--num-prompts");
  else {
    ours.note(
      "--num-prompts",
      `${count} is all prompts: give as many as there are as --request-count`,
    );
  }
}

function setApi(theirs: ForeignLine, ours: OurLine): void {
  const backend = theirs.value("--backend") ?? "openai";
  const type = BACKENDS[backend];
  const path = theirs.value("--endpoint") ?? "";
  ours.took("--endpoint");
  if (type === undefined) ours.none("--backend", `there is no API like ${backend}`);
  else ours.set("endpoint-type", type, "--backend");
  if (
    type !== undefined && path !== API_PATHS[type] &&
    (theirs.has("--endpoint") || type === "completions")
  ) {
    ours.set("custom-endpoint", path, "--endpoint");
  }
  const streams = STREAMED.has(type ?? "");
  ours.took("--no-stream");
  if (streams && !theirs.has("--no-stream")) ours.set("streaming", true);
}
