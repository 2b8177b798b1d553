import type { CacheSource } from "../model/cache_hits.ts";
import type { CacheTruth } from "../model/cache_truth.ts";
import type { TruthPart } from "../model/truth_part.ts";
import { countText, percentText } from "./number_text.ts";

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
    `hit rate ${percentText(hitRate)}${SOURCES[source]}`,
    ...(planned === null ? [] : [`planned ${percentText(planned)}`]),
    ...(ideal === null ? [] : [`ideal ${percentText(ideal)}`]),
    ...(lru === null || lru === ideal ? [] : [`ideal of this size ${percentText(lru)}`]),
    ...(achieved === null ? [] : [`achieved ${percentText(achieved)}`]),
    ...(tiers.length < 2
      ? []
      : tiers.map(([name, tokens]) => `${named(name)} ${countText(tokens)}`)),
    ...misses.map(([name, tokens]) => `missed, ${named(name)} ${countText(tokens ?? 0)}`),
  ];
}

function named(key: string): string {
  return key.replaceAll("_", " ");
}
