/** Milliseconds in the units of servers' times. */
export const MS_PER: ReadonlyMap<string | null, number> = new Map([
  ["seconds", 1e3],
  ["milliseconds", 1],
  ["microseconds", 1e-3],
]);
