import { UNBOUNDED } from "../../core/statistics/unbounded.ts";
import { figuresOf } from "../../measurement/metrics/metric_results.ts";
import type { MetricTag } from "../../measurement/metrics/metric_tag.ts";
import type { BoundedStatistic, Bounds } from "../../measurement/own_error/bounded_statistics.ts";
import { type CellVerdict, cellVerdict } from "../../measurement/sampling/cell_verdict.ts";
import { judgedWindow, type ShownWindow } from "../model/shown_window.ts";
import { displayWidth, padded, paddedBefore } from "./display_width.ts";
import { WIDE } from "./labelled_lines.ts";
import { significantText } from "./number_text.ts";
import { repeatsFirstToken } from "./repeats_first_token.ts";
import { repeatsPlainTime } from "./repeats_plain_time.ts";

/** Milliseconds from which a row is in seconds. */
const SECONDS_FROM_MS = 100_000;
const STATISTICS = ["avg", "p50", "p90", "p99"] as const;

/** Marks of statistics that are not valid. */
const MARKS: Readonly<Record<CellVerdict, string>> = {
  "valid": " ",
  "not_proven": "?",
  "suspect": "*",
  "invalid": "!",
};
const LEGEND: readonly (readonly [mark: string, text: string])[] = [
  ["?", "not proven"],
  ["*", "client error 5 to 20 %"],
  ["!", "client error above 20 %"],
];

interface RowName {
  readonly tag: MetricTag;
  readonly label: string;
  readonly unit: string;
}

const ROWS: readonly RowName[] = [
  { tag: "time_to_first_token", label: "TTFT", unit: "ms" },
  { tag: "effective_time_to_first_token", label: "TTFT+queue", unit: "ms" },
  { tag: "time_to_first_output_token", label: "TTFO", unit: "ms" },
  { tag: "inter_token_latency", label: "ITL", unit: "ms" },
  { tag: "request_latency", label: "latency", unit: "ms" },
  { tag: "effective_latency", label: "latency+queue", unit: "ms" },
  { tag: "image_latency", label: "per image", unit: "ms" },
  { tag: "image_throughput", label: "images/s", unit: "" },
  { tag: "output_token_throughput", label: "tokens/s out", unit: "" },
  { tag: "tokens_per_gpu", label: "tokens/s/GPU", unit: "" },
  { tag: "request_throughput", label: "requests/s", unit: "" },
  { tag: "interactivity", label: "tokens/s/user", unit: "" },
  { tag: "goodput", label: "good/s", unit: "" },
];

/** A statistic as it is shown. */
interface ShownCell {
  readonly value: string;
  readonly mark: string;
  /** Half the width of its interval, as `6.1 %`. */
  readonly spread: string;
}

interface ShownRow {
  readonly label: string;
  readonly unit: string;
  readonly cells: readonly (ShownCell | undefined)[];
  /** Interval of the median, or of the mean where there is none. */
  readonly spread: string;
  /** Client error bound of the worst statistic that is shown. */
  readonly client: string;
}

/**
 * The main metrics of a run: a mark for each statistic that is not valid, confidence intervals, and the
 * client's own error.
 * @param title text above the labels: the window
 */
export function metricTable(shown: ShownWindow, title: string, width: number): string[] {
  const { results } = shown;
  const rows = ROWS.filter(({ tag }) =>
    tag === "time_to_first_output_token"
      ? !repeatsFirstToken(results)
      : !repeatsPlainTime(results, tag)
  ).flatMap((name) => rowOf(name, shown));
  if (rows.length === 0) return [];
  const marks = new Set(rows.flatMap(({ cells }) => cells.map((cell) => cell?.mark ?? " ")));
  const legend = LEGEND.filter(([mark]) => marks.has(mark)).map(([mark, text]) =>
    `${mark} ${text}`
  );
  const isQueued = rows.some(({ label }) => label.endsWith("+queue"));
  return [
    ...tableLines(rows, title, width),
    ...(legend.length === 0 ? [] : [legend.join("   ")]),
    ...(isQueued ? ["+queue: from the intended start, with the wait for a free slot"] : []),
  ];
}

function rowOf({ label, tag, unit }: RowName, shown: ShownWindow): ShownRow[] {
  const result = shown.results.get(tag);
  if (result === undefined) return [];
  const figures = figuresOf(result);
  const numbers = STATISTICS.map((name) => figures[name]).map((figure) =>
    figure === undefined ? undefined : Number(figure)
  );
  const inSeconds = unit === "ms" && numbers.some((value) => (value ?? 0) >= SECONDS_FROM_MS);
  const scale = inSeconds ? 1e-3 : 1;
  const window = judgedWindow(shown);
  const cells = STATISTICS.map((statistic, index): ShownCell | undefined => {
    const value = numbers[index];
    if (value === undefined || Number.isNaN(value)) return undefined;
    const verdict = cellVerdict(window, [tag, statistic]);
    return {
      value: significantText(value * scale),
      mark: MARKS[verdict ?? "valid"],
      spread: spreadText(value, shown.sampling.get(tag)?.[statistic]),
    };
  });
  const central = cells[1] ?? cells[0];
  return [{
    label,
    unit: inSeconds ? "s" : unit,
    cells,
    spread: central?.spread ?? "",
    client: clientText(tag, shown),
  }];
}

