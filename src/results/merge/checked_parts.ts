import { INCOMPLETE_TAG } from "../../report/model/incomplete_tag.ts";
import { changedParts } from "../collect/changed_parts.ts";
import type { RunFolder } from "../collect/run_folder.ts";
import { incompleteManifest } from "./incomplete_manifest.ts";

/** A run, and what became of the shards that it is read from. */
export interface CheckedParts {
  /** The run, which says in every output that it is incomplete where something is wrong. */
  readonly run: RunFolder;
  /** The shards whose records are not those that were merged; undefined if all are. */
  readonly problem: string | undefined;
}

/** Looks whether the shards of a merged run still hold what they held then. */
export async function checkParts(run: RunFolder): Promise<CheckedParts> {
  const { manifest } = run;
  const problems = await changedParts(run);
  if (problems.length === 0) return { run, problem: undefined };
  const problem = problems.join("; ");
  const known = manifest.facts.plan.tags?.filter(([name]) => name === INCOMPLETE_TAG) ?? [];
  const text = [...known.map(([, text]) => text), problem].join("; ");
  return { run: { ...run, manifest: incompleteManifest(manifest, text, true) }, problem };
}
