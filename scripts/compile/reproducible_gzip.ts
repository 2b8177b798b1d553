import { gzipSync } from "node:zlib";

/** Offset of the byte in which gzip names the operating system, and its value for "unknown". */
const SYSTEM_OFFSET = 9;
const UNKNOWN_SYSTEM = 255;

/** Compresses as well as gzip can, to the same bytes on every system. */
export function reproducibleGzip(bytes: Uint8Array): Uint8Array {
  const packed = gzipSync(bytes, { level: 9 });
  packed[SYSTEM_OFFSET] = UNKNOWN_SYSTEM;
  return packed;
}
