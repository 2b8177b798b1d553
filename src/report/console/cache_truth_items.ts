import type { CacheSource } from "../model/cache_hits.ts";
import type { CacheTruth } from "../model/cache_truth.ts";
import type { TruthPart } from "../model/truth_part.ts";
import { countText, significantText } from "./number_text.ts";

const SOURCES: Readonly<Record<CacheSource, string>> = {
  "engines": "",
  "front": ", by the front",
  "router": ", by the router",
  "replies": ", by usage in replies",
};

/** Items of the line about the prefix cache; none where its hits are not known. */
export function cacheTruthItems({ values }: TruthPart<CacheTruth>): string[] {
  const { hit_rate: hitRate, planned_hit_rate: planned, source } = values;
  if (hitRate === null || source === null) return [];
  const { ideal_hit_rate: ideal, ideal_lru_hit_rate: lru, achieved_of_ideal: achieved } = values;
  const tiers = Object.entries(values.hits_by_tier).filter(([, tokens]) => tokens > 0);
  const misses = Object.entries(values.misses).filter(([, tokens]) => (tokens ?? 0) > 0);
  return [
    `hit rate ${percent(hitRate)}${SOURCES[source]}`,
    ...(planned === null ? [] : [`planned ${percent(planned)}`]),
    ...(ideal === null ? [] : [`ideal ${percent(ideal)}`]),
    ...(lru === null || lru === ideal ? [] : [`ideal of this size ${percent(lru)}`]),
    ...(achieved === null ? [] : [`achieved ${percent(achieved)}`]),
    ...(tiers.length < 2
      ? []
      : tiers.map(([name, tokens]) => `${named(name)} ${countText(tokens)}`)),
    ...misses.map(([name, tokens]) => `missed, ${named(name)} ${countText(tokens ?? 0)}`),
  ];
}

function named(key: string): string {
  return key.replaceAll("_", " ");
}

function percent(share: number): string {
  return `${significantText(share * 100, { maxDecimals: 1 })} %`;
}
