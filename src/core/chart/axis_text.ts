import type { Axis } from "./chart.ts";
import { figureText } from "./figure_text.ts";

/** Returns the text next to an axis: its label and its unit. */
export function axisTitle({ label, unit }: Axis): string {
  return unit === "" || unit === label ? label : `${label} (${unit})`;
}

/** Returns the text of a value next to an axis, without trailing zeros: 0.5, 1,000. */
export function tickText(tick: number): string {
  return figureText(tick).replace(/(\.\d*?)0+$/, "$1").replace(/\.$/, "");
}
