/** A decimal number as Go and Python print it: no hexadecimal, no digit separators, no blanks. */
const DECIMAL = /^[+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?$/;
const INFINITE = /^[+-]?inf(?:inity)?$/i;
/** No float64 needs more digits; a label value may have 16 kB. */
const MAX_LENGTH = 1000;

/**
 * The one spelling of a bucket's upper bound, so that `1`, `1.0` and `1e0` name the same bucket.
 *
 * It is Prometheus' canonical float, which OpenMetrics asks for and most client libraries print:
 * the shortest digits that give the same float64, an exponent from 1e+06 up and below 0.0001, and
 * `.0` where neither point nor exponent would show a float. Any infinity is `+Inf`: a histogram has
 * no other infinite bound.
 *
 * @example
 * ```ts
 * import assert from "node:assert/strict";
 * assert.equal(canonicalBound("1"), "1.0");
 * assert.equal(canonicalBound("Inf"), "+Inf");
 * assert.equal(canonicalBound("fast"), null);
 * ```
 *
 * @returns null if the text is no number
 */
export function canonicalBound(le: string): string | null {
  if (le.length > MAX_LENGTH) return null;
  if (INFINITE.test(le)) return "+Inf";
  if (!DECIMAL.test(le)) return null;
  const bound = Number(le);
  return Number.isFinite(bound) ? canonicalFloat(bound) : "+Inf";
}

function canonicalFloat(value: number): string {
  if (value === 0) return "0.0";
  const [mantissa = "", exponentText = ""] = value.toExponential().split("e");
  const exponent = Number(exponentText);
  if (exponent < -4 || exponent >= 6) {
    const digits = String(Math.abs(exponent)).padStart(2, "0");
    return `${mantissa}e${exponent < 0 ? "-" : "+"}${digits}`;
  }
  const plain = String(value);
  return plain.includes(".") ? plain : `${plain}.0`;
}
