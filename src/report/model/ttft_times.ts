import { distributionOf, type MetricResults } from "../../measurement/metrics/metric_results.ts";
import type { MetricTag } from "../../measurement/metrics/metric_tag.ts";
import type { Pool } from "../../telemetry/engines/place.ts";
import type { RoleName } from "../../telemetry/engines/roles.ts";
import { MS_PER } from "./milliseconds.ts";
import type { RoleQuery } from "./role_figure.ts";
import type { ServerRoles } from "./server_roles.ts";
import type { EngineTimes, MeanTime, RepliedTimes, TtftTimes } from "./ttft_parts.ts";

/** The client's mean time to first token; undefined if replies are not streamed. */
export function clientTtft(results: MetricResults): MeanTime | undefined {
  return meanOf(results, "time_to_first_token");
}

/** The times of servers by their metrics. */
export function countedTimes(client: MeanTime, roles: ServerRoles): TtftTimes {
  const front = meanTime(roles, "ttft", { layers: ["front"] });
  if (roles.pools.length === 0) return { client, front, unified: engineTimes(roles) };
  const decode = poolTimes(roles, "decode");
  return {
    client,
    front,
    unified: poolTimes(roles, "unified"),
    prefill: poolTimes(roles, "prefill") ?? {},
    decode: decode ?? {},
    transfer: decode?.ttft && transferTime(roles, decode.ttft.count),
  };
}

/** The times that replies report. */
export function repliedTimes(results: MetricResults): RepliedTimes {
  return {
    queue: meanOf(results, "reported_queue_time"),
    prefill: meanOf(results, "reported_prefill_time"),
    ttft: meanOf(results, "reported_time_to_first_token"),
  };
}

function meanOf(results: MetricResults, tag: MetricTag): MeanTime | undefined {
  const found = distributionOf(results, tag);
  return found && { ms: found.avg, count: found.count };
}

function poolTimes(roles: ServerRoles, pool: Pool): EngineTimes | undefined {
  return roles.pools.includes(pool) ? engineTimes(roles, { pools: [pool] }) : undefined;
}

function engineTimes(roles: ServerRoles, query: RoleQuery = {}): EngineTimes {
  const ofEngines: RoleQuery = { ...query, layers: ["engine"] };
  return {
    ttft: meanTime(roles, "ttft", ofEngines),
    queue: meanTime(roles, "queue", ofEngines),
    prefill: meanTime(roles, "prefill", ofEngines),
  };
}

/** A mean time of a role; undefined if nothing was observed. */
export function meanTime(
  roles: ServerRoles,
  role: RoleName,
  query: RoleQuery,
): MeanTime | undefined {
  const figure = roles.figure(role, query);
  const { avg, count = 0 } = figure?.stats ?? {};
  const toMs = figure && MS_PER.get(figure.unit);
  return avg === undefined || toMs === undefined || count === 0
    ? undefined
    : { ms: avg * toMs, count };
}

/** Whether transfers failed, whose time servers do not report. */
export function hasFailedTransfers(roles: ServerRoles): boolean {
  return (roles.figure("transfer_failures")?.stats["total"] ?? 0) > 0;
}

/**
 * Transfer time of a request: engines observe one transfer or several for each.
 * @param requests requests of the decode instances
 */
function transferTime(roles: ServerRoles, requests: number): MeanTime | undefined {
  if (hasFailedTransfers(roles)) return undefined;
  const figure = roles.figure("transfer_time");
  const { count = 0, sum } = figure?.stats ?? {};
  const toMs = figure && MS_PER.get(figure.unit);
  if (sum !== undefined && toMs !== undefined && count > 0) {
    return { ms: sum * toMs / requests, count: requests };
  }
  const totalMs = roles.figure("transfer_ms")?.stats["total"] ?? 0;
  return totalMs > 0 ? { ms: totalMs / requests, count: requests } : undefined;
}
