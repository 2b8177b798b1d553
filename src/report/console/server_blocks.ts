import { BRIEF_ROLES } from "../../telemetry/engines/engine.ts";
import { isShare, ROLES, type ShareName, SHARES } from "../../telemetry/engines/roles.ts";
import { MS_PER } from "../model/milliseconds.ts";
import type { RoleFigure } from "../model/role_figure.ts";
import type { ServerMetricsReport } from "../model/server_metrics_report.ts";
import type { SeenEngine, ServerRoles } from "../model/server_roles.ts";
import { type CompactRow, compactTable } from "./compact_table.ts";
import { countText, significantText } from "./number_text.ts";
import { wrapText } from "./wrap_text.ts";

const COLUMNS = ["avg", "max", "total", "/s", "p50", "p99"] as const;
const DISPENSABLE = ["p50", "/s", "total", "max"];
type Column = (typeof COLUMNS)[number];
type Cells = Partial<Record<Column, string>>;

const COMMON_ROLES = ["running", "waiting", "kv_usage"] as const;
/** Digits of what is only estimated. */
const ESTIMATED_DIGITS = 2;

/**
 * Rows of the short report, a few for each engine.
 * @param roles of the window that is shown
 */
export function serverBlocks(
  report: ServerMetricsReport,
  width: number,
  roles: ServerRoles = report.roles,
): string[][] {
  if (report.endpoints.length === 0) return [];
  const { engines } = roles;
  const blocks = engines.map((engine) => blockOf(engine, roles, width))
    .filter((block) => block.length > 0);
  if (blocks.length > 0) return [...blocks, ...commonBlock(roles, width)];
  const series = report.metrics.reduce((sum, { series }) => sum + series.length, 0);
  const [first] = engines;
  return [wrapText(
    `server metrics: ${count(report.metrics.length, "metric")}, ${series} series of ` +
      `${count(report.endpoints.length, "endpoint")}` +
      (first === undefined
        ? ", of no kind of server that is known here"
        : `, of ${first.engine.name}`),
    width,
    2,
  )];
}

/** Levels of different engines of a layer together, as objectives see them; none of one engine. */
function commonBlock(roles: ServerRoles, width: number): string[][] {
  const figures = COMMON_ROLES.flatMap((role) => roles.figure(role) ?? [])
    .filter(({ engines }) => engines.length > 1);
  const rows = figures.flatMap(rowOf);
  const title = "all engines";
  return rows.length === 0
    ? []
    : [compactTable({ title, columns: COLUMNS, rows, dispensable: DISPENSABLE }, width)];
}

function blockOf({ engine, endpoints }: SeenEngine, roles: ServerRoles, width: number): string[] {
  const names = engine.brief ?? BRIEF_ROLES;
  const figures = names.flatMap((name) =>
    isShare(name) ? [] : roles.figure(name, { engine }) ?? []
  );
  const shares = new Map(
    names.filter(isShare).map((name) => [name, roles.share(name, { engine })]),
  );
  const rows = names.flatMap((name): CompactRow[] => {
    if (isShare(name)) return shareRow(name, shares.get(name));
    // A gauge of some window counts only where nothing better is known.
    if (name === "prefix_hit_rate" && shares.get("prefix_hit_share") !== undefined) return [];
    const figure = figures.find(({ role }) => role === name);
    return figure === undefined ? [] : rowOf(figure);
  });
  if (rows.length === 0) return [];
  const title = endpoints.length > 1
    ? `${engine.name}, ${endpoints.length} endpoints`
    : engine.name;
  const table = compactTable({ title, columns: COLUMNS, rows, dispensable: DISPENSABLE }, width);
  return [...table, ...instanceNote(figures, width)];
}

/** How many instances the numbers are of, and how many of them had nothing to do. */
function instanceNote(figures: readonly RoleFigure[], width: number): string[] {
  const instances = Math.max(1, ...figures.map((figure) => figure.instances));
  if (instances === 1) return [];
  const { idleInstances = 0 } = figures.find(({ role }) => role === "running") ?? {};
  const idle = idleInstances === 0 ? "" : `, ${idleInstances} of them idle`;
  const note = `  sums over ${instances} instances${idle} (shares: mean, and max of the largest)`;
  return wrapText(note, width, 2);
}

function shareRow(name: ShareName, value: number | undefined): CompactRow[] {
  if (value === undefined) return [];
  const { label, plus } = SHARES[name];
  // With something added it is no percentage.
  return plus === undefined
    ? [rowWith(label, "%", { avg: percentText(value) })]
    : [rowWith(label, "", { avg: significantText(value) })];
}

function rowOf(figure: RoleFigure): CompactRow[] {
  const { label, kind, ifAny } = ROLES[figure.role];
  const { stats, unit } = figure;
  switch (kind) {
    case "time":
      return (stats["count"] ?? 0) > 0 ? [timeRow(label, figure)] : [];
    case "count": {
      const { total = NaN, rate = NaN } = stats;
      if (Number.isNaN(total) || (ifAny && total === 0)) return [];
      return [rowWith(label, "", {
        total: countText(total),
        "/s": Number.isNaN(rate) ? "" : significantText(rate),
      })];
    }
    case "level": {
      const { avg = NaN, max = NaN } = stats;
      // A level from before or after the run is none of the run's.
      if (Number.isNaN(avg) || figure.lateSeconds !== undefined || (ifAny && !(max > 0))) return [];
      if (unit !== "ratio" && unit !== "percent") {
        const most = Number.isNaN(max) ? "" : significantOrWhole(max);
        return [rowWith(label, "", { avg: significantOrWhole(avg), max: most })];
      }
      const scale = unit === "percent" ? 0.01 : 1;
      return [rowWith(label, "%", {
        avg: percentText(avg * scale),
        max: Number.isNaN(max) ? "" : percentText(max * scale),
      })];
    }
  }
}

function timeRow(label: string, { stats, unit }: RoleFigure): CompactRow {
  const toMs = MS_PER.get(unit);
  const estimate = (name: string): string => {
    const value = stats[name];
    if (value === undefined) return "";
    const ms = value * (toMs ?? 1);
    return `~${
      ms >= 100 ? countText(Math.round(ms)) : significantText(ms, {
        digits: ESTIMATED_DIGITS,
      })
    }`;
  };
  const { avg, count = NaN, count_rate: rate } = stats;
  return rowWith(label, toMs === undefined ? "" : "ms", {
    avg: avg === undefined ? "" : significantText(avg * (toMs ?? 1)),
    total: countText(count),
    "/s": rate === undefined ? "" : significantText(rate),
    p50: estimate("p50_estimate"),
    p99: estimate("p99_estimate"),
  });
}

function rowWith(label: string, unit: string, cells: Cells): CompactRow {
  return { label, unit, cells: COLUMNS.map((column) => cells[column] ?? "") };
}

/** A mean that happens to be whole is shown as such. */
function significantOrWhole(value: number): string {
  return Number.isInteger(value) ? countText(value) : significantText(value);
}

function percentText(share: number): string {
  return significantText(share * 100, { maxDecimals: 1 });
}

function count(value: number, noun: string): string {
  return `${value} ${noun}${value === 1 ? "" : "s"}`;
}
