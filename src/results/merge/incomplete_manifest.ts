import { firstReason } from "../../core/run_end/end_reason.ts";
import { INCOMPLETE_TAG } from "../../report/model/incomplete_tag.ts";
import type { RunManifest } from "../collect/run_manifest.ts";

/**
 * Manifest of a run of which something is missing; every output shows what.
 * @param isLost whether shards are missing or broken, which have no codes of their own
 */
export function incompleteManifest(
  manifest: RunManifest,
  text: string,
  isLost: boolean,
): RunManifest {
  const { facts, summary } = manifest;
  const tags = (facts.plan.tags ?? []).filter(([name]) => name !== INCOMPLETE_TAG);
  return {
    ...manifest,
    facts: {
      ...facts,
      // Labels stand in every file that has a place for them.
      plan: { ...facts.plan, tags: [...tags, [INCOMPLETE_TAG, text]] },
    },
    summary: summary && {
      ...summary,
      isComplete: false,
      endReason: firstReason(summary.endReason, isLost ? "shard_lost" : undefined),
      notes: [...summary.notes, `Incomplete: ${text}; nothing is scaled up for that`],
    },
  };
}
