import { BRIEF_ROLES } from "../../telemetry/engines/engine.ts";
import {
  isShare,
  type RoleName,
  ROLES,
  type ShareName,
  SHARES,
} from "../../telemetry/engines/roles.ts";
import type { Pool } from "../../telemetry/engines/place.ts";
import { MS_PER } from "../model/milliseconds.ts";
import type { RoleFigure } from "../model/role_figure.ts";
import type { ServerMetricsReport } from "../model/server_metrics_report.ts";
import type { SeenEngine, ServerRoles } from "../model/server_roles.ts";
import { LABEL_WIDTH, labelled, WIDE } from "./labelled_lines.ts";
import { countText, percentText, significantText } from "./number_text.ts";
import { wrapItems } from "./wrap_items.ts";

/** Levels that each engine is expected to report, and that engines of a layer are added up by. */
const LEVELS: readonly RoleName[] = ["running", "waiting", "kv_usage"];
/** Times that the line about time has. */
const TIMES_OF_REQUESTS: readonly RoleName[] = ["queue", "prefill", "ttft"];

/** Settings of the lines. */
export interface ServerLineOptions {
  readonly width: number;
  /** Whether another line shows where the time of requests goes. */
  readonly hasTimes: boolean;
}

/**
 * Lines about servers, one for each engine: `server  running 8 of 8   waiting 24   KV cache 7.7 %`.
 * @param roles of the window that is shown
 */
export function serverLines(
  report: ServerMetricsReport,
  roles: ServerRoles,
  { hasTimes, width }: ServerLineOptions,
): string[] {
  if (report.endpoints.length === 0) return [];
  // A window may be too short for a page of its own, and so may a run.
  const shown = [
    { roles, isLate: false },
    { roles: report.roles, isLate: false },
    { roles: report.roles, isLate: true },
  ].values()
    .map((one) => ({
      ...one,
      known: enginesOf(one.roles, { hasTimes, width, isLate: one.isLate }),
    }))
    .find(({ known }) => known.length > 0);
  if (shown === undefined) {
    return labelled("server", wrapItems([countsText(report, roles)], width - LABEL_WIDTH));
  }
  const { known } = shown;
  const isNamed = known.length > 1;
  const lines = known.flatMap(({ engine, items, pool }) => {
    const [first = "", ...others] = items;
    const name = `${engine.engine.name}${pool === undefined ? "" : ` ${pool}`}: `;
    return wrapItems(isNamed ? [name + first, ...others] : items, width - LABEL_WIDTH);
  });
  const remark = shown.isLate
    ? lateText(shown.roles)
    : shown.roles === roles
    ? []
    : ["over the whole run"];
  const common = commonItems(shown.roles, { width, isLate: shown.isLate });
  const name = roles.pools.length > 0 ? "all pools" : "all engines";
  const all = common.length === 0
    ? []
    : wrapItems([`${name}: ${common[0]}`, ...common.slice(1)], width - LABEL_WIDTH);
  return labelled("server", [...lines, ...all, ...remark]);
}

/** Settings of items. */
interface ItemOptions extends ServerLineOptions {
  /** Whether levels are those of the page that is the nearest to the run. */
  readonly isLate: boolean;
}

/** An engine, or a pool of its instances, with what is shown of it. */
interface ShownEngine {
  readonly engine: SeenEngine;
  readonly pool: Pool | undefined;
  readonly items: readonly string[];
}

function enginesOf(roles: ServerRoles, options: ItemOptions): ShownEngine[] {
  return roles.engines.flatMap((engine) =>
    poolsOf(engine, roles).flatMap((pool) => {
      const items = itemsOf(engine, pool, roles, options);
      return items.length === 0 ? [] : [{ engine, pool, items }];
    })
  );
}

/** When the only page was scraped. */
function lateText(roles: ServerRoles): string[] {
  const seconds = LEVELS.map((role) => roles.figure(role)?.lateSeconds)
    .find((late) => late !== undefined);
  return seconds === undefined ? [] : [
    `no page during the run, these are of ${significantText(Math.abs(seconds))} s ` +
    `${seconds < 0 ? "before" : "after"} its end`,
  ];
}

/** Pools of an engine's instances that have a line each; undefined for all instances in one. */
function poolsOf({ engine: { layer } }: SeenEngine, { pools }: ServerRoles): (Pool | undefined)[] {
  return pools.length === 0 || (layer !== "engine" && layer !== "worker")
    ? [undefined]
    : [...pools];
}

/** Levels of all pools, or of different engines of a layer, together, as objectives see them. */
function commonItems(
  roles: ServerRoles,
  { isLate, width }: Pick<ItemOptions, "isLate" | "width">,
): string[] {
  return LEVELS.flatMap((role) => roles.figure(role) ?? [])
    .filter(({ engines }) => engines.length > 1 || roles.pools.length > 1)
    .flatMap((figure) => textOf(figure, { isLate, width }));
}

