/**
 * Prompts that `vllm bench serve` generates: random tokens, with images, as queries and passages.
 */

import type { ForeignLine } from "./foreign_line.ts";
import type { OurLine } from "./our_line.ts";
import { setEvenLengths } from "./translated_values.ts";

/** Random tokens. */
export function setRandom(theirs: ForeignLine, ours: OurLine, output: number): void {
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
  if (theirs.has("--random-batch-size")) {
    ours.set("batch-size", theirs.value("--random-batch-size") ?? "", "--random-batch-size");
  }
}

/** A query of half the length, passages that share the rest. */
export function setRerank(theirs: ForeignLine, ours: OurLine): void {
  const names = ["--random-input-len", "--input-len", "--no-reranker"];
  const input = theirs.number("--input-len") ?? theirs.number("--random-input-len") ?? 1024;
  const isReranker = !theirs.has("--no-reranker");
  const query = isReranker ? Math.max(1, Math.floor(input / 2) - 1) : input;
  const passage = isReranker ? Math.max(1, input - query - 1) : input;
  const passages = (theirs.number("--random-batch-size") ?? 1) - (isReranker ? 0 : 1);
  ours.set("rankings-query-prompt-token-mean", query, ...names);
  ours.set("rankings-passages-prompt-token-mean", passage, ...names);
  ours.set("rankings-passages-mean", Math.max(1, passages), "--random-batch-size");
}

const IMAGES = {
  buckets: "--random-mm-bucket-config",
  count: "--random-mm-base-items-per-request",
  spread: "--random-mm-num-mm-items-range-ratio",
  limits: "--random-mm-limit-mm-per-prompt",
} as const;

/**
 * Sets images of one size, the other tool's most likely one; synthetic videos are not supported.
 */
export function setImages(theirs: ForeignLine, ours: OurLine): void {
  const text = theirs.value(IMAGES.buckets) ?? "";
  const sizes = [...text.matchAll(/\(\s*(\d+)\s*,\s*(\d+)\s*,\s*(\d+)\s*\)\s*:\s*([\d.eE+-]+)/g)]
    .map(([, height, width, frames, share]) => [height, width, frames, share].map(Number))
    .filter(([, , , share = 0]) => share > 0)
    .sort(([, , , a = 0], [, , , b = 0]) => b - a);
  const pictures = sizes.filter(([, , frames]) => frames === 1);
  const [size] = pictures;
  if (size === undefined) {
    ours.none(IMAGES.buckets, "synthetic videos are not supported: only text is sent");
    return;
  }
  const [height = 0, width = 0] = size;
  const limit = Number(/"image"\s*:\s*(\d+)/.exec(theirs.value(IMAGES.limits) ?? "")?.[1] ?? NaN);
  const count = theirs.number(IMAGES.count) ?? 1;
  ours.set("image-batch-size", limit < count ? limit : count, IMAGES.count, IMAGES.limits);
  ours.set("image-width-mean", width, IMAGES.buckets);
  ours.set("image-height-mean", height, IMAGES.buckets);
  if (pictures.length > 1) {
    ours.note(
      IMAGES.buckets,
      `images of ${pictures.length} sizes there, here the most likely: ${width}x${height}`,
    );
  }
  if (pictures.length < sizes.length) {
    ours.none(IMAGES.buckets, "its films are left out: synthetic films are not made");
  }
  if ((theirs.number(IMAGES.spread) ?? 0) > 0) {
    ours.none(IMAGES.spread, "each request has the same number of images");
  } else ours.took(IMAGES.spread);
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
