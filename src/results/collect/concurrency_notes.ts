import type { SessionResults } from "../../measurement/metrics/session_results.ts";
import type { SessionTimes } from "../../measurement/metrics/session_times.ts";
import type { LoadReport } from "../../report/model/load_report.ts";
import type { RequestCounts } from "../../report/model/profile_report.ts";

/** Share of the planned requests that must be in flight. */
const MIN_IN_FLIGHT_SHARE = 0.95;

/** Facts on which {@linkcode concurrencyNotes} depend. */
export interface ConcurrencyFacts {
  readonly load: Pick<LoadReport, "meanInFlight" | "targetInFlight">;
  readonly requests: Pick<RequestCounts, "succeeded">;
  /** undefined if each session is one request. */
  readonly sessions: Pick<SessionResults, "enteredInMiddle" | "started" | "times"> | undefined;
}

/**
 * Returns a note if a closed loop did not reach its concurrency: requests in flight on average, or the
 * peak of sessions in progress if they have several requests, because they keep their slots between
 * two requests.
 */
export function concurrencyNotes({ load, requests, sessions }: ConcurrencyFacts): string[] {
  const { meanInFlight, targetInFlight } = load;
  if (targetInFlight === undefined || requests.succeeded === 0) return [];
  if (sessions !== undefined) return sessionNotes(sessions, targetInFlight);
  if (!(meanInFlight < MIN_IN_FLIGHT_SHARE * targetInFlight)) return [];
  return [
    `Only ${
      meanInFlight.toPrecision(3)
    } of ${targetInFlight} requests were in flight on average: ` +
    "the concurrency was not reached",
  ];
}

function sessionNotes(
  { enteredInMiddle, started, times }: NonNullable<ConcurrencyFacts["sessions"]>,
  planned: number,
): string[] {
  const peak = peakSessions(times);
  // A session that is entered in its middle may hold its slot long before it sends a request.
  if (peak >= planned || enteredInMiddle > 0 && started >= planned) return [];
  const cause = started < planned
    ? `, the run had only ${started} ${started === 1 ? "session" : "sessions"}`
    : "";
  return [
    `At most ${peak} of ${planned} sessions were in progress at the same time: the concurrency was ` +
    `not reached${cause}`,
  ];
}

/** Returns the largest number of sessions in progress, each from its first start to its last end. */
function peakSessions(sessions: readonly SessionTimes[]): number {
  const starts = Float64Array.from(sessions, ({ treeStartNs }) => treeStartNs).sort();
  const ends = Float64Array.from(sessions, ({ treeEndNs }) => treeEndNs).sort();
  let peak = 0;
  let ended = 0;
  starts.forEach((startNs, begun) => {
    // A session that ends as another one starts has given it its slot.
    while (ended < begun && (ends[ended] as number) <= startNs) ended++;
    peak = Math.max(peak, begun + 1 - ended);
  });
  return peak;
}
