import type { CallTimes } from "./planned_calls.ts";
import { type CallEdge, type GapRule, type GraphCall, ruledGapMs } from "./session_graph.ts";

/** The calls and waits that determine the duration of a session. */
export interface CriticalPath {
  /** Numbers of the calls, the first one first. */
  readonly calls: readonly number[];
  /** Milliseconds in calls. */
  readonly modelMs: number;
  /** Milliseconds between calls, by who works in them; the sum is the duration minus the others. */
  readonly gapMs: Readonly<Record<"tool" | "user" | "agent", number>>;
  /** Milliseconds in which calls were due and not sent. */
  readonly waitMs: number;
  /** Milliseconds from the start of the session to its last end. */
  readonly durationMs: number;
}

/**
 * Returns the critical path of a session: from the last end back over the edge that was met last, of
 * equal ones the edge of the smaller call number. Its parts add up to the duration exactly.
 * @param times of the calls; NaN for calls that were not sent
 */
export function criticalPath(
  calls: readonly GraphCall[],
  times: readonly CallTimes[],
  gapRule: GapRule,
): CriticalPath {
  let last = -1;
  times.forEach(({ endMs }, call) => {
    if (!(endMs <= (times[last]?.endMs ?? -Infinity)) && !Number.isNaN(endMs)) last = call;
  });
  const path: number[] = [];
  const gapMs = { tool: 0, user: 0, agent: 0 };
  let [modelMs, waitMs] = [0, 0];
  const eventMs = ({ from, on }: CallEdge): number => {
    const { startMs, endMs } = times[from] as CallTimes;
    return on === "end" ? endMs : startMs;
  };
  const metMs = (edge: CallEdge): number => eventMs(edge) + ruledGapMs(edge.gapMs, gapRule);
  for (let call = last, countsReply = true; call >= 0;) {
    const { edges, gapClass } = calls[call] as GraphCall;
    const { dueMs, startMs, endMs } = times[call] as CallTimes;
    path.push(call);
    if (countsReply) modelMs += endMs - startMs;
    waitMs += startMs - dueMs;
    let latest: CallEdge | undefined;
    for (const edge of edges) {
      const later = latest === undefined ? Infinity : metMs(edge) - metMs(latest);
      if (later > 0 || (later === 0 && edge.from < (latest?.from ?? 0))) latest = edge;
    }
    gapMs[gapClass ?? "agent"] += dueMs - (latest === undefined ? 0 : eventMs(latest));
    if (latest === undefined) break;
    countsReply = latest.on === "end";
    call = latest.from;
  }
  return {
    calls: path.reverse(),
    modelMs,
    gapMs,
    waitMs,
    durationMs: times[last]?.endMs ?? 0,
  };
}
