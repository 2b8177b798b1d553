/** The data sets of `vllm bench serve`. */

import { datasetOfRepository } from "../public_datasets/public_datasets.ts";
import type { ForeignLine } from "./foreign_line.ts";
import type { OurLine } from "./our_line.ts";
import {
  leaveDataset,
  ONE_TURN,
  setDataFile,
  setEvenLengths,
  setPublicDataset,
} from "./translated_values.ts";

/** What is said of prompts with pictures and sounds. */
export const MEDIA = "no such media are made here";

/** Kinds of API by vLLM's names. */
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

/** The prompts, and how long replies to them are. */
export function setData(theirs: ForeignLine, ours: OurLine): void {
  const dataset = theirs.value("--dataset-name") ?? "random";
  ours.took("--dataset-name");
  const lengthOption = OUTPUT_LENGTHS[dataset as keyof typeof OUTPUT_LENGTHS] ?? "--output-len";
  const output = theirs.value("--output-len") ?? theirs.value(lengthOption);
  if (dataset === "random" || dataset === "random-mm") {
    setRandom(theirs, ours, Number(output));
    if (dataset === "random-mm") ours.none("--dataset-name", `${MEDIA}: text alone is left`);
    return;
  }
  if (dataset === "prefix_repetition") {
    setPrefixRepetition(theirs, ours);
    ours.set("osl", output ?? "", "--prefix-repetition-output-len", "--output-len");
    return;
  }
  setNamed(theirs, ours, dataset);
  if (output !== undefined && output !== "-1") {
    ours.set("osl", output, "--output-len", lengthOption);
  }
  const isShuffled = !theirs.has("--disable-shuffle");
  ours.set("dataset-sampling-strategy", isShuffled ? "shuffle" : "sequential", "--disable-shuffle");
}

/** Random tokens. */
function setRandom(theirs: ForeignLine, ours: OurLine, output: number): void {
  const ratio = theirs.value("--random-range-ratio");
  const [inputRatio, outputRatio] = ratios(ratio ?? "0");
  setEvenLengths(ours, {
    input: theirs.number("--input-len") ?? theirs.number("--random-input-len") ?? 1024,
    output,
    ratio: ratio ?? "",
    isFixed: inputRatio === 0 && outputRatio === 0,
    style: "vllm",
  }, {
    input: ["--random-input-len", "--input-len"],
    output: ["--random-output-len", "--output-len"],
    ratio: "--random-range-ratio",
  });
  ours.set("prompt-corpus", "random", "--dataset-name");
  ours.took("--random-prefix-len");
  const prefix = theirs.number("--random-prefix-len") ?? 0;
  if (prefix > 0) {
    ours.set("num-prefix-prompts", 1, "--random-prefix-len");
    ours.set("prefix-prompt-length", prefix, "--random-prefix-len");
  }
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

/** A data set by its name, or a file. */
function setNamed(theirs: ForeignLine, ours: OurLine, dataset: string): void {
  const path = theirs.value("--dataset-path");
  const repository = dataset === "hf" ? theirs.value("--hf-name") ?? path ?? "" : dataset;
  const ownPath = dataset === "hf" ? undefined : path;
  const from = path === undefined ? "--dataset-name" : "--dataset-path";
  const isNamed = dataset !== "custom" &&
    setPublicDataset(ours, repository, ownPath, from, "--dataset-name", "--hf-name");
  if (isNamed) setPart(theirs, ours, dataset, repository);
  else if (path === undefined || dataset === "hf") leaveDataset(ours, dataset);
  else if (dataset === "custom") {
    const note = `lines are {"text": ...} here, {"prompt": ...} there: rename the field`;
    setDataFile(ours, dataset, path, note);
  } else setDataFile(ours, dataset, path);
}

/** Which part of a known data set is read. */
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