/** Returns half the width of an interval as a fraction of the value; `?` if an end is unknown. */
function spreadText(value: number, interval: Bounds | undefined): string {
  if (interval === undefined) return "";
  const { lower, upper } = interval;
  if (upper >= UNBOUNDED || (lower <= 0 && value > 0)) return "?";
  const share = Math.max(upper - value, value - lower) / Math.abs(value);
  return Number.isFinite(share) ? percentText(share) : "?";
}

/** The client's error bound of the worst statistic of a metric, rounded up: `< 3.6 %`. */
function clientText(tag: MetricTag, { measurementError, results }: ShownWindow): string {
  const bounds = measurementError?.metrics.get(tag);
  const result = results.get(tag);
  if (bounds === undefined || result === undefined) return "";
  const figures = figuresOf(result);
  const shares = STATISTICS.flatMap((name: BoundedStatistic) => {
    const [bound, value] = [bounds[name], Number(figures[name])];
    if (bound === undefined || !(value > 0)) return [];
    return [Math.max(value - bound.lower, bound.upper - value) / value];
  });
  const worst = Math.max(0, ...shares);
  if (!(worst <= 1)) return "?";
  const percent = worst * 100;
  return percent < 0.1
    ? "< 0.1 %"
    : `< ${percent < 10 ? (Math.ceil(percent * 10) / 10).toFixed(1) : Math.ceil(percent)} %`;
}

function percentText(share: number): string {
  const percent = share * 100;
  return `${percent < 10 ? percent.toFixed(1) : percent.toFixed(0)} %`;
}

/** A column of the table: its head, and its cell in each row. */
interface Column {
  readonly name: string;
  readonly cells: readonly string[];
  /** Minimum width, including leading spaces. */
  readonly width: number;
}

/** Columns in the order in which they are given up on a narrow screen. */
const DISPENSABLE = ["client", "p90", "± 95 %"];

function tableLines(rows: readonly ShownRow[], title: string, width: number): string[] {
  const labelWidth = Math.max(...rows.map(({ label }) => displayWidth(label)));
  const unitWidth = Math.max(...rows.map(({ unit }) => displayWidth(unit)));
  const nameWidth = Math.max(labelWidth + 1 + unitWidth, displayWidth(title));
  let columns = columnsOf(rows, width >= WIDE);
  for (const name of DISPENSABLE) {
    if (columns.reduce((sum, { width }) => sum + width, nameWidth) <= width) break;
    columns = columns.filter((column) => column.name !== name);
  }
  const line = (name: string, cells: readonly string[]): string =>
    (padded(name, nameWidth) +
      cells.map((cell, at) => paddedBefore(cell, columns[at]?.width ?? 0)).join("")).trimEnd();
  return [
    line(title, columns.map(({ name }) => isMarked(name) ? `${name}  ` : name)),
    ...rows.map(({ label, unit }, row) =>
      line(
        unit === "" ? label : padded(label, nameWidth - displayWidth(unit)) + unit,
        columns.map(({ cells }) => cells[row] as string),
      )
    ),
  ];
}

/** Statistics, each with its interval on a wide screen, and what holds for the row. */
function columnsOf(rows: readonly ShownRow[], isWide: boolean): Column[] {
  const column = (name: string, cells: readonly string[], least: number): Column[] => {
    if (cells.every((cell) => cell.trim() === "")) return [];
    const widest = Math.max(displayWidth(name), ...cells.map(displayWidth));
    return [{ name, cells, width: Math.max(least, widest + 2) }];
  };
  const hasMedians = rows.some(({ cells }) => cells[1] !== undefined);
  const statistics = STATISTICS.flatMap((name, index) => [
    ...column(
      name,
      rows.map(({ cells }) => {
        const cell = cells[index];
        return cell === undefined ? "" : `${cell.value} ${cell.mark}`;
      }),
      10,
    ),
    ...(isWide && (index > 0 || !hasMedians)
      ? column(
        "± 95 %",
        rows.map(({ cells, spread }) =>
          // A rate has its interval in the median's place.
          cells[index]?.spread ?? (index === 1 && cells[1] === undefined ? spread : "")
        ),
        9,
      )
      : []),
  ]);
  return [
    ...statistics,
    ...(isWide ? [] : column("± 95 %", rows.map(({ spread }) => spread), 9)),
    ...column("client", rows.map(({ client }) => client), 9),
  ];
}

function isMarked(name: string): boolean {
  return (STATISTICS as readonly string[]).includes(name);
}
