import { POOLS } from "../../telemetry/engines/place.ts";
import type { RoleName } from "../../telemetry/engines/roles.ts";
import { poolRates } from "./pool_rates.ts";
import type { ServerRoles } from "./server_roles.ts";
import type { TruthInput, TruthPart } from "./truth_part.ts";

/** Metrics of the instances of a pool, by name. */
export type PoolTruth = Readonly<Record<string, number | null>>;

/** Pools of a deployment that separates prefill and decode; null if it does not. */
export interface PoolsTruth {
  readonly prefill: PoolTruth | null;
  readonly decode: PoolTruth | null;
  /** Instances of such a deployment that prefill and decode; missing if there are none. */
  readonly unified?: PoolTruth;
}

/** Names, roles and statistics of a pool's metrics. */
const METRICS: readonly (readonly [name: string, role: RoleName, statistic: string])[] = [
  ["running_avg", "running", "avg"],
  ["running_max", "running", "max"],
  ["waiting_avg", "waiting", "avg"],
  ["waiting_max", "waiting", "max"],
  ["transfer_queues_avg", "waiting_pd", "avg"],
  ["kv_cache_usage_avg", "kv_usage", "avg"],
  ["kv_cache_usage_max", "kv_usage", "max"],
  ["requests", "requests", "total"],
  ["prompt_tokens", "prompt_tokens", "total"],
  ["computed_prompt_tokens", "computed_prompt_tokens", "total"],
  ["generation_tokens", "generation_tokens", "total"],
  ["preemptions", "preemptions", "total"],
  ["transfer_failures", "transfer_failures", "total"],
];

const NO_PAIR = "servers are not known to separate prefill and decode: see --server-metrics";
const NO_POOL = "no server of this pool is scraped: name it with --server-metrics";

/** Metrics by pool. */
export function poolsTruth({ plan, roles }: TruthInput): TruthPart<PoolsTruth> {
  const known = roles === undefined ? new Map<string, PoolTruth>() : new Map(
    roles.pools.map((pool) =>
      [
        pool as string,
        { ...poolTruth(roles, pool), ...poolRates(roles, pool, plan.gpus) },
      ] as const
    ),
  );
  const unified = known.get("unified");
  const missing = POOLS.filter((pool) => pool !== "unified" && !known.has(pool));
  const reason = known.size === 0 ? NO_PAIR : NO_POOL;
  return {
    values: {
      prefill: known.get("prefill") ?? null,
      decode: known.get("decode") ?? null,
      ...(unified === undefined ? {} : { unified }),
    },
    reasons: Object.fromEntries(missing.map((pool) => [pool, reason])),
  };
}

function poolTruth(roles: ServerRoles, pool: ServerRoles["pools"][number]): PoolTruth {
  const query = { pools: [pool] };
  const hitRate = pool === "decode" ? undefined : roles.share("prefix_hit_share", query);
  return Object.fromEntries([
    ...METRICS.flatMap(([name, role, statistic]): [string, number][] => {
      const figure = roles.figure(role, query);
      const value = figure?.stats[statistic];
      if (value === undefined || figure?.lateSeconds !== undefined) return [];
      return [[name, figure?.unit === "percent" ? value / 100 : value]];
    }),
    ...(hitRate === undefined ? [] : [["prefix_hit_rate", hitRate] as const]),
  ]);
}
