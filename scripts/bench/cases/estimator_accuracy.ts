// deno-lint-ignore-file no-console
/**
 * How near the histogram estimators come to the percentiles of the observations themselves.
 *
 * Observations of known shapes are scraped into the bucket layouts of vLLM, SGLang and Dynamo, from
 * one per ten scrapes to hundreds per scrape, every 0.1 to 5 s. Constants of an estimator may be
 * chosen on the tuning shapes only; those held out have other parameters, other processes and other
 * seeds. Every case weighs the same: this is a choice, not a mix of real traffic.
 *
 *     deno run --allow-read scripts/bench/cases/estimator_accuracy.ts
 */

import { HISTOGRAM_ESTIMATORS } from "../../../src/core/statistics/histogram/histogram_estimators.ts";
import { percentileBounds } from "../../../src/core/statistics/histogram/percentile_bounds.ts";
import { percentile } from "../../../src/core/statistics/percentile.ts";
import { HELD_OUT_SHAPES } from "../observations/held_out_shapes.ts";
import { type ScrapedCase, scrapedCases } from "../observations/scraped_cases.ts";
import type { ShapeGroups } from "../observations/shapes.ts";
import { TUNING_SHAPES } from "../observations/tuning_shapes.ts";

const PERCENTILES = [50, 90, 95, 99];
/** No case counts for more than being off by this factor. */
const MAX_ERROR = 200;

/** Cases that are judged together. */
interface CaseSet {
  readonly name: string;
  readonly shapes: ShapeGroups;
  readonly seeds: readonly number[];
}

const SETS: readonly CaseSet[] = [
  { name: "tuning", shapes: TUNING_SHAPES, seeds: [1, 2] },
  { name: "held out", shapes: HELD_OUT_SHAPES, seeds: [101, 102] },
];

/** Relative errors at {@linkcode PERCENTILES} in percent, by estimator. */
type CaseErrors = Omit<ScrapedCase, "window" | "observations"> & {
  readonly errors: ReadonlyMap<string, readonly number[]>;
};

/** Prints the errors of all estimators: mean, median, and by group, layout and shape. */
export function benchEstimatorAccuracy(): Promise<void> {
  for (const { name, shapes, seeds } of SETS) {
    printSet(name, [...scrapedCases(shapes, seeds)].map(measure));
  }
  return Promise.resolve();
}

function measure({ window, observations, ...scraped }: ScrapedCase): CaseErrors {
  const exact = PERCENTILES.map((p) => percentile(observations, p));
  percentileBounds(window, PERCENTILES)?.forEach(([lower, upper], i) => {
    const value = exact[i] as number;
    if (value < lower || value > upper) throw new Error(`${scraped.shape}: bounds are wrong`);
  });
  const errors = new Map(
    [...HISTOGRAM_ESTIMATORS].map(([name, estimator]) => {
      const estimate = estimator.estimate(window, PERCENTILES);
      const errors = exact.map((value, i) =>
        Math.min(MAX_ERROR, 100 * Math.abs((estimate?.[i] ?? NaN) / value - 1))
      );
      return [name, errors];
    }),
  );
  return { ...scraped, errors };
}

function printSet(name: string, cases: readonly CaseErrors[]): void {
  const names = [...HISTOGRAM_ESTIMATORS.keys()];
  const shapes = new Set(cases.map(({ group, shape }) => `${group}: ${shape}`));
  console.log(
    `\n${name}: ${cases.length} cases of ${shapes.size} shapes; ` +
      `relative error in % at ${PERCENTILES.map((p) => `p${p}`).join(", ")}`,
  );
  console.log("".padEnd(44) + names.map((name) => name.padStart(28)).join(""));
  const line = (
    label: string,
    some: readonly CaseErrors[],
    combine: (rows: readonly (readonly number[])[]) => number[],
  ) => {
    const figures = names.map((name) => {
      const rows = some.map(({ errors }) => errors.get(name) as readonly number[]);
      return combine(rows).map((error) => error.toFixed(2).padStart(7)).join("");
    });
    console.log(label.padEnd(44) + figures.join(""));
  };
  line("mean", cases, columnMeans);
  line("median case", cases, columnMedians);
  const keys: readonly ((errors: CaseErrors) => string)[] = [
    ({ group }) => group,
    ({ layout }) => `layout ${layout}`,
    ({ perScrape }) => perScrape < 3 ? "below 3 per scrape" : "3 and more per scrape",
    ({ group, shape }) => `${group}: ${shape}`,
  ];
  for (const keyOf of keys) {
    for (const [key, some] of Map.groupBy(cases, keyOf)) line(key, some, columnMeans);
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
