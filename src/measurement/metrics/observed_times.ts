import type { CensoredRequest } from "./censored_requests.ts";
import type { MetricTag } from "./metric_tag.ts";

/**
 * Returns the observed times of a metric for requests that the client ended while they waited, in
 * milliseconds.
 */
export function observedTimes(
  tag: MetricTag,
  censored: readonly CensoredRequest[],
): { readonly known: readonly number[]; readonly observed: readonly number[] } {
  const observed = (some: readonly CensoredRequest[]) => some.map(({ observedMs }) => observedMs);
  switch (tag) {
    case "request_latency":
      return { known: [], observed: observed(censored) };
    case "time_to_first_token": {
      const known = censored.flatMap(({ ttftMs }) => Number.isNaN(ttftMs) ? [] : [ttftMs]);
      return { known, observed: observed(censored.filter(({ ttftMs }) => Number.isNaN(ttftMs))) };
    }
    default:
      return { known: [], observed: [] };
  }
}
