/** Values of a chart at a place of its x axis, as tooltip and as a sentence. */

import type { Chart, ChartSeries, ChartValue } from "../../../core/chart/chart.ts";
import { figureText, quantityText } from "../../../core/chart/figure_text.ts";
import type { PlotReading } from "../../../core/chart/point_plot.ts";

/** Part of the axis within which a mark belongs to a place. */
const REACH = 0.02;

/**
 * The values of all series at a place.
 * @param span length of the part of the axis that is shown
 */
export function readingAt({ series, x, y }: Chart, place: number, span: number): PlotReading {
  return {
    place: quantityText(place, x.unit),
    rows: series.flatMap((one): [string, string][] => {
      const index = indexAt(one, place, span);
      const text = index === undefined ? undefined : valueText(one, index, y.unit);
      return text === undefined ? [] : [[one.label, text]];
    }),
  };
}

/** A reading in one sentence, for screen readers. */
export function sentenceOf({ place, rows }: PlotReading): string {
  const values = rows.map(([label, value]) => `${label} ${value}`);
  return `${place}: ${values.join(", ") || "no value"}`;
}

/** The point of a series that holds at a place; undefined if none is near. */
function indexAt({ shape, x, y }: ChartSeries, place: number, span: number): number | undefined {
  const after = firstAfter(x, place);
  const before = after - 1;
  if (shape === "steps" || shape === "stack" || shape === "bars") {
    return before < 0 ? undefined : before;
  }
  if (shape !== "points") {
    if (before < 0 || after >= x.length) return before < 0 ? after : before;
    return place - (x[before] as number) <= (x[after] as number) - place ? before : after;
  }
  let nearest: number | undefined;
  let least = span * REACH;
  for (let index = 0; index < x.length; index++) {
    const distance = Math.abs((x[index] as number) - place);
    if (distance > least || (y[index] ?? null) === null) continue;
    [nearest, least] = [index, distance];
  }
  return nearest;
}

/** Index of the first value of an ascending row that is larger. */
function firstAfter(row: readonly number[], value: number): number {
  let [low, high] = [0, row.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((row[middle] as number) <= value) low = middle + 1;
    else high = middle;
  }
  return low;
}

function valueText(
  { shape, upper = [], y }: ChartSeries,
  index: number,
  unit: string,
): string | undefined {
  const [low, high] = [y[index] ?? null, upper[index] ?? null] as [ChartValue, ChartValue];
  if (low === null) return undefined;
  if (shape === "band") {
    return high === null ? undefined : `${figureText(low)} to ${quantityText(high, unit)}`;
  }
  if (shape === "stack") return high === null ? undefined : quantityText(high - low, unit);
  return quantityText(low, unit);
}
