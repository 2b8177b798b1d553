// deno-lint-ignore-file no-console
/**
 * How near the histogram estimators come to the percentiles of the observations themselves.
 *
 * Streams of known distributions are scraped into vLLM's bucket layouts as a run of 100 s would
 * scrape them. Constants of an estimator may be chosen on the design set only; the hold-out set has
 * other shapes, rates and seeds, and the sets of batches have observations that come together with
 * one value, as those of a server's decoding steps do. Every case weighs the same: this is a
 * choice, not a mix of real traffic.
 *
 *     deno run --allow-read scripts/bench/cases/estimator_accuracy.ts
 */

import type { HistogramEstimator } from "../../../src/statistics/histogram/histogram_estimator.ts";
import { HISTOGRAM_ESTIMATORS } from "../../../src/statistics/histogram/histogram_estimators.ts";
import type { HistogramWindow } from "../../../src/statistics/histogram/histogram_window.ts";
import { percentile } from "../../../src/statistics/percentile.ts";
import { randomStream } from "../../../src/statistics/random_stream.ts";
import {
  DESIGN_SHAPES,
  HOLD_OUT_SHAPES,
  type LatencyShape,
  type LayoutName,
  LAYOUTS,
  scrapeStream,
} from "../latency_streams.ts";

const PERCENTILES = [50, 90, 95, 99];
/** At three per second, as long as a short run. */
const SCRAPES = 300;
const LAYOUT_NAMES = Object.keys(LAYOUTS) as LayoutName[];
/** What a value of one is in seconds; a fifth of the shapes for `short` lies beyond its last bound. */
const SCALES: Readonly<Record<LayoutName, number>> = { ttft: 0.3, itl: 0.04, e2e: 8, short: 4 };
/** Shapes move by up to this factor from seed to seed, so that no bound is at a lucky place. */
const MAX_JITTER = 2;
/** Shapes with a part beyond the last bound, where only some make sense. */
const SHORT_SHAPES = [
  ...["log-normal", "bimodal", "exponential", "uniform", "heavy tail"],
  ...["gamma", "Weibull", "trimodal"],
];

/** Cases that are judged together. */
interface CaseSet {
  readonly name: string;
  readonly shapes: Readonly<Record<string, LatencyShape>>;
  /** Mean observations between two scrapes. */
  readonly rates: readonly number[];
  readonly batch: number;
  readonly seeds: readonly number[];
}

const SETS: readonly CaseSet[] = [
  { name: "design", shapes: DESIGN_SHAPES, rates: [0.6, 6, 120], batch: 1, seeds: [1, 2, 3] },
  { name: "hold-out", shapes: HOLD_OUT_SHAPES, rates: [2, 30], batch: 1, seeds: [201, 202, 203] },
  {
    name: "design in batches of 32",
    shapes: DESIGN_SHAPES,
    rates: [6, 120],
    batch: 32,
    seeds: [1, 2],
  },
  {
    name: "hold-out in batches of 12",
    shapes: HOLD_OUT_SHAPES,
    rates: [24, 200],
    batch: 12,
    seeds: [201, 202],
  },
];

/** Relative errors at {@linkcode PERCENTILES} in percent, by estimator. */
interface CaseErrors {
  readonly shape: string;
  readonly layout: LayoutName;
  readonly rate: number;
  readonly errors: ReadonlyMap<string, readonly number[]>;
}

/** Prints the errors of all estimators: mean, median, and by layout, rate and shape. */
export function benchEstimatorAccuracy(): Promise<void> {
  for (const set of SETS) printSet(set, measureSet(set));
  return Promise.resolve();
}

/** The errors of each case, averaged over the seeds. */
function measureSet(set: CaseSet): CaseErrors[] {
  const results: CaseErrors[] = [];
  for (const layout of LAYOUT_NAMES) {
    for (const [shape, draw] of Object.entries(set.shapes)) {
      if (layout === "short" && !SHORT_SHAPES.includes(shape)) continue;
      for (const rate of set.rates) {
        const runs = set.seeds.map((seed) => measure(set, { layout, shape, draw, rate, seed }));
        const errors = new Map(
          [...HISTOGRAM_ESTIMATORS.keys()].map((name) => [
            name,
            columnMeans(runs.map((run) => run.get(name) as readonly number[])),
          ]),
        );
        results.push({ shape, layout, rate, errors });
      }
    }
  }
  return results;
}

interface Case {
  readonly layout: LayoutName;
  readonly shape: string;
  readonly draw: LatencyShape;
  readonly rate: number;
  readonly seed: number;
}

function measure(set: CaseSet, { layout, shape, draw, rate, seed }: Case): Map<string, number[]> {
  const name = `${layout}/${shape}/${rate}/${set.batch}`;
  const jitter = MAX_JITTER ** (2 * randomStream(seed, `scale of ${shape}/${layout}`)() - 1);
  const { bounds, cumulative, sums, counts, observations } = scrapeStream({
    shape: draw,
    layout,
    // What lies beyond the last bound is meant to be some share, not none and not all.
    scale: SCALES[layout] * (layout === "short" ? 1 : jitter),
    rate,
    batch: set.batch,
    scrapes: SCRAPES,
    seed,
    name,
  });
  const window: HistogramWindow = {
    bounds: bounds.map((bound) => bound === Infinity ? "+Inf" : String(bound)),
    upperBounds: Float64Array.from(bounds),
    length: sums.length,
    cumulative,
    sums,
    counts,
  };
  const errorsOf = (estimator: HistogramEstimator) => {
    const estimate = estimator.estimate(window, PERCENTILES);
    return PERCENTILES.map((p, i) =>
      100 * Math.abs((estimate?.[i] ?? NaN) / percentile(observations, p) - 1)
    );
  };
  return new Map(
    [...HISTOGRAM_ESTIMATORS].map(([name, estimator]) => [name, errorsOf(estimator)]),
  );
}

function printSet(set: CaseSet, cases: readonly CaseErrors[]): void {
  const names = [...HISTOGRAM_ESTIMATORS.keys()];
  console.log(
    `\n${set.name}: ${cases.length} cases of ${SCRAPES} scrapes, ${set.seeds.length} seeds; ` +
      `relative error in % at ${PERCENTILES.map((p) => `p${p}`).join(", ")}`,
  );
  console.log("".padEnd(24) + names.map((name) => name.padStart(28)).join(""));
  const line = (
    label: string,
    some: readonly CaseErrors[],
    combine: (rows: readonly (readonly number[])[]) => number[],
  ) => {
    const figures = names.map((name) => {
      const rows = some.map(({ errors }) => errors.get(name) as readonly number[]);
      return combine(rows).map((error) => error.toFixed(2).padStart(7)).join("");
    });
    console.log(label.padEnd(24) + figures.join(""));
  };
  line("mean", cases, columnMeans);
  line("median case", cases, columnMedians);
  for (const group of ["layout", "rate", "shape"] as const) {
    for (const value of new Set(cases.map((item) => item[group]))) {
      line(`${group} ${value}`, cases.filter((item) => item[group] === value), columnMeans);
    }
  }
}

function columnMeans(rows: readonly (readonly number[])[]): number[] {
  return PERCENTILES.map((_, i) =>
    rows.reduce((sum, row) => sum + (row[i] as number), 0) / rows.length
  );
}

function columnMedians(rows: readonly (readonly number[])[]): number[] {
  return PERCENTILES.map((_, i) =>
    percentile(Float64Array.from(rows, (row) => row[i] as number).sort(), 50)
  );
}

if (import.meta.main) await benchEstimatorAccuracy();
