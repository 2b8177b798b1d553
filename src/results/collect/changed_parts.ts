import { checkShardFiles } from "../../config/shard/check_shard_files.ts";
import { parseShardManifest, SHARD_FILE } from "../../config/shard/shard_manifest.ts";
import type { RunFolder } from "./run_folder.ts";

/** The files of a shard that a merged run is read from. */
const RUN_FILE = /^run\//;

/**
 * Returns which shards of a merged run do not hold what they held when they were merged, a phrase
 * each; nothing for a run of one process. A changed file may well be readable, and mean something
 * else.
 */
export async function changedParts({ directory, manifest }: RunFolder): Promise<string[]> {
  const problems: string[] = [];
  for (const { folder } of manifest.parts ?? []) {
    const problem = await problemOf(`${directory}/${folder}`);
    if (problem !== undefined) problems.push(`${folder}: ${problem}`);
  }
  return problems;
}

/** undefined also for a killed shard, which has no list of its records. */
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
