/** Lengths and images of inference-perf. */

import type { ForeignLine } from "./foreign_line.ts";
import type { OurLine } from "./our_line.ts";
import { RESOLUTIONS, setEvenLengths } from "./translated_values.ts";

/** A distribution of lengths, or of numbers of images. */
interface Distribution {
  readonly type?: string;
  readonly min?: number;
  readonly max?: number;
  readonly mean?: number;
  readonly "std_dev"?: number;
  readonly variance?: number | null;
  readonly [other: string]: unknown;
}

const DISTRIBUTION_KEYS = new Set([
  ...["type", "min", "max", "mean", "std_dev", "variance", "skew", "total_count"],
]);

/** Returns the mean of a distribution; for a range, its middle. */
export function meanOf(text: string): number {
  const value = JSON.parse(text) as number | Distribution;
  if (typeof value === "number") return value;
  const range = rangeOf(value);
  return Math.max(
    1,
    Math.round(range === undefined ? value.mean ?? 512 : (range[0] + range[1]) / 2),
  );
}

/** The range of an even distribution, or of one value; undefined for others. */
function rangeOf(value: number | Distribution): readonly [number, number] | undefined {
  if (typeof value === "number") return [value, value];
  const { type, min, max, mean } = value;
  if (type === "fixed") {
    const one = mean ?? max ?? min;
    return one === undefined ? undefined : [one, one];
  }
  return type === "uniform" && min !== undefined && max !== undefined ? [min, max] : undefined;
}

/** The tokens of prompts and replies: evenly spread where both are, else by mean and deviation. */
export function setLengths(
  theirs: ForeignLine,
  ours: OurLine,
  input: string,
  output: string,
): void {
  const ranges = [input, output].map((name) => {
    const text = theirs.value(name);
    return text === undefined ? undefined : rangeOf(JSON.parse(text));
  });
  const [ofInput, ofOutput] = ranges;
  const isEven = ranges.some((range) => range !== undefined && range[0] < range[1]);
  if (ofInput !== undefined && ofOutput !== undefined && isEven) {
    const [inputRatio, outputRatio] = [ofInput, ofOutput].map(([min, max]) =>
      Number(((max - min) / (max + min)).toPrecision(6))
    );
    setEvenLengths(ours, {
      input: Math.round((ofInput[0] + ofInput[1]) / 2),
      output: Math.round((ofOutput[0] + ofOutput[1]) / 2),
      ratio: `{"input":${inputRatio},"output":${outputRatio}}`,
      isFixed: false,
      style: "vllm",
    }, { input: [input], output: [output], ratio: input });
    return;
  }
  setLength("isl", input, theirs, ours);
  setLength("osl", output, theirs, ours);
}

function setLength(option: "isl" | "osl", name: string, theirs: ForeignLine, ours: OurLine): void {
  const text = theirs.value(name);
  if (text === undefined) return;
  const value = JSON.parse(text) as number | Distribution;
  ours.set(option, meanOf(text), name);
  const range = rangeOf(value);
  if (typeof value === "number" || (range !== undefined && range[0] === range[1])) return;
  const { "std_dev": stddev, variance, type = "normal" } = value;
  const spread = range !== undefined
    ? (range[1] - range[0]) / Math.sqrt(12)
    : variance === undefined || variance === null
    ? stddev ?? 200
    : Math.sqrt(variance);
  if (spread > 0) ours.set(`${option}-stddev`, Number(spread.toPrecision(6)), name);
  if (type !== "normal") ours.note(name, `lengths are normally distributed here, not ${type}`);
  for (const key of Object.keys(value).filter((one) => !DISTRIBUTION_KEYS.has(one))) {
    ours.none(`${name}.${key}`, "inference-perf has no such setting");
  }
  for (const bound of ["min", "max", "skew", "total_count"]) {
    if (value[bound] !== undefined && range === undefined) {
      ours.none(`${name}.${bound}`, "lengths have only a mean and a standard deviation");
    }
  }
}

/** Sets images of the most likely size; other media are reported. */
export function setImages(theirs: ForeignLine, ours: OurLine, name: string): void {
  const text = theirs.value(name);
  if (text === undefined) return;
  const { image, ...others } = JSON.parse(text) as Readonly<Record<string, Distribution>>;
  for (const kind of Object.keys(others)) {
    ours.none(`${name}.${kind}`, kind === "audio" ? "see --audio-length-mean" : "it is not made");
  }
  if (image === undefined) return;
  const sizes = (Array.isArray(image["resolutions"]) ? image["resolutions"] : [])
    .map(({ resolution, weight = 1 }) => ({ resolution, weight: Number(weight) }))
    .sort((a, b) => b.weight - a.weight);
  const likeliest = sizes[0]?.resolution;
  const [width, height] = typeof likeliest === "object" && likeliest !== null
    ? [likeliest.width, likeliest.height]
    : RESOLUTIONS[String(likeliest).toLowerCase()] ?? [];
  if (width === undefined || height === undefined) {
    return ours.none(`${name}.image`, "images without a known size");
  }
  const count = image["count"];
  ours.set("image-batch-size", count === undefined ? 1 : meanOf(JSON.stringify(count)), name);
  ours.set("image-width-mean", width, name);
  ours.set("image-height-mean", height, name);
  ours.note(
    `${name}.image`,
    `here each request has the same number of images, all of ${width}x${height}`,
  );
}
