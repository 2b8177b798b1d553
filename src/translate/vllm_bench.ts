/** `vllm bench serve`, by the options of vLLM 0.32. */

import { datasetOfRepository } from "../public_datasets/public_datasets.ts";
import type { ForeignLine } from "./foreign_line.ts";
import { anyway, gone, part, reads, same } from "./foreign_option.ts";
import type { ForeignTool } from "./foreign_tool.ts";
import type { OurLine } from "./our_line.ts";
import {
  API_PATHS,
  ONE_TURN,
  setEvenLengths,
  setField,
  setGoodput,
  setHeaders,
  setLoad,
  setPublicDataset,
  setServer,
} from "./translated_values.ts";

const DATASET = "the prompts of this data set are not made here";
const MEDIA = "no such media are made here";
const PLOT = "report.html has pictures of its own";

/** Kinds of API by vLLM's names. */
const BACKENDS: Readonly<Record<string, string>> = {
  "vllm": "completions",
  "openai": "completions",
  "openai-chat": "chat",
  "openai-responses": "responses",
  "openai-audio": "audio-transcription",
  "openai-embeddings": "embeddings",
  "openai-embeddings-chat": "chat-embeddings",
  "openai-embeddings-clip": "chat-embeddings",
  "openai-embeddings-vlm2vec": "chat-embeddings",
  "infinity-embeddings": "embeddings",
  "infinity-embeddings-clip": "embeddings",
  "vllm-rerank": "cohere-rankings",
};

/** Lengths of replies by data set, which `--output-len` overrides. */
const OUTPUT_LENGTHS = {
  "random": "--random-output-len",
  "random-mm": "--random-output-len",
  "custom": "--custom-output-len",
  "custom_image": "--custom-output-len",
  "custom_audio": "--custom-output-len",
  "sharegpt": "--sharegpt-output-len",
  "hf": "--hf-output-len",
  "spec_bench": "--spec-bench-output-len",
  "speed_bench": "--speed-bench-output-len",
  "prefix_repetition": "--prefix-repetition-output-len",
} as const;

