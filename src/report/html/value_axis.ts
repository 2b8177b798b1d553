import type { Axis } from "../../core/chart/chart.ts";

/** A linear axis of values from zero. */
export function valueAxis(label: string, unit: string): Axis {
  return { label, unit, scale: "linear", min: 0 };
}
