/** A name for a run that no other run has. */
export function newBenchmarkId(): string {
  return [...crypto.getRandomValues(new Uint8Array(6))]
    .map((byte) => byte.toString(16).padStart(2, "0")).join("");
}