/** See the module's comment. */
export const VLLM_BENCH: ForeignTool = {
  name: "vllm bench serve (0.32)",
  words: [
    ["vllm", "bench", "serve"],
    ["vllm.entrypoints.cli.main", "bench", "serve"],
    ["benchmark_serving.py"],
    ["vllm.benchmarks.serve"],
  ],
  abbreviates: true,
  joinsFields: true,
  options: [
    anyway("--trust-remote-code", "a tokenizer's code is never run"),
    same("--seed", "random-seed"),
    part("--num-prompts", "1000"),
    part("--dataset-name", "random"),
    part("--no-stream", undefined, "nothing"),
    part("--dataset-path"),
    gone("--no-oversample", "prompts are used again until --request-count is reached", "nothing"),
    anyway("--skip-chat-template", "the client applies no chat template"),
    gone("--enable-multimodal-chat", MEDIA, "nothing"),
    part("--disable-shuffle", undefined, "nothing"),
    part("--custom-output-len", "256"),
    gone("--custom-ensure-client-side-data", "files are always read before the run", "nothing"),
    part("--spec-bench-output-len", "256"),
    part("--spec-bench-category"),
    part("--sharegpt-output-len"),
    gone("--timed-trace-chunk-hash-size", DATASET),
    gone("--timed-trace-sec-multiplier", DATASET),
    gone("--timed-trace-label-timestamp", DATASET),
    gone("--timed-trace-label-input-length", DATASET),
    gone("--timed-trace-label-output-length", DATASET),
    gone("--timed-trace-label-hash-ids", DATASET),
    gone("--blazedit-min-distance", DATASET),
    gone("--blazedit-max-distance", DATASET),
    gone("--asr-max-audio-len-sec", DATASET),
    gone("--asr-min-audio-len-sec", DATASET),
    part("--random-input-len", "1024"),
    part("--random-output-len", "128"),
    part("--random-range-ratio", "0.0"),
    part("--random-prefix-len", "0"),
    same("--random-batch-size", "batch-size"),
    gone("--no-reranker", DATASET, "nothing"),
    gone("--random-mm-base-items-per-request", MEDIA),
    gone("--random-mm-num-mm-items-range-ratio", MEDIA),
    gone("--random-mm-limit-mm-per-prompt", MEDIA),
    gone("--random-mm-bucket-config", MEDIA),
    part("--hf-subset"),
    part("--hf-split"),
    part("--hf-name"),
    part("--hf-output-len"),
    gone("--bfcl-categories", DATASET),
    part("--prefix-repetition-prefix-len", "256"),
    part("--prefix-repetition-suffix-len", "256"),
    part("--prefix-repetition-num-prefixes", "10"),
    part("--prefix-repetition-output-len", "128"),
    gone("--speed-bench-dataset-subset", DATASET),
    part("--speed-bench-output-len", "4096"),
    gone("--speed-bench-category", DATASET),
    reads("--label", ([label = ""], ours) => ours.add("tag", `label=${label}`, "--label")),
    part("--backend", "openai"),
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
    anyway("--tokenizer-mode", "tokenizers are read from their tokenizer.json", "value"),
    reads(
      "--use-beam-search",
      (_, ours) => setField(ours, "use_beam_search", "true", "--use-beam-search"),
      "nothing",
    ),
    reads("--logprobs", ([count = ""], ours) => setField(ours, "logprobs", count, "--logprobs")),
    part("--request-rate", "inf"),
    part("--burstiness", "1.0"),
    gone("--probe-request-rate", "there are no probe requests; see the certificate of the run"),
    reads("--disable-tqdm", (_, ours) => ours.set("ui", "none", "--disable-tqdm"), "nothing"),
    part("--num-warmups", "0"),
    gone("--profile", "the server's profiler is not started", "nothing"),
    anyway("--save-result", "results are always written"),
    anyway("--save-detailed", "a line for each request is always written"),
    gone("--append-result", "each run has a folder of its own; see inferometer runs", "nothing"),
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
    gone("--self-timed --no-self-timed", "a trace's own times are not taken from here", "nothing"),
    anyway("--percentile-metrics", "all metrics have percentiles", "value"),
    anyway("--metric-percentiles", "p1 to p99 are always reported", "value"),
    reads("--goodput", (values, ours) => setGoodput(values, ours), "values"),
    gone("--request-id-prefix", "each request has an identifier of its own"),
    reads("--top-p", ([value = ""], ours) => setField(ours, "top_p", value, "--top-p")),
    reads("--top-k", ([value = ""], ours) => setField(ours, "top_k", value, "--top-k")),
    reads("--min-p", ([value = ""], ours) => setField(ours, "min_p", value, "--min-p")),
    reads(
      "--temperature",
      ([value = ""], ours) => setField(ours, "temperature", value, "--temperature"),
    ),
    reads(
      "--frequency-penalty",
      ([value = ""], ours) => setField(ours, "frequency_penalty", value, "--frequency-penalty"),
    ),
    reads(
      "--presence-penalty",
      ([value = ""], ours) => setField(ours, "presence_penalty", value, "--presence-penalty"),
    ),
    reads(
      "--repetition-penalty",
      ([value = ""], ours) => setField(ours, "repetition_penalty", value, "--repetition-penalty"),
    ),
    part("--served-model-name"),
    part("--lora-modules", undefined, "values"),
    part("--lora-assignment", "random"),
    gone("--ramp-up-strategy", "rates do not grow by steps of whole requests per second"),
    gone("--ramp-up-start-rps", "see --ramp-up-strategy"),
    gone("--ramp-up-end-rps", "see --ramp-up-strategy"),
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
    gone("--insecure", "certificates are always checked; name yours by --ca-cert", "nothing"),
    anyway("--plot-timeline", PLOT),
    gone("--timeline-itl-thresholds", PLOT),
    anyway("--plot-dataset-stats", PLOT),
  ],
  together(theirs: ForeignLine, ours: OurLine): void {
    setServer(theirs, ours, 8000);
    setModel(theirs, ours);
    setApi(theirs, ours);
    setData(theirs, ours);
    setLoad(theirs, ours);
    const burstiness = theirs.number("--burstiness") ?? 1;
    ours.took("--burstiness");
    if (burstiness !== 1) {
      if (Number.isFinite(theirs.number("--request-rate") ?? Infinity)) {
        ours.set("arrival-pattern", "gamma", "--burstiness");
        ours.set("arrival-smoothness", burstiness, "--burstiness");
      } else ours.note("--burstiness", "left out: it means nothing without a --request-rate");
    }
    ours.set("request-count", theirs.value("--num-prompts") ?? "", "--num-prompts");
    const warmups = theirs.number("--num-warmups") ?? 0;
    if (warmups > 0) ours.set("warmup-request-count", warmups, "--num-warmups");
    ours.took("--num-warmups");
    if (theirs.has("--ignore-eos")) setField(ours, "ignore_eos", "true", "--ignore-eos");
  },
};

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
  const streams = type === "completions" || type === "chat" || type === "responses";
  ours.took("--no-stream");
  if (streams && !theirs.has("--no-stream")) ours.set("streaming", true);
}

