import { checkShardFiles } from "../../config/shard/check_shard_files.ts";
import { type Shard, shardFolderName } from "../../config/shard/shard.ts";
import {
  parseShardManifest,
  SHARD_FILE,
  type ShardManifest,
} from "../../config/shard/shard_manifest.ts";
import { isClaimed } from "../../report/export/folder_claim.ts";
import { Extent } from "../collect/extent.ts";
import { killedSummary } from "../collect/report_run.ts";
import { RUN_FILES } from "../collect/run_files.ts";
import { openRunFolder, RunFolderError } from "../collect/run_folder.ts";
import { readManifest, type RunManifest, type RunSummary } from "../collect/run_manifest.ts";

/** What the records of a shard say of it. */
export interface RecordedPart {
  readonly summary: RunSummary;
  /** Sessions that were begun. */
  readonly sessions: number;
}

/**
 * A shard as it was found: whole; cut, if its process was killed before it could write all, or its
 * disk was full; broken, if what is there is not what it wrote; or busy, while its process still
 * writes.
 */
export type CheckedShard =
  & { readonly index: number; readonly folder: string }
  & (
    | {
      readonly state: "whole";
      readonly run: RunManifest & { readonly summary: RunSummary };
      readonly shard: ShardManifest;
    }
    | {
      readonly state: "cut";
      readonly run: RunManifest;
      /** undefined where its process was killed. */
      readonly shard?: ShardManifest;
      readonly recorded: RecordedPart;
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
    return await cutShard(`it has no ${SHARD_FILE}: its process was killed before its end`);
  }
  const problem = contradiction(manifest, shard, run) ?? await checkShardFiles(path, manifest);
  if (problem !== undefined) return broken(problem);
  // The summary is the last that a process writes beside its records.
  const { summary } = run;
  return summary === undefined
    ? await cutShard("it could not write all of its records", manifest)
    : { index, folder, state: "whole", run: { ...run, summary }, shard: manifest };

  /** Of what nobody wrote to its end, only the records themselves say how much there is. */
  async function cutShard(problem: string, shard?: ShardManifest): Promise<CheckedShard> {
    try {
      const recorded = await recordedPart(path);
      const known = shard === undefined ? {} : { shard };
      return { index, folder, state: "cut", run, recorded, problem, ...known };
    } catch (error) {
      if (!(error instanceof RunFolderError || error instanceof RangeError)) throw error;
      return broken(`its records cannot be read: ${error.message.replace(`${path}/`, "")}`);
    }
  }
}

/** What `shard.json` says that its folder or `run.json` say otherwise; undefined for nothing. */
function contradiction(
  { shard, planHash, version, seed, counts }: ShardManifest,
  { index, count }: Shard,
  run: RunManifest,
): string | undefined {
  if (shard.index !== index || shard.count !== count) {
    return `its ${SHARD_FILE} is that of shard ${shard.index} of ${shard.count}`;
  }
  if (planHash !== run.planHash) {
    return `${SHARD_FILE} and ${RUN_FILES.manifest} are of different plans`;
  }
  const { summary, facts: { plan } } = run;
  const facts = [
    ["version", version, run.product],
    ["seed", seed, plan.seed],
    ["number of requests", counts.requests, summary?.sent ?? counts.requests],
  ] as const;
  const [what, said, is] = facts.find(([, said, is]) => said !== is) ?? [];
  return what === undefined
    ? undefined
    : `the ${what} in ${SHARD_FILE} is ${said}, that in ${RUN_FILES.manifest} ${is}`;
}

/** @throws {RunFolderError | RangeError} if the records cannot be read */
async function recordedPart(path: string): Promise<RecordedPart> {
  const folder = await openRunFolder(path);
  const extent = new Extent();
  for (const stretch of folder.rows()) extent.add(stretch);
  const { summary } = folder.manifest;
  return {
    // All may be there but the last file.
    summary: summary !== undefined && extent.count >= summary.sent
      ? summary
      : { ...killedSummary(folder.manifest, extent), notes: [] },
    sessions: extent.sessions,
  };
}
