import { parseBucketBound } from "../../prometheus/bucket_bound.ts";

/**
 * The one spelling of a bucket's upper bound, so that `1`, `1.0` and `1e0` name the same bucket.
 *
 * It is Prometheus' canonical float, which OpenMetrics asks for and most client libraries print:
 * the shortest digits that give the same float64, an exponent from 1e+06 up and below 0.0001, `.0`
 * where neither point nor exponent would show a float, and `+Inf` and `-Inf`.
 *
 * @example
 * ```ts
 * import assert from "node:assert/strict";
 * assert.equal(canonicalBound("1"), "1.0");
 * assert.equal(canonicalBound("Inf"), "+Inf");
 * assert.equal(canonicalBound("fast"), null);
 * ```
 *
 * @returns null if the text is no bound
 */
export function canonicalBound(le: string): string | null {
  const bound = parseBucketBound(le);
  return bound === undefined ? null : canonicalFloat(bound);
}

function canonicalFloat(value: number): string {
  if (!Number.isFinite(value)) return value > 0 ? "+Inf" : "-Inf";
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
