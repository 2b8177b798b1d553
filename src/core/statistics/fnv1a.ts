const PRIME = 0x01000193;
const BASIS = 0x811c9dc5;

/**
 * FNV-1a of 32 bits: other bytes in one place always give another number. The hashes of the runtime
 * take longer to load than this takes for a run.
 * @param before the number of the bytes before these
 */
export function fnv1a(bytes: Uint8Array, before = BASIS): number {
  let hash = before;
  for (let at = 0; at < bytes.length; at++) {
    hash = Math.imul(hash ^ (bytes[at] as number), PRIME);
  }
  return hash >>> 0;
}
