import { type Shard, shareOf } from "../shard/shard.ts";
import type { LoadPlan, PhasePlan } from "./run_plan.ts";

/**
 * A phase with the numbers that one shard has of it, for those who look on. Rates are its mean part:
 * when each request is sent follows from the whole phase.
 */
export function phaseOfShard(phase: PhasePlan, shard: Shard | undefined): PhasePlan {
  if (shard === undefined) return phase;
  const { load, requestCount, sessionCount, prefill } = phase;
  return {
    ...phase,
    load: loadOfShard(load, shard),
    requestCount: shareOf(requestCount, shard),
    ...(sessionCount === undefined ? {} : { sessionCount: shareOf(sessionCount, shard) }),
    ...(prefill === undefined
      ? {}
      : { prefill: { ...prefill, limit: shareOf(prefill.limit, shard) } }),
  };
}

function loadOfShard(load: LoadPlan, shard: Shard): LoadPlan {
  const concurrency = shareOf(load.concurrency, shard);
  if (load.loop === "closed") return { ...load, concurrency };
  const { ratePerSecond, rateSeries, users } = load;
  const rateOf = (ratePerSecond: number): number => ratePerSecond / shard.count;
  return {
    ...load,
    concurrency,
    ratePerSecond: rateOf(ratePerSecond),
    ...(rateSeries === undefined ? {} : {
      rateSeries: rateSeries.map((point) => ({
        ...point,
        ratePerSecond: rateOf(point.ratePerSecond),
      })),
    }),
    ...(users === undefined ? {} : { users: shareOf(users, shard) }),
  };
}
