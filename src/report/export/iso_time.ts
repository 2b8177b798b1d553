/** A time in nanoseconds since 1970 as ISO 8601 in UTC, to the microsecond. */
export function isoTime(epochNs: bigint): string {
  const date = new Date(Number(epochNs / 1_000_000n)).toISOString().slice(0, 19);
  const micros = (epochNs / 1000n) % 1_000_000n;
  return `${date}.${String(micros).padStart(6, "0")}Z`;
}
