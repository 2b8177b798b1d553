import { UsageError } from "../../options/usage_error.ts";
import type { LengthRange } from "../prompts_plan.ts";

const FLAG = "--random-range-ratio";

/** How a ratio becomes a range, as two other tools do it. */
export type RangeStyle = "vllm" | "sglang";

/** Inputs from which a range is computed. */
export interface RangeMeans {
  readonly isl: number;
  readonly osl: number;
}

/**
 * Returns the ranges from which lengths are drawn evenly, from `--random-range-ratio`.
 *
 * - `vllm`: from `floor(mean * (1 - r))` to `ceil(mean * (1 + r))`, r from 0 to below 1; input and
 *   output may have ratios of their own, `{"input":0.2,"output":0.5}`;
 * - `sglang`: from `max(1, floor(mean * r))` to the mean, r from 0 to 1.
 *
 * Outputs have one token at least; inputs may have none, if a prefix precedes them.
 * @throws {UsageError} if the ratio is not valid
 */
export function parseLengthRange(text: string, style: RangeStyle, means: RangeMeans): LengthRange {
  const { input, output } = ratiosOf(text.trim(), style);
  if (style === "sglang") {
    return {
      input: [Math.max(1, Math.floor(means.isl * input)), means.isl],
      output: [Math.max(1, Math.floor(means.osl * output)), means.osl],
    };
  }
  const low = (mean: number, ratio: number) => Math.floor(mean * (1 - ratio));
  const high = (mean: number, ratio: number) => Math.ceil(mean * (1 + ratio));
  return {
    input: [Math.max(0, low(means.isl, input)), high(means.isl, input)],
    output: [Math.max(1, low(means.osl, output)), Math.max(1, high(means.osl, output))],
  };
}

function ratiosOf(text: string, style: RangeStyle): { input: number; output: number } {
  if (!text.startsWith("{")) {
    const ratio = checked(text === "" ? NaN : Number(text), style, text);
    return { input: ratio, output: ratio };
  }
  if (style === "sglang") {
    throw new UsageError(FLAG, "Must be one number with --random-corpus-style sglang");
  }
  let fields: Record<string, unknown>;
  try {
    fields = JSON.parse(text);
  } catch (error) {
    throw new UsageError(FLAG, `Not valid JSON: ${(error as Error).message}`);
  }
  const { input, output, ...others } = fields;
  const [other] = Object.keys(others);
  if (other !== undefined) {
    throw new UsageError(FLAG, `Must have only "input" and "output": got "${other}"`);
  }
  return {
    input: checked(input, style, shownRatio("input", input)),
    output: checked(output, style, shownRatio("output", output)),
  };
}

function shownRatio(name: string, value: unknown): string {
  return value === undefined ? `no "${name}"` : `${JSON.stringify(value)} as "${name}"`;
}

function checked(ratio: unknown, style: RangeStyle, shown: string): number {
  const isRatio = typeof ratio === "number" && ratio >= 0 &&
    (style === "sglang" ? ratio <= 1 : ratio < 1);
  if (isRatio) return ratio;
  const wanted = style === "sglang" ? "from 0 to 1" : "from 0 to below 1";
  throw new UsageError(FLAG, `Must be a number ${wanted}: got ${shown === "" ? '""' : shown}`);
}
