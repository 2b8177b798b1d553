import { stringify } from "npm:csv-stringify@6.9.0/sync";
import { errorOf } from "./point_error.ts";
import { onlyRun, type PointResults } from "./point_results.ts";
import { analyzeSweep, type BestPoint } from "./sweep_analysis.ts";
import { runCounts, sweepParameters } from "./sweep_json.ts";
import type { SweepResults } from "./sweep_results.ts";

type Row = readonly string[];

/** Columns of a statistic, as AIPerf has them. */
const COLUMNS = ["mean", "std", "min", "max", "cv"] as const;

/**
 * Returns `profile_export_aiperf_sweep.csv`: a row for each point, then the best points, the Pareto
 * front and the configuration of the sweep, as AIPerf has them. Additional columns follow AIPerf's.
 */
export function sweepCsv(results: SweepResults): string {
  const { manifest, points } = results;
  const analysis = analyzeSweep(points);
  const names = sweepParameters(results).map(({ name }) => name);
  const parametersOf = ({ point }: PointResults): string[] =>
    names.map((name) => String(point.values[name]));
  const done = points.filter(({ successful }) => successful.length > 0);
  const { num_profile_runs: runs, num_successful_runs: successful } = runCounts(points);
  const best = (name: string, found: BestPoint | undefined): Row[] =>
    found === undefined || found.tied.length > 0
      ? []
      : [[name, ...parametersOf(found.result), found.value.toFixed(2), found.unit]];
  const front = points.filter((point) => analysis.front.points.has(point)).map(parametersOf);
  const sections: Row[][] = [
    metricRows(done, names, parametersOf, (point) => analysis.front.points.has(point)),
    [
      ["Best Configurations"],
      ["Configuration", ...names, "Metric", "Unit"],
      ...best("Best Throughput", analysis.bestThroughput),
      ...best("Best Latency P99", analysis.bestLatency),
    ],
    [["Pareto Optimal Points"], ...(front.length === 0 ? [["None"]] : [names, ...front])],
    [
      ["Metadata"],
      ["Field", "Value"],
      ["Aggregation Type", "sweep"],
      ["Sweep Parameters", names.join(", ")],
      ["Number of Combinations", String(points.length)],
      ["Number of Profile Runs", String(runs)],
      ["Number of Successful Runs", String(successful)],
      ["Complete", String(manifest.isComplete)],
    ],
  ];
  return sections.map(csv).join("\r\n");
}

function metricRows(
  points: readonly PointResults[],
  names: readonly string[],
  parametersOf: (point: PointResults) => string[],
  isOptimal: (point: PointResults) => boolean,
): Row[] {
  const plain = sortedKeys(points.flatMap((point) => [...onlyRun(point)?.keys() ?? []]));
  const keys = sortedKeys(points.flatMap(({ figures }) => [...figures.keys()]));
  // Bounds where any point has them.
  const bounded = keys.filter((key) => points.some((point) => errorOf(point, key) !== undefined));
  const head = [
    ...names,
    ...[...plain, ...keys].flatMap((key) => COLUMNS.map((column) => `${key}_${column}`)),
    "pareto_optimal",
    "measurement_error_verdict",
    ...bounded.flatMap((key) => [`${key}_lower`, `${key}_upper`]),
  ];
  return [
    head,
    ...points.map((point) => [
      ...parametersOf(point),
      ...plain.flatMap((tag) => plainCells(point, tag)),
      ...keys.flatMap((key) => {
        const figure = point.figures.get(key);
        return COLUMNS.map((column) =>
          figure === undefined ? "" : cell(figure[column], column === "cv" ? 4 : 2)
        );
      }),
      String(isOptimal(point)),
      point.error?.verdict ?? "",
      ...bounded.flatMap((key) => {
        const error = errorOf(point, key);
        return error === undefined ? ["", ""] : [cell(error.lower), cell(error.upper)];
      }),
    ]),
  ];
}

/** A metric of a single run, which has no spread over runs. */
function plainCells(point: PointResults, tag: string): string[] {
  const stats = onlyRun(point)?.get(tag)?.stats;
  const mean = stats?.["avg"];
  if (stats === undefined || mean === undefined) return COLUMNS.map(() => "");
  return [cell(mean), cell(0), cell(stats["min"] ?? mean), cell(stats["max"] ?? mean), cell(0, 4)];
}

function sortedKeys(keys: readonly string[]): string[] {
  return [...new Set(keys)].sort();
}

/** Nothing of what is no number. */
function cell(value: number, decimals = 2): string {
  return Number.isFinite(value) ? value.toFixed(decimals) : "";
}

/** Rows as CSV. */
export function csv(rows: readonly Row[]): string {
  return stringify(rows as string[][], { record_delimiter: "windows" });
}
