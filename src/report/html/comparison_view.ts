/** Runs that are compared, as their page needs them. */

import type { ColorName } from "../../core/chart/chart.ts";
import type { Comparison } from "../../measurement/compare/comparison.ts";
import type { RunSample } from "../../measurement/compare/run_sample.ts";
import type { ServerTimelineSeries } from "../model/server_timeline.ts";

/** One run of a side. */
export interface ComparedRun {
  /** Where it lies. */
  readonly directory: string;
  readonly sample: RunSample;
  /** Metrics of the run by their tags. */
  readonly client: ReadonlyMap<
    string,
    { readonly unit: string; readonly stats: Readonly<Record<string, number>> }
  >;
  /** The servers' metrics over time; nanoseconds since the first request began. */
  readonly timeline: readonly ServerTimelineSeries[];
  readonly product: string | undefined;
  readonly machine: string | undefined;
}

/** One or several runs of the same thing. */
export interface ComparedSide {
  readonly label: string;
  readonly runs: readonly ComparedRun[];
}

/** A setting in which sides differ from the first one. */
export interface DifferingSetting {
  readonly name: string;
  /** Values of the setting on the sides, in the order of the sides. */
  readonly values: readonly string[];
}

/** See the module's comment. */
export interface ComparisonView {
  /** The first one is what the others are compared with. */
  readonly sides: readonly ComparedSide[];
  /** Comparisons of each other side with the first. */
  readonly comparisons: readonly Comparison[];
  readonly settings: readonly DifferingSetting[];
  /** Fraction below which a difference is ignored. */
  readonly minDifference: number;
}

/** Colours of sides, one after another. */
const COLORS: readonly ColorName[] = ["blue", "vermilion", "green", "purple", "orange", "grey"];

/** Returns the color of a side in every chart. */
export function sideColor(index: number): ColorName {
  return COLORS[index % COLORS.length] as ColorName;
}

/** The values of a metric of all requests of a side, ascending. */
export function sideValues({ runs }: ComparedSide, tag: string): Float64Array {
  const columns = runs.map(({ sample }) =>
    (sample.columns.get(tag) ?? new Float64Array(0)).filter((value) => !Number.isNaN(value))
  );
  const all = new Float64Array(columns.reduce((count, { length }) => count + length, 0));
  let at = 0;
  for (const column of columns) {
    all.set(column, at);
    at += column.length;
  }
  return all.sort();
}
