/** The datasets of `vllm bench serve`. */

import { datasetOfRepository } from "../public_datasets/public_datasets.ts";
import type { ForeignLine } from "./foreign_line.ts";
import type { OurLine } from "./our_line.ts";
import { leaveDataset, ONE_TURN, setDataFile, setPublicDataset } from "./translated_values.ts";
import { setImages, setRandom, setRerank } from "./vllm_random.ts";

/** Endpoint types by vLLM's names. */
export const BACKENDS: Readonly<Record<string, string>> = {
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
  // Of the script before there was a command.
  "deepspeed-mii": "completions",
  "lmdeploy": "completions",
  "llama.cpp": "completions",
  "scalellm": "completions",
  "sglang": "completions",
  "tensorrt-llm": "kserve",
  "tgi": "huggingface-generate",
};

/** Lengths of replies by dataset, which `--output-len` overrides. */
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

/**
 * Lengths of replies by inferometer's names of datasets from a hub; for others they are those of
 * the rows.
 */
const HUB_OUTPUT_LENGTHS: Readonly<Record<string, string>> = {
  "vision_arena": "128",
  "mmvu": "128",
  "instruct_coder": "200",
  "spec_al_mtbench": "256",
  "blazedit_5k": "4000",
  "blazedit_10k": "4000",
  "librispeech": "128",
  "voxpopuli": "128",
  "gigaspeech": "128",
  "ami": "128",
  "spgispeech": "128",
};

/** The prompts, and how long replies to them are. */
export function setData(theirs: ForeignLine, ours: OurLine): void {
  const dataset = theirs.value("--dataset-name") ?? "random";
  ours.took("--dataset-name");
  const lengthOption = OUTPUT_LENGTHS[dataset as keyof typeof OUTPUT_LENGTHS] ?? "--output-len";
  const repository = theirs.value("--hf-name") ?? theirs.value("--dataset-path") ?? "";
  const output = theirs.value("--output-len") ?? theirs.value(lengthOption) ??
    (dataset === "hf"
      ? HUB_OUTPUT_LENGTHS[datasetOfRepository(repository)?.name ?? ""]
      : undefined);
  if (dataset === "random" || dataset === "random-mm") {
    setRandom(theirs, ours, Number(output));
    if (dataset === "random-mm") setImages(theirs, ours);
    return;
  }
  if (dataset === "random-rerank") return setRerank(theirs, ours);
  if (dataset === "timed_trace") return setTrace(theirs, ours);
  if (dataset === "prefix_repetition") {
    setPrefixRepetition(theirs, ours);
    ours.set("osl", output ?? "", "--prefix-repetition-output-len", "--output-len");
    return;
  }
  setNamed(theirs, ours, dataset);
  if (output !== undefined && output !== "-1") {
    ours.set("osl", output, "--output-len", lengthOption);
    if (dataset.startsWith("custom")) {
      ours.note(lengthOption, "rows with output_tokens keep their own here; there only with -1");
    }
  }
  const isShuffled = !theirs.has("--disable-shuffle");
  ours.set("dataset-sampling-strategy", isShuffled ? "shuffle" : "sequential", "--disable-shuffle");
}

/** Prompts that begin with one of a few texts. */
function setPrefixRepetition(theirs: ForeignLine, ours: OurLine): void {
  const [suffix, count, prefix] = [
    "--prefix-repetition-suffix-len",
    "--prefix-repetition-num-prefixes",
    "--prefix-repetition-prefix-len",
  ] as const;
  const length = (name: string): string => theirs.value(name) ?? "";
  ours.set("isl", theirs.value("--input-len") ?? length(suffix), suffix, "--input-len");
  ours.set("num-prefix-prompts", length(count), count);
  ours.set("prefix-prompt-length", length(prefix), prefix);
}

/** Names of the trace's fields, which are Mooncake's. */
const LABELS = ["timestamp", "input-length", "output-length", "hash-ids"] as const;

/** Whether requests are sent at the times of a trace. */
export function isSelfTimed(theirs: ForeignLine): boolean {
  return theirs.value("--dataset-name") === "timed_trace" && !theirs.has("--no-self-timed");
}

/** A trace of times and lengths. */
function setTrace(theirs: ForeignLine, ours: OurLine): void {
  const path = theirs.value("--dataset-path");
  if (path === undefined) return leaveDataset(ours, "timed_trace");
  ours.set("input-file", path, "--dataset-path");
  ours.set("custom-dataset-type", "mooncake-trace", "--dataset-name");
  for (const label of LABELS) {
    const option = `--timed-trace-label-${label}`;
    const name = label.replace("-", "_");
    if ((theirs.value(option) ?? name) === name) ours.took(option);
    else ours.none(option, `the field is called ${name}: rename it in the file`);
  }
  const block = "--timed-trace-chunk-hash-size";
  ours.set("isl-block-size", theirs.value(block) ?? "", block);
  ours.took("--self-timed", "--no-self-timed");
  const unit = "--timed-trace-sec-multiplier";
  const factor = theirs.number(unit) ?? 1;
  if (!isSelfTimed(theirs)) return ours.took(unit);
  ours.set("fixed-schedule", true, "--self-timed");
  // Times in the file are milliseconds here.
  if (factor !== 0.001) ours.set("synthesis-speedup-ratio", 0.001 / factor, unit);
  ours.took(unit);
}

/** Sets a dataset by its name, or a file. */
function setNamed(theirs: ForeignLine, ours: OurLine, dataset: string): void {
  const path = theirs.value("--dataset-path");
  const repository = dataset === "hf" ? theirs.value("--hf-name") ?? path ?? "" : dataset;
  const ownPath = dataset === "hf" ? undefined : path;
  const from = path === undefined ? "--dataset-name" : "--dataset-path";
  const isNamed = !dataset.startsWith("custom") &&
    setPublicDataset(ours, repository, ownPath, from, "--dataset-name", "--hf-name");
  if (isNamed) setPart(theirs, ours, dataset, repository);
  else if (path === undefined || dataset === "hf") leaveDataset(ours, repository || dataset);
  else if (dataset.startsWith("custom")) {
    ours.set("input-file", path, "--dataset-path");
    ours.set("custom-dataset-type", "custom", "--dataset-name");
  } else setDataFile(ours, dataset, path);
}

/** Sets which part of a known dataset is read. */
function setPart(theirs: ForeignLine, ours: OurLine, dataset: string, repository: string): void {
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
}
