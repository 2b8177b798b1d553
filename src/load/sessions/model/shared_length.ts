/** Returns the number of items at the beginning of two lists that are equal, such as blocks. */
export function sharedLength(a: readonly unknown[], b: readonly unknown[]): number {
  const end = Math.min(a.length, b.length);
  for (let place = 0; place < end; place++) if (a[place] !== b[place]) return place;
  return end;
}
