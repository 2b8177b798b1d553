const PRIME = 0x01000193;
const BASIS = 0x811c9dc5;

/**
 * FNV-1a of 32 bits: other bytes in one place always give another number, and the built-in ones are
 * slower to load than this is to run.
 * @param before the number of the bytes before these
 */
export function checksumOf(bytes: Uint8Array, before = BASIS): number {
  let hash = before;
  for (let at = 0; at < bytes.length; at++) {
    hash = Math.imul(hash ^ (bytes[at] as number), PRIME);
  }
  return hash >>> 0;
}
