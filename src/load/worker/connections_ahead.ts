import type { LoadPlan } from "../../config/plan/run_plan.ts";
import type { Shard } from "../../config/shard/shard.ts";
import { limitCurve } from "../workload/limit_curve.ts";
import type { Workload } from "../workload/workload.ts";

/** Time whose arrivals get connections beforehand: few replies of a model are complete by then. */
const WINDOW_NS = 200e6;
/** Maximum number of connections opened ahead: more would delay the start too much. */
const MAX_CONNECTIONS = 256;

/**
 * How many connections to open before an open loop begins: one for each request of its first
 * moments. What opening one costs would else be time in which the next request is due; and a thread
 * that is late finds fewer connections idle, and has to open still more.
 */
export function connectionsAhead(
  { concurrency, concurrencyRamp }: Extract<LoadPlan, { loop: "open" }>,
  workload: Workload,
  shard?: Shard,
): number {
  const { sessionCount, readyCount = Infinity } = workload;
  const cap = limitCurve(concurrency, concurrencyRamp, shard).at(WINDOW_NS);
  const most = Math.min(MAX_CONNECTIONS, cap, sessionCount, readyCount);
  let count = 0;
  while (count < most && workload.arrivalNs(count) < WINDOW_NS) count++;
  return count;
}
