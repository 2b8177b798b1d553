/**
 * Whether a whole number in JSON is another one on this machine, such as a seed of 64 bits.
 * @param value what was read
 * @param source as it was written
 */
export function losesDigits(value: number, source: string): boolean {
  return !Number.isSafeInteger(value) && /^-?\d+$/.test(source);
}
