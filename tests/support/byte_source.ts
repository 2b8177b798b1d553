import type { ByteSource } from "../../src/core/block_file/block_file.ts";

/** Bytes as a source that gives a few of them at a time. */
export function byteSource(bytes: Uint8Array, most = 1000): ByteSource {
  let offset = 0;
  return {
    readSync(buffer) {
      if (offset === bytes.length) return null;
      const piece = bytes.subarray(offset, offset + Math.min(most, buffer.length));
      buffer.set(piece);
      offset += piece.length;
      return piece.length;
    },
  };
}
