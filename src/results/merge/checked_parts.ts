import { checkShardFiles } from "../../config/shard/check_shard_files.ts";
import { parseShardManifest, SHARD_FILE } from "../../config/shard/shard_manifest.ts";
import { INCOMPLETE_TAG } from "../../report/model/incomplete_tag.ts";
import type { RunFolder } from "../collect/run_folder.ts";
import { incompleteManifest } from "./incomplete_manifest.ts";

/** What a merged run is read from; names of files that only people read begin otherwise. */
const RUN_FILE = /^run\//;

/** A run, and what became of the shards that it is read from. */
export interface CheckedParts {
  /** The run, which says in every output that it is incomplete where something is wrong. */
  readonly run: RunFolder;
  /** The shards whose records are not those that were merged; undefined if all are. */
  readonly problem: string | undefined;
}

/**
 * Looks whether the shards of a merged run still hold what they held then: what was changed since may
 * well be readable, and mean something else.
 */
export async function checkParts(run: RunFolder): Promise<CheckedParts> {
  const { directory, manifest } = run;
  const problems: string[] = [];
  for (const { folder } of manifest.parts ?? []) {
    const problem = await problemOf(`${directory}/${folder}`);
    if (problem !== undefined) problems.push(`${folder}: ${problem}`);
  }
  if (problems.length === 0) return { run, problem: undefined };
  const problem = problems.join("; ");
  const known = manifest.facts.plan.tags?.filter(([name]) => name === INCOMPLETE_TAG) ?? [];
  const text = [...known.map(([, text]) => text), problem].join("; ");
  return { run: { ...run, manifest: incompleteManifest(manifest, text, true) }, problem };
}

/** undefined also of a shard that was killed: nobody wrote down what its records are. */
async function problemOf(path: string): Promise<string | undefined> {
  try {
    const shard = parseShardManifest(await Deno.readTextFile(`${path}/${SHARD_FILE}`));
    const files = new Map([...shard.files].filter(([name]) => RUN_FILE.test(name)));
    return await checkShardFiles(path, { ...shard, files });
  } catch (error) {
    if (error instanceof Deno.errors.NotFound) return undefined;
    return `${SHARD_FILE}: ${(error as Error).message}`;
  }
}
