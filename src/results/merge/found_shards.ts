import { type Shard, shardFolderName, shardOfFolder } from "../../config/shard/shard.ts";
import { RunFolderError } from "../collect/run_folder.ts";

/** Folders of another run that are named. */
const MAX_NAMES = 3;

/** The folders of shards in an artifact folder. */
export interface FoundShards {
  /** How many shards the run has. */
  readonly count: number;
  /** Those that have a folder, ascending. */
  readonly indexes: readonly number[];
}

/**
 * Finds the shards of a run by the names of their folders.
 * @param expected how many the user says there are
 * @throws {RunFolderError} if there are none, or those of different runs
 */
export async function findShards(
  directory: string,
  expected: number | undefined,
): Promise<FoundShards> {
  const found: Shard[] = [];
  try {
    for await (const { name, isFile } of Deno.readDir(directory)) {
      const shard = isFile ? undefined : shardOfFolder(name);
      if (shard !== undefined) found.push(shard);
    }
  } catch (error) {
    if (error instanceof Deno.errors.NotFound) {
      throw new RunFolderError(`${directory}: No such folder`);
    }
    throw new RunFolderError(`${directory}: ${(error as Error).message}`);
  }
  const [first] = found;
  if (first === undefined) {
    const own = shardOfFolder(directory.split(/[/\\]/).filter((name) => name !== "").at(-1) ?? "");
    if (own !== undefined) {
      throw new RunFolderError(
        `${directory} is one shard: name the folder that contains all shards of the run`,
      );
    }
    throw new RunFolderError(
      `${directory} holds no shards: --shard makes folders like ` +
        `${shardFolderName({ index: 0, count: expected ?? 8 })} there`,
    );
  }
  const count = expected ?? first.count;
  const foreign = found.filter((shard) => shard.count !== count).map(shardFolderName).sort();
  if (foreign.length > 0) {
    const whose = expected === undefined
      ? `${shardFolderName(first)} is next to it: shards of one run have the same count`
      : `--expect-shards is ${expected}`;
    const shown = foreign.slice(0, expected === undefined ? 1 : MAX_NAMES);
    const more = expected === undefined ? 0 : foreign.length - shown.length;
    const names = shown.join(", ") + (more > 0 ? ` and ${more} more shards` : "");
    throw new RunFolderError(`${directory} holds ${names}, but ${whose}`);
  }
  return { count, indexes: found.map(({ index }) => index).sort((a, b) => a - b) };
}
