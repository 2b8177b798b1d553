import type { PointResults } from "../sweep/point_results.ts";
import { type SessionColumn, sessionColumns, sessionText } from "../sweep/session_columns.ts";
import { renderTable, tableWidth, type TextTable } from "./text_table.ts";

/** Columns that are given up on a narrow screen, in this order. */
const DISPENSABLE = ["jobs_per_hour_per_gpu_avg", "session_hit_share_avg", "session_duration_p50"];

/**
 * Returns the table of the sessions of a sweep's points: durations, jobs per hour, outcomes and cache
 * hits. Empty where no point has sessions of several requests.
 */
export function sweepSessionTable(points: readonly PointResults[], width: number): string {
  const done = points.filter(({ successful }) => successful.length > 0);
  const columns = sessionColumns(done);
  if (columns.length === 0) return "";
  const layouts = [
    { columns, hasIntervals: true, isNarrow: false },
    { columns, hasIntervals: true, isNarrow: true },
    ...Array.from({ length: DISPENSABLE.length + 1 }, (_, given) => ({
      columns: columns.filter(({ key }) => !DISPENSABLE.slice(0, given).includes(key)),
      ...{ hasIntervals: false, isNarrow: true },
    })),
  ];
  const tables = layouts.map((layout) => tableOf(done, layout));
  const table = tables.find((one) => tableWidth(one) <= width) ?? tables.at(-1) as TextTable;
  const hasIntervals = table.rows.some((row) => row.some((cell) => cell.endsWith(")")));
  const intervals = hasIntervals ? "; in brackets: 95 % intervals" : "";
  return `${renderTable(table, width)}\n` +
    `sessions of whole runs; jobs: completed sessions${intervals}`;
}

/** Columns of a table and their form. */
interface Layout {
  readonly columns: readonly SessionColumn[];
  readonly hasIntervals: boolean;
  /** Whether heads have two lines. */
  readonly isNarrow: boolean;
}

function tableOf(
  points: readonly PointResults[],
  { columns, hasIntervals, isNarrow }: Layout,
): TextTable {
  const names = Object.keys(points[0]?.point.values ?? {});
  const heads = columns.map(({ head }) => isNarrow ? head.replace(" ", "\n") : head);
  return {
    head: [...names, ...heads],
    rows: points.map((point) => [
      ...names.map((name) => String(point.point.values[name])),
      ...columns.map((column) =>
        sessionText(point, hasIntervals ? column : { ...column, hasInterval: false })
      ),
    ]),
    flexible: 0,
    minFlexible: 6,
    alignments: [...names, ...columns].map(() => "right"),
  };
}
