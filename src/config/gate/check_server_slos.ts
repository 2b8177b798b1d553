/**
 * Checks the names of server metrics in objectives against the first scrapes of the servers, so
 * that a misspelt one ends a run before it begins.
 *
 * Some servers expose a metric only once it has a value, SGLang and Dynamo among them. One that
 * counts its requests from the start exposes everything from the start, as vLLM does.
 */

import { haveRole } from "../../telemetry/engines/known_roles.ts";
import {
  isShare,
  type RoleName,
  roleNamed,
  ROLES,
  type ShareName,
} from "../../telemetry/engines/roles.ts";
import { UsageError } from "../options/usage_error.ts";
import { namesMeant, nearestServerName, SERVER_STATISTICS } from "./server_figure.ts";
import type { Slo } from "./slo.ts";

/** A metric that a server reports. */
export interface ServerFamily {
  readonly name: string;
  /** `counter`, `gauge`, `histogram`, `summary`; anything else where that is not known. */
  readonly type: string;
}

/** State of the servers before the load begins. */
export interface KnownServers {
  /** Metric families that the servers expose. */
  readonly families: readonly ServerFamily[];
  /** Names of metrics that servers are known to have, whether or not these have them. */
  readonly possible: readonly string[];
  /** Whether a metric that is missing now will not appear later. */
  readonly isComplete: boolean;
  /** Whether any of them is read during the run: one that does not answer at first is left alone. */
  readonly isRead: boolean;
}

/** Most names that an error lists. */
const MAX_LISTED = 8;

/** The statistics of a metric by its type. */
const STATISTICS: ReadonlyMap<string, (statistic: string) => boolean> = new Map([
  ["gauge", (name) => /^(avg|min|max|std|p\d+)$/.test(name)],
  ["counter", (name) => /^(total|rate(_\w+)?)$/.test(name)],
  ["histogram", (name) => /^(count|sum|avg|(count|sum)_rate|p\d+(_estimate)?)$/.test(name)],
  ["summary", (name) => /^(count|sum|avg|(count|sum)_rate)$/.test(name)],
  ["ratio", (name) => name === "avg"],
]);

/** The types of metrics that roles have the statistics of. */
const ROLE_TYPES = { level: "gauge", count: "counter", time: "histogram" } as const;

/**
 * Checks objectives before a run.
 * @returns a sentence for each that has no value now but may get one
 * @throws {UsageError} for one that has no value for sure, or is most likely misspelt
 */
export function checkServerSlos(slos: readonly Slo[], servers: KnownServers): string[] {
  return slos.filter(({ source }) => source === "server").flatMap((slo) => {
    const doubt = checkName(slo, servers);
    return doubt === undefined ? [] : [`--slo: ${doubt}`];
  });
}

function checkName(slo: Slo, servers: KnownServers): string | undefined {
  const { families, possible, isComplete, isRead } = servers;
  const { name, metric } = slo;
  if (!isRead) {
    checkWithoutServers(metric, possible);
    return `No server's metrics can be read: ${name} counts as missed`;
  }
  if (families.length === 0) {
    return `No server's metrics can be read now: ${name} counts as missed if that stays so`;
  }
  const names = families.map((family) => family.name);
  const role = roleNamed(metric);
  if (role !== undefined && haveRole(families, role)) {
    checkStatistic(slo, [{ name: metric, type: roleType(role) }]);
    return undefined;
  }
  const meant = new Set(namesMeant(metric, names));
  if (meant.size > 0) {
    checkStatistic(slo, families.filter((family) => meant.has(family.name)));
    return undefined;
  }
  const later = `No server exposes "${metric}" yet; ${name} is evaluated at the end of the run`;
  if (isPossible(metric, possible) && !isComplete) return later;
  const guess = nearestServerName(metric, isComplete ? names : [...names, ...possible]);
  if (guess === undefined && !isComplete) return later;
  throw new UsageError("--slo", unknownServerMetric(metric, names, guess));
}

/**
 * Checks a name if no server metrics are available to check it against.
 * @param possible names of metrics that servers are known to have
 * @throws {UsageError} for a name that is not among them
 */
export function checkWithoutServers(metric: string, possible: readonly string[]): void {
  if (isPossible(metric, possible)) return;
  const guess = nearestServerName(metric, possible);
  throw new UsageError(
    "--slo",
    `There are no servers' metrics, and no known server reports "${metric}"` +
      (guess === undefined ? "" : `, did you mean "${guess}"?`),
  );
}

function isPossible(metric: string, possible: readonly string[]): boolean {
  return roleNamed(metric) !== undefined || namesMeant(metric, possible).length > 0;
}

function roleType(name: RoleName | ShareName): string {
  return isShare(name) ? "ratio" : ROLE_TYPES[ROLES[name].kind];
}

/** Returns the message for a name that no server has. */
export function unknownServerMetric(
  metric: string,
  names: readonly string[],
  guess = nearestServerName(metric, names),
): string {
  // A name for all servers is no answer to itself.
  const advice = guess !== undefined && guess !== metric.toLowerCase()
    ? `did you mean "${guess}"?`
    : `there are ${names.slice(0, MAX_LISTED).join(", ")}` +
      (names.length > MAX_LISTED ? ` and ${names.length - MAX_LISTED} more` : "");
  return `No server reports "${metric}", ${advice}`;
}

/** @throws {UsageError} if no metric of that name has the statistic */
function checkStatistic({ metric, statistic }: Slo, families: readonly ServerFamily[]): void {
  const known = families.map(({ type }) => STATISTICS.get(type));
  if (known.some((has) => has === undefined || has(statistic))) return;
  const [first] = families as [ServerFamily];
  const listed = SERVER_STATISTICS.filter((name) =>
    !/_/.test(name) && (known[0] as (name: string) => boolean)(name)
  );
  throw new UsageError(
    "--slo",
    `"${metric}" is a ${first.type} and has no ${statistic}, but ${listed.join(", ")}`,
  );
}
