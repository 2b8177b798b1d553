import type { GpuCounts } from "../../config/plan/gpu_counts.ts";
import type { Pool } from "../../telemetry/engines/place.ts";
import type { RoleName } from "../../telemetry/engines/roles.ts";
import { MS_PER } from "./milliseconds.ts";
import type { ServerRoles } from "./server_roles.ts";

/** Tokens that the instances of a pool work on, by the beginning of the names of their rates. */
const WORK: Readonly<Record<Pool, readonly (readonly [name: string, role: RoleName])[]>> = {
  prefill: [
    ["prompt_tokens", "prompt_tokens"],
    ["computed_prompt_tokens", "computed_prompt_tokens"],
  ],
  decode: [["generation_tokens", "generation_tokens"]],
  unified: [],
};

/**
 * Rates of the tokens that a pool works on: per second, per GPU of the pool, and per GPU of all, as far
 * as GPUs are stated; and requests in prefill or decode per instance.
 */
export function poolRates(
  roles: ServerRoles,
  pool: Pool,
  gpus: GpuCounts | undefined,
): Record<string, number> {
  const query = { pools: [pool] };
  const own = pool === "unified" ? undefined : gpus?.[pool];
  const rates = WORK[pool].flatMap(([name, role]): [string, number][] => {
    const perSecond = roles.figure(role, query)?.stats["rate"];
    if (perSecond === undefined) return [];
    const rate = `${name}_per_second`;
    return [
      [rate, perSecond],
      ...pairs(`${rate}_per_${pool}_gpu`, own && perSecond / own),
      ...pairs(`${rate}_per_gpu`, gpus && perSecond / gpus.total),
    ];
  });
  const busy = busyPerInstance(roles, pool);
  return Object.fromEntries([...rates, ...pairs(`${pool}_requests_per_instance`, busy)]);
}

/** A name with its value; nothing if it has none. */
function pairs(name: string, value: number | undefined): [string, number][] {
  return value === undefined ? [] : [[name, value]];
}

/** Time of prefill or decode of all requests by the time of the run and by instances. */
function busyPerInstance(roles: ServerRoles, pool: Pool): number | undefined {
  if (pool === "unified") return undefined;
  const figure = roles.figure(pool, { pools: [pool] });
  const { "sum_rate": perSecond } = figure?.stats ?? {};
  const toMs = figure && MS_PER.get(figure.unit);
  return figure === undefined || perSecond === undefined || toMs === undefined
    ? undefined
    : perSecond * toMs / 1e3 / figure.instances;
}

/** Pool that requests wait for, and how many wait on average. */
export interface PoolWait {
  readonly pool: "prefill" | "decode";
  readonly waiting: number;
}

/**
 * The pool that limits a pair: requests wait for it for more than half of the time, while none wait for
 * the other one, for more than half of the time. undefined where nothing of that kind is seen.
 */
export function waitedPool(roles: ServerRoles): PoolWait | undefined {
  const waits = (["prefill", "decode"] as const).map((pool) => {
    const queues = (["waiting", "waiting_pd"] as const)
      .flatMap((role) => roles.figure(role, { pools: [pool] }) ?? [])
      .filter(({ lateSeconds }) => lateSeconds === undefined);
    const sum = (statistic: string): number =>
      queues.reduce((sum, { stats }) => sum + (stats[statistic] ?? 0), 0);
    return { pool, isKnown: queues.length > 0, median: sum("p50"), waiting: sum("avg") };
  });
  const [limit, ...others] = waits.filter(({ median }) => median > 0);
  if (limit === undefined || others.length > 0 || !waits.every(({ isKnown }) => isKnown)) {
    return undefined;
  }
  return { pool: limit.pool, waiting: limit.waiting };
}
