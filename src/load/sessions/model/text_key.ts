import { mixedBits } from "../../../core/statistics/mixed_bits.ts";

/** Bits of the upper part of a key: 21. */
const UPPER = 2 ** 21 - 1;

/**
 * Returns the key of a text as a number of 53 bits. It depends on the name only: a session has the
 * same texts whichever sessions were read before it.
 */
export function textKey(name: string): number {
  let [low, high] = [0x811c9dc5, 0x1b873593];
  for (let at = 0; at < name.length; at++) {
    const unit = name.charCodeAt(at);
    low = Math.imul(low ^ unit, 0x01000193);
    high = Math.imul(high ^ unit, 0x85ebca6b);
    high ^= high >>> 15;
  }
  low = mixedBits(low ^ high);
  high = mixedBits(high + low);
  return (high & UPPER) * 2 ** 32 + (low >>> 0);
}
