import { CallHeap } from "./call_heap.ts";
import {
  type CallEdge,
  followersOf,
  type GapRule,
  type GraphCall,
  ruledGapMs,
} from "./session_graph.ts";

/** Times of one call, in milliseconds from the start of the session. */
export interface CallTimes {
  /** Earliest start by its edges. */
  readonly dueMs: number;
  /** Start: later than due if the session already had its maximum number of calls in flight. */
  readonly startMs: number;
  readonly endMs: number;
}

/** Conditions under which a session is planned. */
export interface PlanConditions {
  /** Returns the milliseconds from a call's start to its end. */
  replyMs(call: number): number;
  readonly gapRule: GapRule;
  /** Calls of the session that are in flight at most. @default Infinity */
  readonly maxParallel?: number;
}

/**
 * Returns when each call of a session starts and ends if every reply takes a known time. Calls that
 * are due while the maximum number is in flight wait in the order of their due times, then numbers.
 * @throws {RangeError} if calls wait for each other in a circle
 */
export function plannedCalls(
  calls: readonly GraphCall[],
  { replyMs, gapRule, maxParallel = Infinity }: PlanConditions,
): CallTimes[] {
  const followers = followersOf(calls);
  const open = calls.map(({ edges }) => edges.length);
  const [dueMs, startMs, endMs] = [0, 1, 2].map(() => new Float64Array(calls.length).fill(NaN)) as [
    Float64Array,
    Float64Array,
    Float64Array,
  ];
  const queue = new CallHeap();
  const running = new CallHeap();
  let [inFlight, left, nowMs] = [0, calls.length, 0];
  const eventMs = ({ from, on }: CallEdge) => (on === "end" ? endMs : startMs)[from] as number;
  const enqueue = (call: number): void => {
    const { edges, offsetMs, notBeforeMs } = calls[call] as GraphCall;
    let due = edges.length === 0 ? ruledGapMs(offsetMs, gapRule) : -Infinity;
    for (const edge of edges) due = Math.max(due, eventMs(edge) + ruledGapMs(edge.gapMs, gapRule));
    if (edges.length > 0 && gapRule.kind === "recorded") due = Math.max(due, notBeforeMs ?? 0);
    dueMs[call] = due;
    queue.push(due, call);
  };
  const meet = (call: number, on: CallEdge["on"]): void => {
    for (const next of new Set(followers[call])) {
      const met = calls[next]?.edges.filter((edge) => edge.from === call && edge.on === on).length;
      if (met === undefined || met === 0) continue;
      open[next] = (open[next] as number) - met;
      if (open[next] === 0) enqueue(next);
    }
  };
  calls.forEach((_, call) => open[call] === 0 ? enqueue(call) : undefined);
  while (left > 0) {
    const next = queue.first;
    const mayStart = next !== undefined && (calls[next]?.isVirtual || inFlight < maxParallel);
    const nextMs = mayStart ? Math.max(nowMs, queue.firstMs) : Infinity;
    if (running.size > 0 && running.firstMs <= nextMs) {
      nowMs = running.firstMs;
      const ended: number[] = [];
      while (running.size > 0 && running.firstMs === nowMs) ended.push(running.pop() as number);
      for (const call of ended) {
        endMs[call] = nowMs;
        left--;
        if (!calls[call]?.isVirtual) inFlight--;
        meet(call, "end");
      }
    } else if (mayStart) {
      nowMs = nextMs;
      queue.pop();
      startMs[next] = nowMs;
      const isVirtual = calls[next]?.isVirtual === true;
      if (!isVirtual) inFlight++;
      running.push(nowMs + (isVirtual ? 0 : replyMs(next)), next);
      meet(next, "start");
    } else throw new RangeError("Calls wait for each other in a circle");
  }
  return calls.map((_, call) => ({
    dueMs: dueMs[call] as number,
    startMs: startMs[call] as number,
    endMs: endMs[call] as number,
  }));
}

/** Returns the largest number of calls in flight at one time, calls that send nothing excluded. */
export function peakParallel(
  calls: readonly Pick<GraphCall, "isVirtual">[],
  times: readonly Pick<CallTimes, "startMs" | "endMs">[],
): number {
  const events = calls.flatMap(({ isVirtual }, call): [number, number][] => {
    const { startMs, endMs } = times[call] as CallTimes;
    return isVirtual || Number.isNaN(startMs) ? [] : [[startMs, 1], [endMs, -1]];
  }).sort(([a, up], [b, down]) => a - b || up - down);
  let [peak, inFlight] = [0, 0];
  for (const [, change] of events) {
    inFlight += change;
    peak = Math.max(peak, inFlight);
  }
  return peak;
}
