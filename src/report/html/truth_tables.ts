/** Tables of values that only servers know: prefix caches, and pools of instances. */

import { figureText } from "../../core/chart/figure_text.ts";
import { escapedMarkup } from "../../core/chart/markup.ts";
import type { CacheTruth } from "../model/cache_truth.ts";
import type { ProfileReport } from "../model/profile_report.ts";
import { htmlTable } from "./html_table.ts";

/** Values of caches that are fractions, as shown. */
const FRACTIONS: readonly (readonly [key: keyof CacheTruth, name: string])[] = [
  ["hit_rate", "hit rate"],
  ["planned_hit_rate", "planned hit rate"],
  ["ideal_hit_rate", "ideal hit rate of an infinite cache"],
  ["ideal_lru_hit_rate", "ideal hit rate of an LRU cache of this size"],
  ["achieved_of_ideal", "achieved of the ideal"],
  ["computed_share", "computed prompt tokens"],
];

/** Values of caches that are counts of tokens, as shown. */
const COUNTS: readonly (readonly [key: keyof CacheTruth, name: string])[] = [
  ["queries", "prompt tokens looked for"],
  ["hits", "found in the engine's cache or a tier"],
  ["capacity_tokens", "capacity of the caches (tokens)"],
  ["block_size", "tokens per block"],
];

/** Tables of the caches and the pools; empty if servers report neither. */
export function truthTables({ serverTruth }: Pick<ProfileReport, "serverTruth">): string {
  if (serverTruth === undefined) return "";
  return cacheTable(serverTruth.cache.values) + poolTable(serverTruth.pools.values);
}

function cacheTable(cache: CacheTruth): string {
  if (cache["hit_rate"] === null) return "";
  const shown = (
    rows: typeof FRACTIONS,
    write: (value: number) => string,
  ): string[][] =>
    rows.flatMap(([key, name]) => {
      const value = cache[key];
      return typeof value === "number" ? [[name, write(value)]] : [];
    });
  const counted = (
    what: string,
    values: Readonly<Record<string, number | null>>,
  ): string[][] =>
    Object.entries(values).flatMap(([name, tokens]) =>
      tokens === null
        ? []
        : [[`${what}: ${name.replaceAll("_", " ")} (tokens)`, figureText(tokens)]]
    );
  return heading("Prefix cache") + htmlTable({
    head: ["whole run", "value"],
    rows: [
      ...shown(FRACTIONS, (value) => `${figureText(value * 100)} %`),
      ...shown(COUNTS, figureText),
      ...counted("cached", cache["hits_by_tier"]),
      ...counted("missed", cache.misses),
    ],
  });
}

function poolTable(pools: NonNullable<ProfileReport["serverTruth"]>["pools"]["values"]): string {
  const known = Object.entries(pools).flatMap(([name, values]) =>
    values === null ? [] : [[name, values as Readonly<Record<string, number | null>>] as const]
  );
  if (known.length === 0) return "";
  const metrics = [...new Set(known.flatMap(([, values]) => Object.keys(values)))];
  return heading("Pools") + htmlTable({
    head: ["whole run", ...known.map(([name]) => name)],
    rows: metrics.map((metric) => [
      metric.replaceAll("_", " "),
      ...known.map(([, values]) => {
        const value = values[metric];
        return value === null || value === undefined ? "" : figureText(value);
      }),
    ]),
  });
}

function heading(text: string): string {
  return `<h3>${escapedMarkup(text)}</h3>`;
}
