import { isClaimed } from "../export/folder_claim.ts";
import { RUN_FILES } from "../results/run_files.ts";
import { readManifest, type RunManifest } from "../results/run_manifest.ts";
import { checkShardFiles } from "../shard/check_shard_files.ts";
import { type Shard, shardFolderName } from "../shard/shard_folder.ts";
import { parseShardManifest, SHARD_FILE, type ShardManifest } from "../shard/shard_manifest.ts";

/**
 * A shard as it was found: whole; cut, if its process was killed before it could write all, or its
 * disk was full; broken, if what is there is not what it wrote; or busy, while its process still
 * writes.
 */
export type CheckedShard =
  & { readonly index: number; readonly folder: string }
  & (
    | { readonly state: "whole"; readonly run: RunManifest; readonly shard: ShardManifest }
    | {
      readonly state: "cut";
      readonly run: RunManifest;
      /** undefined where its process was killed. */
      readonly shard?: ShardManifest;
      /** In a few words. */
      readonly problem: string;
    }
    | { readonly state: "broken" | "busy"; readonly problem: string }
  );

/** Looks at the folder of a shard: whether all of it is there, as its process wrote it. */
export async function checkShard(directory: string, shard: Shard): Promise<CheckedShard> {
  const { index } = shard;
  const folder = shardFolderName(shard);
  const path = `${directory}/${folder}`;
  const broken = (problem: string) => ({ index, folder, state: "broken" as const, problem });
  if (await isClaimed(path)) {
    return { index, folder, state: "busy", problem: "its process is still at work" };
  }
  let manifest: ShardManifest | undefined;
  try {
    manifest = parseShardManifest(await Deno.readTextFile(`${path}/${SHARD_FILE}`));
  } catch (error) {
    if (error instanceof SyntaxError) return broken(`${SHARD_FILE}: ${error.message}`);
    if (!(error instanceof Deno.errors.NotFound)) return broken((error as Error).message);
  }
  let run: RunManifest;
  try {
    run = readManifest(await Deno.readTextFile(`${path}/${RUN_FILES.manifest}`));
    await Deno.stat(`${path}/${RUN_FILES.records}`);
  } catch (error) {
    return broken(
      error instanceof Deno.errors.NotFound
        ? "it has no records"
        : `${RUN_FILES.manifest}: ${(error as Error).message}`,
    );
  }
  if (manifest === undefined) {
    return {
      ...{ index, folder, run, state: "cut" as const },
      problem: `it has no ${SHARD_FILE}: its process was killed before its end`,
    };
  }
  if (manifest.shard.index !== index || manifest.shard.count !== shard.count) {
    return broken(
      `its ${SHARD_FILE} is that of shard ${manifest.shard.index} of ${manifest.shard.count}`,
    );
  }
  if (manifest.planHash !== run.planHash) {
    return broken(`${SHARD_FILE} and ${RUN_FILES.manifest} are of different plans`);
  }
  const problem = await checkShardFiles(path, manifest);
  if (problem !== undefined) return broken(problem);
  // The summary is the last that a process writes beside its records.
  return run.summary === undefined
    ? {
      ...{ index, folder, run, state: "cut" as const, shard: manifest },
      problem: "it could not write all of its records",
    }
    : { index, folder, state: "whole", run, shard: manifest };
}
