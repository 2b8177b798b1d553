/** Values that several tools write in the same way. */

import { datasetOfRepository, publicDataset } from "../public_datasets/public_datasets.ts";
import type { ForeignLine } from "./foreign_line.ts";
import { type ForeignOption, reads } from "./foreign_option.ts";
import type { OurLine } from "./our_line.ts";

/** Note on differences in the use of ShareGPT. */
export const ONE_TURN = "here all turns of a conversation are sent, there only its first question";

/** Lengths that are spread evenly over a range: a mean, and the ratio that gives the range. */
export interface EvenLengths {
  readonly input: number;
  readonly output: number;
  /** Ratio in the format of `--random-range-ratio`. */
  readonly ratio: string;
  /** Whether it leaves the lengths as they are. */
  readonly isFixed: boolean;
  readonly style: "vllm" | "sglang";
}

/** The tokens of prompts and replies, spread evenly as there. */
export function setEvenLengths(
  ours: OurLine,
  { input, output, ratio, isFixed, style }: EvenLengths,
  theirs: {
    readonly input: readonly string[];
    readonly output: readonly string[];
    readonly ratio: string;
  },
): void {
  ours.set("isl", input, ...theirs.input);
  ours.set("osl", output, ...theirs.output);
  ours.took(theirs.ratio);
  if (isFixed) return;
  ours.set("random-range-ratio", ratio, theirs.ratio);
  if (style !== "vllm") ours.set("random-corpus-style", style);
}

/**
 * Sets a dataset that is known by its name or its repository, with its files if they are named.
 * @returns false if it is not known
 */
export function setPublicDataset(
  ours: OurLine,
  name: string,
  path: string | undefined,
  ...theirs: string[]
): boolean {
  const known = publicDataset(name) ?? datasetOfRepository(name);
  if (known === undefined) return false;
  ours.set("public-dataset", known.name, ...theirs);
  if (path !== undefined) ours.set("public-dataset-folder", path, ...theirs);
  return true;
}

/** Sets a file of a dataset whose lines are not in inferometer's format. */
export function setDataFile(
  ours: OurLine,
  dataset: string,
  path: string,
  note = `a file of ${dataset} may have to be written as {"text": ..., "output_length": ...} lines`,
): void {
  ours.set("input-file", path, "--dataset-path");
  ours.note("--dataset-path", note);
}

/** Notes a dataset that is neither known by its name nor given as a file. */
export function leaveDataset(ours: OurLine, dataset: string): void {
  ours.none(
    "--dataset-name",
    `dataset ${dataset} is not supported here; set --input-file`,
  );
}

/** Names that metrics of goodput have elsewhere. */
const GOODPUT_TAGS: ReadonlyMap<string, string> = new Map([
  ["ttft", "time_to_first_token"],
  ["tpot", "inter_token_latency"],
  ["itl", "inter_token_latency"],
  ["e2el", "request_latency"],
  ["request_latency", "request_latency"],
]);

/** Objectives such as `ttft:100 e2el:2000`, in milliseconds. */
export function setGoodput(values: readonly string[], ours: OurLine, factor = 1): void {
  const pairs: string[] = [];
  for (const pair of values.flatMap((text) => text.split(/[\s,]+/)).filter((one) => one !== "")) {
    const [name = "", value = ""] = pair.split(":");
    const tag = GOODPUT_TAGS.get(name.replaceAll("-", "_"));
    if (tag === undefined || value === "" || Number.isNaN(Number(value))) {
      ours.none("--goodput", `"${pair}" is no objective of a request's TTFT, TPOT or latency`);
    } else pairs.push(`${tag}:${Number(value) * factor}`);
  }
  if (pairs.length > 0) ours.set("goodput", pairs.join(" "), "--goodput");
}

/** Headers as `name=value` there, `name:value` here. */
export function setHeaders(values: readonly string[], ours: OurLine, theirs: string): void {
  for (const value of values) ours.add("header", value.replace(/\s*=\s*/, ":"), theirs);
}

/** A server as `--base-url`, or `--host` and `--port`. */
export function setServer(theirs: ForeignLine, ours: OurLine, port: number | undefined): void {
  const whole = theirs.value("--base-url");
  if (whole !== undefined) {
    ours.set("url", whole, "--base-url");
    for (const name of ["--host", "--port"]) {
      if (theirs.has(name)) {
        ours.note(name, "left out: --base-url is given, which it does not change");
      }
    }
    return;
  }
  const host = theirs.value("--host") ?? "127.0.0.1";
  const name = host === "0.0.0.0" ? "127.0.0.1" : host.includes(":") ? `[${host}]` : host;
  ours.set("url", `http://${name}:${theirs.value("--port") ?? port}`, "--host", "--port");
}

/** Load by `--request-rate`, `inf` for none, and `--max-concurrency`. */
export function setLoad(theirs: ForeignLine, ours: OurLine): void {
  const rate = theirs.number("--request-rate") ?? Infinity;
  const concurrency = theirs.value("--max-concurrency");
  if (concurrency !== undefined) ours.set("concurrency", concurrency, "--max-concurrency");
  if (Number.isFinite(rate)) ours.set("request-rate", rate, "--request-rate");
  else if (concurrency === undefined) ours.set("request-rate", "inf", "--request-rate");
  ours.took("--request-rate");
}

/** A field of a request's body. */
export function setField(ours: OurLine, field: string, value: string, theirs: string): void {
  ours.add("extra-inputs", `${field}:${value}`, theirs);
}

/** An option that is a field of a request's body, `true` where it takes no value. */
export function bodyField(name: string, takes: "value" | "nothing" = "value"): ForeignOption {
  const field = name.replace("--", "").replaceAll("-", "_");
  return reads(name, ([value = "true"], ours) => setField(ours, field, value, name), takes);
}

/** A path is left out where the API's own is the same. */
export const API_PATHS: Readonly<Record<string, string>> = {
  completions: "/v1/completions",
  chat: "/v1/chat/completions",
  embeddings: "/v1/embeddings",
  responses: "/v1/responses",
  "chat-embeddings": "/v1/embeddings",
  "audio-transcription": "/v1/audio/transcriptions",
  "cohere-rankings": "/v2/rerank",
};

/** Image sizes by their names. */
export const RESOLUTIONS: Readonly<Record<string, readonly [width: number, height: number]>> = {
  "360p": [640, 360],
  "480p": [854, 480],
  "720p": [1280, 720],
  "1080p": [1920, 1080],
  "1440p": [2560, 1440],
  "4k": [3840, 2160],
};
