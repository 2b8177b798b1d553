/**
 * Returns 32 bits of which each depends on all given bits: the finalizer of MurmurHash3. Near numbers
 * end far apart, and different numbers stay different.
 */
export function mixedBits(bits: number): number {
  let state = Math.imul(bits ^ (bits >>> 16), 0x85ebca6b);
  state = Math.imul(state ^ (state >>> 13), 0xc2b2ae35);
  return state ^ (state >>> 16);
}
