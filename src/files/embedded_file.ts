/**
 * Reads a file that lies beside the sources, and inside an executable. There it is compressed,
 * which saves more than two megabytes for 20 ms.
 */
export async function readEmbeddedFile(url: URL): Promise<Uint8Array<ArrayBuffer>> {
  const bytes = await Deno.readFile(url);
  if (!url.pathname.endsWith(".br")) return bytes;
  const { brotliDecompressSync } = await import("node:zlib");
  return new Uint8Array(brotliDecompressSync(bytes));
}
