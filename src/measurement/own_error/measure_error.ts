import { JUDGED_STATISTICS } from "./bounded_statistics.ts";
import { ErrorFinder, type MeasuredRequests, RATES } from "./error_finder.ts";
import { goodputBounds } from "./goodput_bounds.ts";
import { MAX_LOST_SHARE } from "./lost_time.ts";
import { atBestSuspect, type MeasurementError, worstVerdict } from "./measurement_error.ts";
import { unknownErrors } from "./unknown_errors.ts";

/**
 * Finds between which values the true statistics lie: those of the times at which the server wrote,
 * counted from the starts of the requests as they were recorded. Undefined without canaries, and
 * without a request that succeeded.
 */
export function measureError(
  measured: MeasuredRequests,
): Omit<MeasurementError, "reasons"> | undefined {
  const { delays, hasCanaries, results } = measured;
  const isAnyRead = [...delays.all.values()].some(({ readNs }) => readNs.length > 0);
  if (!isAnyRead && hasCanaries !== true) return undefined;
  const metrics = isAnyRead ? new ErrorFinder(measured).metrics() : unknownErrors(results, RATES);
  if (metrics === undefined || metrics.size === 0) return undefined;
  for (const [tag, errors] of goodputBounds({ ...measured, metrics })) metrics.set(tag, errors);
  if (delays.lost.share > MAX_LOST_SHARE) {
    // Rates have one late chunk only, and a bound for it.
    for (const [tag, errors] of metrics) {
      if (!RATES.includes(tag)) metrics.set(tag, atBestSuspect(errors));
    }
  }
  const verdict = worstVerdict(
    JUDGED_STATISTICS.map(([tag, statistic]) => metrics.get(tag)?.[statistic]?.verdict ?? "valid"),
  );
  return { verdict, metrics };
}
