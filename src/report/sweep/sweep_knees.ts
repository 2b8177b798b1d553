import { loadsOf, workloadOf } from "./load_parameters.ts";
import { UNBOUNDED } from "../../core/statistics/unbounded.ts";
import { meanOf, type PointResults } from "./point_results.ts";
import { throughputKey } from "./sweep_front.ts";

/** Share of the best throughput below which a point is not as good. */
const NEAR = 0.05;

/**
 * Finds the knee of each workload of a sweep: the smallest load whose throughput is within 5 % of the
 * best, or inside the joint 95 % interval of both. A workload of a single load has none.
 */
export function sweepKnees(results: readonly PointResults[]): ReadonlySet<PointResults> {
  const done = results.filter(({ successful }) => successful.length > 0);
  const gain = throughputKey(done);
  const knees = new Set<PointResults>();
  if (gain === undefined) return knees;
  for (const points of Map.groupBy(done, ({ point }) => workloadOf(point)).values()) {
    const loads = new Set(points.map(({ point }) => JSON.stringify(loadsOf(point).map(String))));
    if (loads.size < 2) continue;
    const throughput = (point: PointResults): number => meanOf(point, gain) as number;
    const best = points.reduce((best, one) => throughput(one) > throughput(best) ? one : best);
    const knee = points.toSorted(({ point: a }, { point: b }) => byLoad(loadsOf(a), loadsOf(b)))
      .find((one) =>
        throughput(best) - throughput(one) <=
          Math.max(NEAR * throughput(best), jointHalf(one, best, gain))
      );
    knees.add(knee as PointResults);
  }
  return knees;
}

/** Half of the interval of the difference of two independent values, on the sides that face each other. */
function jointHalf(one: PointResults, best: PointResults, key: string): number {
  if (one === best) return 0;
  const [low, high] = [one.shown.get(key), best.shown.get(key)];
  if (low?.sampling === undefined || high?.sampling === undefined) return 0;
  if (low.sampling.upper >= UNBOUNDED) return 0;
  return Math.hypot(low.sampling.upper - low.mean, high.mean - high.sampling.lower);
}

function byLoad(a: readonly number[], b: readonly number[]): number {
  const at = a.findIndex((value, index) => value !== b[index]);
  return at < 0 ? 0 : (a[at] as number) < (b[at] as number) ? -1 : 1;
}
