import type { SampleWindow } from "./sample_window.ts";
import { upperBound } from "./search_sorted.ts";

/** The value of the last sample at or before a time; of the first sample for times before it. */
export function valueAt({ timesNs, values, reference }: SampleWindow, timeNs: number): number {
  const next = upperBound(timesNs, timeNs);
  if (next > 0) return values[next - 1] as number;
  return reference?.value ?? values[0] as number;
}