function itemsOf(
  { engine, endpoints }: SeenEngine,
  pool: Pool | undefined,
  roles: ServerRoles,
  { hasTimes, isLate, width }: ItemOptions,
): string[] {
  const names = (engine.brief ?? BRIEF_ROLES)
    .filter((name) => pool !== "decode" || !isOfCaches(name));
  const query = { engine, ...(pool === undefined ? {} : { pools: [pool] }) };
  const figures = new Map(
    names.flatMap((name) => {
      const figure = isShare(name) ? undefined : roles.figure(name, query);
      return figure === undefined ? [] : [[name, figure] as const];
    }),
  );
  const shares = new Map(
    names.filter(isShare).map((name) => [name, roles.share(name, query)]),
  );
  const items = names.flatMap((name): string[] => {
    if (isShare(name)) return shareText(name, shares.get(name));
    // A gauge of some window counts only where nothing better is known.
    if (name === "prefix_hit_rate" && shares.get("prefix_hit_share") !== undefined) return [];
    if (hasTimes && TIMES_OF_REQUESTS.includes(name)) return [];
    const figure = figures.get(name);
    return figure === undefined ? [] : textOf(figure, { isLate, width });
  });
  if (items.length === 0) return [];
  const missing = engine.layer === "engine"
    ? LEVELS.filter((role) => names.includes(role) && !figures.has(role))
    : [];
  return [
    ...items,
    // A worker's page may have some of a front's metrics, but none of its roles.
    ...instancesText(
      [...figures.values()],
      pool === undefined && engine.layer !== "front" ? endpoints.length : 1,
    ),
    ...(missing.length === 0
      ? []
      : [`not reported: ${missing.map((role) => ROLES[role].label).join(", ")}`]),
  ];
}

/** Whether it describes caches that save work; a decode instance has received its KV cache. */
function isOfCaches(name: RoleName | ShareName): boolean {
  return isShare(name) ? SHARES[name].ofCaches !== undefined : name === "prefix_hit_rate";
}

/** How many instances the numbers are of, and how many of them had nothing to do. */
function instancesText(figures: readonly RoleFigure[], endpoints: number): string[] {
  const instances = Math.max(endpoints, ...figures.map((figure) => figure.instances));
  if (instances === 1) return [];
  const { idleInstances = 0 } = figures.find(({ role }) => role === "running") ?? {};
  return [
    `of ${instances} instances${idleInstances === 0 ? "" : `, ${idleInstances} of them idle`}`,
  ];
}

function shareText(name: ShareName, value: number | undefined): string[] {
  if (value === undefined) return [];
  const { label, plus } = SHARES[name];
  // With something added it is no percentage.
  return [`${label} ${plus === undefined ? percentText(value) : significantText(value)}`];
}

function textOf(
  figure: RoleFigure,
  { isLate, width }: Pick<ItemOptions, "isLate" | "width">,
): string[] {
  const { label, kind, ifAny } = ROLES[figure.role];
  const { stats, unit } = figure;
  switch (kind) {
    case "time": {
      const { avg, count = 0 } = stats;
      const toMs = MS_PER.get(unit);
      if (avg === undefined || count === 0) return [];
      return [`${label} ${significantText(avg * (toMs ?? 1))}${toMs === undefined ? "" : " ms"}`];
    }
    case "count": {
      const { total = NaN } = stats;
      return Number.isNaN(total) || (ifAny && total === 0) ? [] : [`${label} ${countText(total)}`];
    }
    case "level": {
      const { avg = NaN, max = NaN } = stats;
      // A level from before or after the run is none of the run's.
      const isOther = figure.lateSeconds !== undefined && !isLate;
      if (Number.isNaN(avg) || isOther || (ifAny && !(max > 0))) return [];
      const scale = unit === "percent" ? 0.01 : 1;
      const write = unit === "ratio" || unit === "percent"
        ? (value: number) => percentText(value * scale)
        : levelText;
      const [mean, most] = [write(avg), write(max)];
      if (figure.role === "running") return [`${label} ${mean} of ${most}`];
      return [
        width >= WIDE && mean !== most ? `${label} ${mean} (max ${most})` : `${label} ${mean}`,
      ];
    }
  }
}

/** Counts of metrics and series of servers without metrics that are known here. */
function countsText(report: ServerMetricsReport, { engines: [first] }: ServerRoles): string {
  const series = report.metrics.reduce((sum, { series }) => sum + series.length, 0);
  const counted = (value: number, noun: string): string =>
    `${value} ${noun}${value === 1 ? "" : "s"}`;
  return `${counted(report.metrics.length, "metric")}, ${series} series of ` +
    `${counted(report.endpoints.length, "endpoint")}, ` +
    (first === undefined ? "of no engine that is known here" : `of ${first.engine.name}`);
}

/** A mean that happens to be whole is shown as such. */
function levelText(value: number): string {
  return Number.isInteger(value) ? countText(value) : significantText(value);
}
