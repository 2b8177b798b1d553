import type { TruthInput, TruthPart } from "./truth_part.ts";

/** Metrics of the instances of a pool, by name. */
export type PoolTruth = Readonly<Record<string, number | null>>;

/** Pools of a deployment that separates prefill and decode; null if it does not. */
export interface PoolsTruth {
  readonly prefill: PoolTruth | null;
  readonly decode: PoolTruth | null;
}

const LEVELS = ["running", "waiting", "kv_usage"] as const;
const COUNTS = ["requests", "prompt_tokens", "generation_tokens"] as const;
const NO_POOL = "no server is known to be of this pool";

/** Metrics by pool. */
export function poolsTruth({ roles }: TruthInput): TruthPart<PoolsTruth> {
  const known = { prefill: null, decode: null } as Record<"prefill" | "decode", PoolTruth | null>;
  for (const pool of ["prefill", "decode"] as const) {
    const query = { selector: [["engine_type", pool]] } as const;
    const figures = [
      ...LEVELS.map((role) => [role, roles?.figure(role, query)?.stats["avg"]] as const),
      ...COUNTS.map((role) => [role, roles?.figure(role, query)?.stats["total"]] as const),
    ].filter(([, value]) => value !== undefined);
    if (figures.length > 0) known[pool] = Object.fromEntries(figures) as PoolTruth;
  }
  const missing = (["prefill", "decode"] as const).filter((pool) => known[pool] === null);
  return {
    values: known,
    reasons: Object.fromEntries(missing.map((pool) => [pool, NO_POOL])),
  };
}
