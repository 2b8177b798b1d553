import type { Axis } from "./chart.ts";
import { figureText } from "./figure_text.ts";

/** Text beside an axis: its label and its unit. */
export function axisTitle({ label, unit }: Axis): string {
  return unit === "" || unit === label ? label : `${label} (${unit})`;
}

/** A value beside an axis, without zeros that say nothing: 0.5, 1,000. */
export function tickText(tick: number): string {
  return figureText(tick).replace(/(\.\d*?)0+$/, "$1").replace(/\.$/, "");
}
