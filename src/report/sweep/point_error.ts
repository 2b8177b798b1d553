import type { PointResults } from "./point_results.ts";
import type { FigureError } from "./run_figures.ts";

/** The client's own error of a statistic, `<metric>_<statistic>`; undefined if it is not known. */
export function errorOf({ error }: PointResults, key: string): FigureError | undefined {
  const cut = key.lastIndexOf("_");
  return error?.metrics[key.slice(0, cut)]?.[key.slice(cut + 1)];
}

/** Returns the measurement error as an entry of a JSON object; empty if it is not known. */
export function figureError(point: PointResults, key: string): Record<string, unknown> {
  const error = errorOf(point, key);
  return error === undefined ? {} : { "measurement_error": error };
}
