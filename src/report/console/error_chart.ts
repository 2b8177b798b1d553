import { wrapText } from "./wrap_text.ts";

/** A measured error. */
export interface ErrorPoint {
  readonly workers: number;
  readonly streams: number;
  /** Error as a fraction. */
  readonly error: number;
}

/** Errors with a label on the scale, as fractions; the scale is logarithmic between them. */
const SCALE = [0.001, 0.01, 0.05, 0.25, 1] as const;
/** Lines for a factor of ten. */
const LINES_PER_DECADE = 4;
const TOP = Math.log10(1);
const BOTTOM = Math.log10(SCALE[0]);
/** Room for `100 % |`. */
const AXIS_WIDTH = 8;
/** Marks for the points of each number of workers, starting with the smallest number. */
const MARKS = "ox+#@%&$=?";
const SEVERAL = "*";

/**
 * Returns a chart of errors over streams, both logarithmic, with a mark for each number of workers.
 * If several points have the same load, the lowest is shown; dashes mark 1 % and 5 %.
 */
export function errorChart(title: string, points: readonly ErrorPoint[], width: number): string {
  const streams = [...new Set(points.map((point) => point.streams))].sort((a, b) => a - b);
  const workers = [...new Set(points.map((point) => point.workers))].sort((a, b) => a - b);
  const columns = width - AXIS_WIDTH;
  const lines = Math.round((TOP - BOTTOM) * LINES_PER_DECADE);
  const grid = Array.from({ length: lines + 1 }, () => new Array<string>(columns).fill(" "));
  const lineOf = (error: number): number =>
    Math.round((TOP - Math.min(TOP, Math.max(BOTTOM, Math.log10(error)))) * LINES_PER_DECADE);
  const labels = new Map(SCALE.map((share) => [lineOf(share), `${share * 100} %`]));
  for (const share of [0.01, 0.05]) {
    const line = grid[lineOf(share)] as string[];
    for (let column = 0; column < columns; column += 2) line[column] = "-";
  }
  const [least = 1, most = 1] = [streams[0], streams.at(-1)];
  const columnOf = (count: number): number =>
    most === least
      ? 0
      : Math.round(Math.log(count / least) / Math.log(most / least) * (columns - 1));
  for (const { workers: count, streams, error } of lowest(points)) {
    const line = grid[lineOf(error)] as string[];
    const column = columnOf(streams);
    const mark = MARKS[workers.indexOf(count) % MARKS.length] as string;
    line[column] = line[column] === " " || line[column] === "-" ? mark : SEVERAL;
  }
  const legend = workers.map((count, index) => `${MARKS[index % MARKS.length]} ${count}`);
  const several = workers.length > 1 ? `  ${SEVERAL} several` : "";
  return [
    title,
    ...wrapText(`Workers: ${legend.join("  ")}${several}`, width),
    ...grid.map((cells, line) =>
      `${(labels.get(line) ?? "").padStart(AXIS_WIDTH - 2)} |${cells.join("")}`.trimEnd()
    ),
    `${" ".repeat(AXIS_WIDTH - 1)}+${"-".repeat(columns)}`,
    `${"streams".padStart(AXIS_WIDTH - 1)} ${streamLabels(streams, columnOf, columns)}`,
  ].join("\n");
}

function lowest(points: readonly ErrorPoint[]): ErrorPoint[] {
  const byLoad = Map.groupBy(points, ({ workers, streams }) => `${workers} ${streams}`);
  return [...byLoad.values()].map((same) => same.reduce((a, b) => b.error < a.error ? b : a));
}

/** Numbers below their columns, as many as have room; the last one ends with the axis. */
function streamLabels(
  streams: readonly number[],
  columnOf: (streams: number) => number,
  columns: number,
): string {
  let text = "";
  const last = String(streams.at(-1) ?? "");
  const lastColumn = columns - last.length;
  for (const count of streams.slice(0, -1)) {
    const label = String(count);
    const column = columnOf(count);
    if (column < text.length + 1 && text !== "") continue;
    if (column + label.length >= lastColumn) break;
    text = text.padEnd(column) + label;
  }
  return streams.length < 2 ? last : text.padEnd(lastColumn) + last;
}
