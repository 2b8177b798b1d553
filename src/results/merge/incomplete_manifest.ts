import { INCOMPLETE_TAG } from "../../report/model/incomplete_tag.ts";
import type { RunManifest } from "../collect/run_manifest.ts";

/** The manifest of a run of which something is missing, which then stands in every output. */
export function incompleteManifest(manifest: RunManifest, text: string): RunManifest {
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
      notes: [...summary.notes, `Incomplete: ${text}; nothing is scaled up for that`],
    },
  };
}
