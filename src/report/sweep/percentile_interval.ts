import { NORMAL_95 } from "../../core/statistics/normal_95.ts";

/**
 * Between which values a percentile lies with 95 % confidence, by the order of the values: no
 * distribution is assumed (Conover, Practical Nonparametric Statistics, 3.2). With too few values one
 * end is that of the sample.
 * @param values of independent requests
 * @param share of the values below it, such as 0.99
 * @returns undefined without values
 */
export function percentileInterval(
  values: ArrayLike<number>,
  share: number,
): readonly [lower: number, upper: number] | undefined {
  if (values.length === 0) return undefined;
  const sorted = Float64Array.from(values).sort();
  const last = sorted.length - 1;
  const spread = NORMAL_95 * Math.sqrt(sorted.length * share * (1 - share));
  const at = (place: number): number => sorted[Math.min(last, Math.max(0, place))] as number;
  return [
    at(Math.floor(sorted.length * share - spread)),
    at(Math.ceil(sorted.length * share + spread)),
  ];
}
