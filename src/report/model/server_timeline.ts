/**
 * The most telling roles of the servers over time: requests, KV cache, tokens, power. Statistics of
 * a whole run do not show when something began; these do.
 */

import { OUTERMOST_FIRST } from "../../telemetry/engines/engine.ts";
import { levelRuns, rowLevels, shareScale } from "../../telemetry/engines/level_values.ts";
import type { Together } from "../../telemetry/engines/role_source.ts";
import { type RoleName, ROLES } from "../../telemetry/engines/roles.ts";
import { HistogramSeries, ScalarSeries } from "../../telemetry/timeseries/series.ts";
import type { ValueRun } from "../../telemetry/timeseries/value_column.ts";
import type { RolePart, RoleQuery } from "./role_figure.ts";
import type { ServerRoles } from "./server_roles.ts";

/** Meaning of a line. */
export type ServerRole =
  | "running"
  | "waiting"
  | "kvUsage"
  | "generatedTokens"
  | "gpuPower"
  | "gpuUtilization"
  | "gpuMemory";

/** A role of one endpoint over time. */
export interface ServerTimelineSeries {
  readonly role: ServerRole;
  /** Name of the metric. */
  readonly metric: string;
  /** The endpoint as it may be shown. */
  readonly endpointUrl: string;
  /** Nanoseconds of the run's clock, ascending. */
  readonly timesNs: readonly number[];
  /** Level of all instances of the endpoint; of counters, growth since the first time. */
  readonly values: readonly number[];
  /** Value of the largest instance, where the level is a mean of several. */
  readonly largest?: readonly number[];
}

/** See the module's comment. */
export type ServerTimeline = readonly ServerTimelineSeries[];

/** Roles of the lines. Tokens are compared with the client's: the front counts them as it does. */
const LINES: readonly (readonly [line: ServerRole, role: RoleName, query?: RoleQuery])[] = [
  ["running", "running"],
  ["waiting", "waiting"],
  ["kvUsage", "kv_usage"],
  ["generatedTokens", "generation_tokens", { layers: OUTERMOST_FIRST }],
  ["gpuPower", "power"],
];

/** Maximum number of points of a line: more than a wide screen shows. */
const MAX_POINTS = 600;
/** Maximum number of endpoints of a role. */
export const MAX_ENDPOINTS = 8;

/** The lines of everything that the endpoints reported. */
export function serverTimeline(roles: ServerRoles): ServerTimeline {
  return LINES.flatMap(([line, role, query]) => {
    const byUrl = Map.groupBy(roles.parts(role, query), ({ endpoint: { url } }) => url);
    return [...byUrl].flatMap(([url, parts]) => endpointLine(line, role, url, parts))
      .slice(0, MAX_ENDPOINTS);
  });
}

function endpointLine(
  line: ServerRole,
  role: RoleName,
  url: string,
  parts: readonly RolePart[],
): ServerTimelineSeries[] {
  const [{ endpoint: { scrapes }, source }] = parts as [RolePart];
  if (scrapes === undefined) return [];
  const { timesNs } = scrapes;
  const instances = parts.flatMap(runsOf);
  const isCounter = ROLES[role].kind === "count";
  const levels = (together: Together): Float64Array =>
    scaled(rowLevels(instances.map((runs) => runs()), timesNs.length, together), source);
  const together = isCounter ? "sum" : source.together;
  const largest = together === "mean" && instances.length > 1 ? levels("max") : undefined;
  const metric = source.names.join(", ");
  return roleLine({ role: line, isCounter }, metric, url, timesNs, levels(together), largest);
}

function runsOf({ series, source }: RolePart): (() => Iterable<ValueRun>)[] {
  return series.flatMap(({ samples }) => {
    if (samples instanceof ScalarSeries) return [() => levelRuns(samples, source)];
    return samples instanceof HistogramSeries ? [() => samples.sum.runs()] : [];
  });
}

function scaled(levels: Float64Array, source: RolePart["source"]): Float64Array {
  const known = levels.filter((level) => !Number.isNaN(level));
  const scale = shareScale(source, known.reduce((most, level) => Math.max(most, level), 0));
  return scale === 1 ? levels : levels.map((level) => level * scale);
}

/**
 * The line of a role.
 * @param values in the order of time, NaN where there is none
 * @param largest those of the largest instance
 */
export function roleLine(
  { role, isCounter = false }: { readonly role: ServerRole; readonly isCounter?: boolean },
  metric: string,
  endpointUrl: string,
  timesNs: ArrayLike<number>,
  values: Float64Array,
  largest?: Float64Array,
): ServerTimelineSeries[] {
  const rows = [...values.keys()].filter((row) => !Number.isNaN(values[row]));
  if (rows.length === 0) return [];
  const first = values[rows[0] as number] as number;
  const kept = thinned(rows, largest ?? values);
  return [{
    ...{ role, metric, endpointUrl },
    timesNs: kept.map((row) => timesNs[row] as number),
    values: kept.map((row) => (values[row] as number) - (isCounter ? first : 0)),
    ...(largest === undefined ? {} : { largest: kept.map((row) => largest[row] as number) }),
  }];
}

/** The first of many rows in each interval, and the one with the highest value. */
function thinned(rows: readonly number[], values: Float64Array): number[] {
  if (rows.length <= MAX_POINTS) return [...rows];
  const size = Math.ceil(rows.length / (MAX_POINTS / 2));
  const kept = new Set<number>([rows.at(-1) as number]);
  for (let at = 0; at < rows.length; at += size) {
    const interval = rows.slice(at, at + size);
    kept.add(interval[0] as number);
    kept.add(
      interval.reduce((best, row) =>
        (values[row] as number) > (values[best] as number) ? row : best
      ),
    );
  }
  return [...kept].sort((a, b) => a - b);
}
