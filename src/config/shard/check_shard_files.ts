import { digestFile } from "./file_digest.ts";
import type { ShardManifest } from "./shard_manifest.ts";

/** Names in a manifest that lead out of the folder are no shard's. */
const OUTSIDE = /(^|[/\\])\.\.([/\\]|$)|^[/\\]|^[a-zA-Z]:/;

/**
 * Compares the files of a shard with their digests in `shard.json`.
 * @returns what is wrong with the first that differs, in a sentence; undefined if all are as
 * written
 */
export async function checkShardFiles(
  folder: string,
  { files }: ShardManifest,
): Promise<string | undefined> {
  for (const [name, { bytes, sha256 }] of files) {
    if (OUTSIDE.test(name)) return `shard.json names a file outside of the folder: ${name}`;
    let found;
    try {
      const { size } = await Deno.stat(`${folder}/${name}`);
      if (size !== bytes) {
        return `${name} has ${size} bytes, shard.json says ${bytes}`;
      }
      found = await digestFile(`${folder}/${name}`);
    } catch (error) {
      if (error instanceof Deno.errors.NotFound) return `${name} is missing`;
      return `${name} cannot be read: ${(error as Error).message}`;
    }
    if (found.sha256 !== sha256) return `${name} was changed: its sha256 is not that of shard.json`;
  }
  return undefined;
}
