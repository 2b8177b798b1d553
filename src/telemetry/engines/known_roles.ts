/** Roles of servers by the names of their metrics, before any of them has values. */

import { pageEngines, type SeriesHead } from "./page_engines.ts";
import { roleSource } from "./role_series.ts";
import { isShare, type RoleName, type ShareName, SHARES } from "./roles.ts";

/** Name and type of a metric. */
export type MetricHead = Omit<SeriesHead, "labels">;

/** Whether metrics of these names give a role, or both parts of a ratio. */
export function haveRole(metrics: readonly MetricHead[], name: RoleName | ShareName): boolean {
  const roles = isShare(name) ? [SHARES[name].part, SHARES[name].whole] : [name];
  return [...pageEngines(metrics.map(withoutLabels))].some(([engine, own]) =>
    roles.every((role) => roleSource(engine, own, role) !== undefined)
  );
}

/**
 * Whether a server with these metrics shows all that it has: it counts what it has served, be it
 * nothing, so it does not wait for a first request with anything.
 */
export function showAll(metrics: readonly MetricHead[]): boolean {
  return haveRole(metrics, "requests") || haveRole(metrics, "generation_tokens");
}

function withoutLabels({ name, type }: MetricHead): SeriesHead {
  return { name, type, labels: [] };
}
