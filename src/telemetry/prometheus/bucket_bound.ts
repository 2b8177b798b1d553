import { parseFloatText } from "./float_text.ts";

/** No float64 needs more digits; a label value may have 16 kB. */
const MAX_LENGTH = 1000;

/**
 * The upper bound of a bucket, read from its label `le`. This is the one place where such a text
 * becomes a number.
 *
 * `1`, `1.0` and `1e0` are the same bound; infinities may be spelled in any case, with or without a
 * sign; a number too large for a float64 is an infinity. Hexadecimal numbers and digit separators
 * are refused, as Prometheus refuses them, and NaN bounds nothing.
 *
 * @returns undefined if the text is no bound
 */
export function parseBucketBound(le: string): number | undefined {
  if (le.length > MAX_LENGTH) return undefined;
  const bound = parseFloatText(le);
  return Number.isNaN(bound) ? undefined : bound;
}
