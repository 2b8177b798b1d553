import type { CacheTruth } from "../model/cache_truth.ts";
import type { TruthPart } from "../model/truth_part.ts";
import { significantText } from "./number_text.ts";

/** Items of the line about the prefix cache. */
export function cacheTruthItems({ values }: TruthPart<CacheTruth>): string[] {
  const { hit_rate: hitRate, ideal_hit_rate: ideal } = values;
  if (hitRate === null || ideal === null) return [];
  return [
    `hit rate ${significantText(hitRate * 100, { maxDecimals: 1 })} %`,
    `ideal ${significantText(ideal * 100, { maxDecimals: 1 })} %`,
  ];
}
