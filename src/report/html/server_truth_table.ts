import { cacheTruthItems } from "../console/cache_truth_items.ts";
import { significantText } from "../console/number_text.ts";
import { speculationTruthItems } from "../console/speculation_truth_items.ts";
import { ttftSplitItems } from "../console/ttft_split_items.ts";
import type { PoolTruth } from "../model/pools_truth.ts";
import type { ProfileReport } from "../model/profile_report.ts";
import { htmlTable } from "./html_table.ts";

/** Returns caches, drafts and pools as the servers report them; empty if they report none. */
export function serverTruthTable({ serverTruth: truth }: ProfileReport): string {
  if (truth === undefined) return "";
  const { pools: { values: pools } } = truth;
  const rows = ([
    ["prefix cache", cacheTruthItems(truth.cache)],
    ["speculative decoding", speculationTruthItems(truth.speculation)],
    ["time to first token", ttftSplitItems(truth)],
    ["prefill instances", poolItems(pools.prefill)],
    ["decode instances", poolItems(pools.decode)],
  ] as const).filter(([, items]) => items.length > 0);
  if (rows.length === 0) return "";
  return "<h3>Caches, drafts and pools</h3>\n" + htmlTable({
    head: ["", "as the servers report it"],
    rows: rows.map(([name, items]) => [name, items.join("; ")]),
    textColumns: [1],
  });
}

function poolItems(pool: PoolTruth | null): string[] {
  return Object.entries(pool ?? {}).flatMap(([name, value]) =>
    value === null ? [] : [`${name.replaceAll("_", " ")} ${significantText(value)}`]
  );
}
