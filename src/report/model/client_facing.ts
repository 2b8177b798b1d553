import { OUTERMOST_FIRST } from "../../telemetry/engines/engine.ts";
import type { Pool } from "../../telemetry/engines/place.ts";
import type { RoleName } from "../../telemetry/engines/roles.ts";
import type { RoleFigure } from "./role_figure.ts";
import type { ServerRoles } from "./server_roles.ts";

/**
 * Pools whose instances count what a client does, where each instance of a prefill/decode pair counts
 * every request. A time of either pool is only a part of the client's.
 */
const POOLS_OF: Readonly<Partial<Record<RoleName, readonly Pool[]>>> = {
  requests: ["decode", "unified"],
  "prompt_tokens": ["prefill", "unified"],
  "generation_tokens": ["decode", "unified"],
  itl: ["decode", "unified"],
  tpot: ["decode", "unified"],
};

/**
 * The number of a role that corresponds to the client's: that of the outermost front that reports it,
 * else of the pool that does the work, else of the engines.
 * @param ownUrls metrics endpoints of the inference servers themselves: if they have a metric, what
 * others report is not counted a second time
 */
export function clientFacing(
  roles: ServerRoles,
  role: RoleName,
  ownUrls: ReadonlySet<string>,
): RoleFigure | undefined {
  if (roles.pools.length === 0) {
    return roles.figure(role, { layers: OUTERMOST_FIRST, preferred: ownUrls });
  }
  const front = roles.figure(role, { layers: ["front"] });
  if (front !== undefined) return front;
  const ofPools = (pools: readonly Pool[]): RoleFigure | undefined =>
    roles.figure(role, { layers: ["worker", "engine"], pools });
  const pools = POOLS_OF[role];
  const figure = pools && ofPools(pools);
  if (role !== "prompt_tokens") return figure;
  // With conditional disaggregation, only the decode instances see every prompt.
  const decoded = ofPools(["decode", "unified"]);
  return totalOf(decoded) > totalOf(figure) ? decoded : figure;
}

function totalOf(figure: RoleFigure | undefined): number {
  return figure?.stats["total"] ?? 0;
}
