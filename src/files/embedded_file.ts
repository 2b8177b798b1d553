/**
 * Reads a file that lies beside the sources, and inside an executable. There it is compressed,
 * which saves more than two megabytes for 20 ms.
 */
export async function readEmbeddedFile(url: URL): Promise<Uint8Array<ArrayBuffer>> {
  const bytes = await Deno.readFile(url);
  if (!url.pathname.endsWith(".br")) return bytes;
  const stream = brotliStream();
  if (stream !== undefined) {
    return new Uint8Array(
      await new Response(new Blob([bytes]).stream().pipeThrough(stream)).arrayBuffer(),
    );
  }
  // As old as 2.6, the runtime offers it only here, which takes another 20 ms.
  const { brotliDecompressSync } = await import("node:zlib");
  return new Uint8Array(brotliDecompressSync(bytes));
}

function brotliStream(): DecompressionStream | undefined {
  try {
    return new DecompressionStream("brotli" as CompressionFormat);
  } catch {
    return undefined;
  }
}
