import { displayWidth, padded } from "./display_width.ts";

/** Table without borders: one unit per row, values in columns. */
export interface CompactTable {
  /** Title in the column of the labels. */
  readonly title: string;
  readonly columns: readonly string[];
  readonly rows: readonly CompactRow[];
  /** Columns in the order in which they are given up on a narrow screen. */
  readonly dispensable: readonly string[];
}

/** Row with its values as texts, empty for missing values. */
export interface CompactRow {
  readonly label: string;
  /** Unit of the values; empty if the label includes it. */
  readonly unit: string;
  readonly cells: readonly string[];
}

const MIN_LABEL = 13;
const MIN_UNIT = 2;
/** Widths of a column, the usual one first, where there is room for it. */
const COLUMN_WIDTHS = [9, 7, 0];
/** Minimum number of spaces between columns. */
const GAP = 2;

/** Returns the lines of a table that fit the terminal; columns without a value are omitted. */
export function compactTable(table: CompactTable, width: number): string[] {
  const { title, rows, dispensable } = table;
  const labelWidth = Math.max(MIN_LABEL, ...rows.map(({ label }) => displayWidth(label)));
  const unitWidth = Math.max(MIN_UNIT, ...rows.map(({ unit }) => displayWidth(unit)));
  const nameWidth = Math.max(labelWidth + 1 + unitWidth, displayWidth(title));
  let columns = table.columns.map((head, index): Column => ({
    head,
    cells: rows.map(({ cells }) => cells[index] ?? ""),
  })).filter(({ cells }) => cells.some((cell) => cell !== ""));
  const room = width - nameWidth;
  for (const head of dispensable) {
    if (widthsOf(columns, 0).reduce(sum, 0) <= room) break;
    columns = columns.filter((column) => column.head !== head);
  }
  const widths = COLUMN_WIDTHS.map((usual) => widthsOf(columns, usual))
    .find((widths) => widths.reduce(sum, 0) <= room) ?? widthsOf(columns, 0);
  const line = (name: string, cells: readonly string[]): string =>
    (padded(name, nameWidth) +
      cells.map((cell, index) => cell.padStart(widths[index] as number)).join("")).trimEnd();
  return [
    line(title, columns.map(({ head }) => head)),
    ...rows.map(({ label, unit }, row) =>
      line(
        `${padded(label, nameWidth - unitWidth - 1)} ${unit}`,
        columns.map(({ cells }) => cells[row] as string),
      )
    ),
  ];
}

interface Column {
  readonly head: string;
  readonly cells: readonly string[];
}

function widthsOf(columns: readonly Column[], usual: number): number[] {
  return columns.map(({ head, cells }) =>
    [head, ...cells].reduce((widest, text) => Math.max(widest, displayWidth(text) + GAP), usual)
  );
}

function sum(a: number, b: number): number {
  return a + b;
}
