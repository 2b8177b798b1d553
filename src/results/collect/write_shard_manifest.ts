import { digestFile } from "../../config/shard/file_digest.ts";
import {
  type FileDigest,
  SHARD_FILE,
  type ShardFacts,
  shardManifestText,
} from "../../config/shard/shard_manifest.ts";
import { FolderSink } from "../../report/export/file_sink.ts";

/** Files that come and go while a folder is a run's alone. */
const PASSING = /^\.inferometer-|\.tmp$/;

/**
 * Writes `shard.json`, by which a shard says that it is over and all of it is there. Called when
 * every other file of the folder is written; it appears as a whole, or not at all.
 * @param folder that of the shard
 * @throws {ExportError} if it cannot be written
 */
export async function writeShardManifest(folder: string, facts: ShardFacts): Promise<void> {
  const files = new Map<string, FileDigest>();
  for (const name of await filesBelow(folder)) {
    files.set(name, await digestFile(`${folder}/${name}`));
  }
  await new FolderSink(folder).write(SHARD_FILE, [shardManifestText({ ...facts, files })]);
}

/** The files of a shard by their names, in order. */
async function filesBelow(folder: string, prefix = ""): Promise<string[]> {
  const names: string[] = [];
  for await (const { name, isDirectory, isFile } of Deno.readDir(`${folder}/${prefix}`)) {
    if (isDirectory) names.push(...await filesBelow(folder, `${prefix}${name}/`));
    else if (isFile && name !== SHARD_FILE && !PASSING.test(name)) names.push(prefix + name);
  }
  return names.sort();
}
