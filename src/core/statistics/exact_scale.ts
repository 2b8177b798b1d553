/** Bits of the integers that doubles hold exactly. */
const EXACT_BITS = 53;
/** Larger powers of two times a value could be infinite. */
const MAX_EXPONENT = 900;

/**
 * Power of two by which values are multiplied before they are rounded and added up, so that the sum is
 * the same to the last bit in whatever order they come.
 * @param largest largest absolute value
 * @param count number of values at most
 */
export function exactScale(largest: number, count: number): number {
  if (!(largest > 0) || !Number.isFinite(largest)) return 1;
  const bits = Math.ceil(Math.log2(largest)) + Math.ceil(Math.log2(count + 1)) + 1;
  return 2 ** Math.min(MAX_EXPONENT, EXACT_BITS - bits);
}