function setData(theirs: ForeignLine, ours: OurLine): void {
  const dataset = theirs.value("--dataset-name") ?? "random";
  ours.took("--dataset-name");
  const output = theirs.value("--output-len") ??
    theirs.value(OUTPUT_LENGTHS[dataset as keyof typeof OUTPUT_LENGTHS] ?? "--output-len");
  const of = (name: string): string => theirs.has(name) ? name : "--dataset-name";
  if (dataset === "random" || dataset === "random-mm") {
    const input = theirs.number("--input-len") ?? theirs.number("--random-input-len") ?? 1024;
    const [inputRatio, outputRatio] = ratios(theirs.value("--random-range-ratio") ?? "0");
    setEvenLengths(ours, {
      input,
      output: Number(output),
      ratio: theirs.value("--random-range-ratio") ?? "",
      isFixed: inputRatio === 0 && outputRatio === 0,
      style: "vllm",
    }, {
      input: ["--random-input-len", "--input-len"],
      output: ["--random-output-len", "--output-len"],
      ratio: "--random-range-ratio",
    });
    ours.set("prompt-corpus", "random", of("--dataset-name"));
    ours.took("--random-prefix-len");
    const prefix = theirs.number("--random-prefix-len") ?? 0;
    if (prefix > 0) {
      ours.set("num-prefix-prompts", 1, "--random-prefix-len");
      ours.set("prefix-prompt-length", prefix, "--random-prefix-len");
    }
    if (dataset === "random-mm") ours.none("--dataset-name", `${MEDIA}: text alone is left`);
    return;
  }
  if (dataset === "prefix_repetition") {
    const length = (name: string): string => theirs.value(name) ?? "";
    ours.set(
      "isl",
      theirs.value("--input-len") ?? length("--prefix-repetition-suffix-len"),
      "--prefix-repetition-suffix-len",
      "--input-len",
    );
    ours.set(
      "num-prefix-prompts",
      length("--prefix-repetition-num-prefixes"),
      "--prefix-repetition-num-prefixes",
    );
    ours.set(
      "prefix-prompt-length",
      length("--prefix-repetition-prefix-len"),
      "--prefix-repetition-prefix-len",
    );
    ours.set("osl", output ?? "", "--prefix-repetition-output-len", "--output-len");
    return;
  }
  const path = theirs.value("--dataset-path");
  const repository = dataset === "hf" ? theirs.value("--hf-name") ?? path ?? "" : dataset;
  const ownPath = dataset === "hf" ? undefined : path;
  const from = path === undefined ? "--dataset-name" : "--dataset-path";
  const isNamed = dataset !== "custom" &&
    setPublicDataset(ours, repository, ownPath, from, "--dataset-name", "--hf-name");
  if (isNamed) {
    const type = BACKENDS[theirs.value("--backend") ?? "openai"];
    if (dataset === "sharegpt" && type !== "completions") ours.note("--dataset-name", ONE_TURN);
    const [subset, split] = [theirs.value("--hf-subset"), theirs.value("--hf-split")];
    if (subset !== undefined) ours.set("hf-subset", subset, "--hf-subset");
    const own = datasetOfRepository(repository)?.split;
    if (split !== undefined && split === own) ours.note("--hf-split", "left out: it is the usual");
    else if (split !== undefined) ours.none("--hf-split", `the split ${own} is read`);
    const category = theirs.value("--spec-bench-category");
    if (category !== undefined) {
      ours.add("dataset-filter", `category=${category}`, "--spec-bench-category");
    }
  } else if (path !== undefined && dataset !== "hf") {
    ours.set("input-file", path, "--dataset-path");
    ours.note(
      "--dataset-path",
      dataset === "custom"
        ? `lines are {"text": ...} here, {"prompt": ...} there: rename the field`
        : `a file of ${dataset} may have to be written as {"text": ..., "output_length": ...} lines`,
    );
  } else {ours.none(
      of("--dataset-name"),
      `the data set ${dataset} is not known here: name a file by --input-file`,
    );}
  if (output !== undefined && output !== "-1") {
    ours.set(
      "osl",
      output,
      "--output-len",
      OUTPUT_LENGTHS[dataset as keyof typeof OUTPUT_LENGTHS] ?? "--output-len",
    );
  }
  const isShuffled = !theirs.has("--disable-shuffle");
  ours.set("dataset-sampling-strategy", isShuffled ? "shuffle" : "sequential", "--disable-shuffle");
}

/** One ratio, or JSON with one for prompts and one for replies. */
function ratios(text: string): readonly [number, number] {
  try {
    const value: unknown = JSON.parse(text);
    if (typeof value === "number") return [value, value];
    const { input = 0, output = 0 } = value as {
      readonly input?: number;
      readonly output?: number;
    };
    return [input, output];
  } catch {
    return [0, 0];
  }
}
