import type { CellVerdict } from "../../measurement/sampling/cell_verdict.ts";
import type { ShownWindow } from "../model/shown_window.ts";
import { displayWidth, padded, paddedBefore } from "./display_width.ts";
import { WIDE } from "./labelled_lines.ts";
import { clientBoundText, type MetricRow, metricRows } from "./metric_rows.ts";
import { significantText } from "./number_text.ts";

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
  const rows = metricRows(shown).map(rowOf);
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

function rowOf({ cells: known, label, unit }: MetricRow): ShownRow {
  const all = STATISTICS.map((statistic) => known[statistic]);
  const inSeconds = unit === "ms" && all.some((cell) => (cell?.value ?? 0) >= SECONDS_FROM_MS);
  const scale = inSeconds ? 1e-3 : 1;
  const cells = all.map((cell): ShownCell | undefined =>
    cell && {
      value: significantText(cell.value * scale),
      mark: MARKS[cell.verdict ?? "valid"],
      spread: cell.spread,
    }
  );
  const shares = all.flatMap((cell) => cell?.clientShare ?? []);
  return {
    label,
    unit: inSeconds ? "s" : unit,
    cells,
    spread: (cells[1] ?? cells[0])?.spread ?? "",
    client: shares.length === 0 ? "" : clientBoundText(Math.max(...shares)),
  };
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
