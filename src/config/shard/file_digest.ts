import { createHash } from "node:crypto";
import type { FileDigest } from "./shard_manifest.ts";

const READ_BYTES = 1 << 20;

/**
 * Reads a file piece by piece for its length and its hash.
 * @throws {Deno.errors.NotFound} if there is none, or what else keeps it from being read
 */
export async function digestFile(path: string): Promise<FileDigest> {
  using file = await Deno.open(path);
  const hash = createHash("sha256");
  const buffer = new Uint8Array(READ_BYTES);
  let bytes = 0;
  for (let read = await file.read(buffer); read !== null; read = await file.read(buffer)) {
    hash.update(buffer.subarray(0, read));
    bytes += read;
  }
  return { bytes, sha256: hash.digest("hex") };
}
