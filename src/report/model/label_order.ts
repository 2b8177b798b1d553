import type { SeriesIdentity } from "../../telemetry/timeseries/series.ts";

/** Labels as one text, by which series are ordered: AIPerf orders them by Python's notation. */
export function labelText({ labels }: Pick<SeriesIdentity, "labels">): string {
  if (labels.length === 0) return "";
  return `{${labels.map(([name, value]) => `'${name}': '${value}'`).join(", ")}}`;
}

/** Order by code units, the same everywhere. */
export function compare(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}
