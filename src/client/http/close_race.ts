/**
 * A server that closes an idle connection while a request travels to it has not read that request. Its
 * close arrives within a round trip or so of the write. A close that comes later ends a request that
 * the server had, and may have worked on.
 */

import type { TraceMarks } from "./transport.ts";

/** Time after the write within which any close may be a race. */
const MIN_RACE_NS = 20e6;
/** Number of connect times within which it may be one; each takes a round trip or more. */
const RACE_CONNECTS = 3;

/**
 * Whether a connection closed so soon after a request was written that the server need not have seen
 * it. A request that was not written to its end lost the race in any case.
 * @param closedNs when the close was read
 * @param connectingNs how long the connection took to open; 0 if that is not known
 */
export function isCloseRace(
  { sendStartNs, sendEndNs }: Pick<TraceMarks, "sendStartNs" | "sendEndNs">,
  closedNs: number,
  connectingNs: number,
): boolean {
  const waitNs = closedNs - (Number.isNaN(sendEndNs) ? sendStartNs : sendEndNs);
  return Number.isNaN(sendEndNs) || waitNs <= Math.max(MIN_RACE_NS, RACE_CONNECTS * connectingNs);
}
