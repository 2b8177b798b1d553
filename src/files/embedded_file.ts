import { gunzipSync } from "node:zlib";

/**
 * Reads a file that lies beside the sources, and inside an executable. There it is compressed,
 * which saves more than a megabyte for 15 ms.
 */
export async function readEmbeddedFile(url: URL): Promise<Uint8Array<ArrayBuffer>> {
  const bytes = await Deno.readFile(url);
  if (bytes[0] !== 0x1f || bytes[1] !== 0x8b) return bytes;
  return new Uint8Array(gunzipSync(bytes));
}
