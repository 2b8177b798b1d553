import type { ProfileReport } from "../model/profile_report.ts";
import { cacheTruthItems } from "./cache_truth_items.ts";
import { LABEL_WIDTH, labelled } from "./labelled_lines.ts";
import { speculationTruthItems } from "./speculation_truth_items.ts";
import { ttftSplitItems } from "./ttft_split_items.ts";
import { wrapItems } from "./wrap_items.ts";

/** Lines about what only servers know; none of a part that no server reports. */
export function truthLines(report: ProfileReport, width: number): string[] {
  const { serverTruth: truth } = report;
  if (truth === undefined) return [];
  const lines = (label: string, items: readonly string[]): string[] =>
    labelled(label, wrapItems(items, width - LABEL_WIDTH));
  return [
    ...lines("cache", cacheTruthItems(truth.cache)),
    ...lines("spec", speculationTruthItems(truth.speculation)),
    ...lines("TTFT", ttftSplitItems(truth)),
  ];
}
