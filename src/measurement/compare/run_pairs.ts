import type { RunSample } from "./run_sample.ts";

/** Runs of both sides in the order of their starts, one of each; none if a side has more runs. */
export function runPairs(
  before: readonly RunSample[],
  after: readonly RunSample[],
): (readonly [RunSample, RunSample])[] {
  if (before.length !== after.length) return [];
  const [a, b] = [before, after].map((runs) =>
    runs.toSorted((one, other) => one.startEpochNs < other.startEpochNs ? -1 : 1)
  ) as [RunSample[], RunSample[]];
  return a.map((run, at) => [run, b[at] as RunSample] as const);
}
