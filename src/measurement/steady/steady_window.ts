import { orderOf } from "../../core/statistics/order_of.ts";
import type { RecordTable } from "../metrics/record_table.ts";
import { type BacklogSlope, backlogSlope } from "./backlog.ts";
import { mserTruncation } from "./mser_truncation.ts";
import { type OfferedLoad, type OfferedRequests, offeredWindow } from "./offered_load.ts";

/** Fewest requests that start in a steady state. */
const MIN_REQUESTS = 30;
/** Share of the offered rate that may remain unserved while a backlog grows. */
const MAX_UNSERVED_SHARE = 0.05;

/** Time in which load and server are in a steady state, or why there is none. */
export type SteadyWindow =
  | {
    /** Times in ns of the run's clock. */
    readonly startNs: number;
    readonly endNs: number;
    /** How start and end were found. */
    readonly rule: string;
  }
  | { readonly none: string };

/**
 * Offered load of a run and its outcome, over its steady state, or over all of its offered load.
 */
export interface LoadFacts {
  /** Arrivals per second; of a closed loop, starts. NaN if load was never offered. */
  readonly offeredPerSecond: number;
  /** Valid replies per second. */
  readonly servedPerSecond: number;
  /** Mean number of requests in flight. */
  readonly meanInFlight: number;
  /** Number in flight that the plan asks for; undefined for an open loop. */
  readonly targetInFlight: number | undefined;
  /** Growth of the backlog; undefined for a closed loop. */
  readonly backlog: BacklogSlope | undefined;
  /** Share of the run, from the first start to the last end, that comes after the last start. */
  readonly afterLastStartShare: number;
}

interface TimeSpan {
  readonly startNs: number;
  readonly endNs: number;
}

/** Load of a part of a run, with the requests that straddle its ends. */
export function loadWithin(table: RecordTable, load: OfferedLoad, span: TimeSpan): LoadFacts {
  const { straddling } = table;
  const joined = (own: Float64Array, others: Float64Array): Float64Array => {
    const all = new Float64Array(own.length + others.length);
    all.set(own);
    all.set(others, own.length);
    return all;
  };
  const requests: OfferedRequests = {
    startNs: joined(table.allStartNs.values, straddling.allStartNs.values),
    endNs: joined(table.allEndNs.values, straddling.allEndNs.values),
    intendedNs: joined(table.intendedNs.values, straddling.intendedNs.values),
    sessions: table.sessions.values,
  };
  const contentEndNs = joined(table.contentEndNs.values, straddling.contentEndNs.values);
  return factsOf({ table, requests, contentEndNs }, load, span, span);
}

/** Steady state of the requests of a table, and its load. */
export function steadyWindow(
  table: RecordTable,
  load: OfferedLoad,
): { readonly window: SteadyWindow; readonly facts: LoadFacts } {
  const requests: OfferedRequests = {
    startNs: table.allStartNs.values,
    endNs: table.allEndNs.values,
    intendedNs: table.intendedNs.values,
    sessions: table.sessions.values,
  };
  const whole = extentOf(requests);
  const source: LoadSource = { table, requests, contentEndNs: table.contentEndNs.values };
  if (load.loop === "varying") {
    const facts = factsOf(source, load, whole, whole);
    return { window: { none: `the load varies on purpose: ${load.form}` }, facts };
  }
  if (load.loop === "closed" && load.firstIdleNs !== undefined) {
    return windowToIdle(source, load, { startNs: whole.startNs, endNs: load.firstIdleNs }, whole);
  }
  const offered = offeredWindow(load, requests);
  if (offered === undefined) {
    const none = load.loop === "closed"
      ? `the ${load.slots} slots were not in use at the same time`
      : "there was one arrival only";
    return { window: { none }, facts: factsOf(source, load, whole, whole) };
  }
  const window = { ...offered, startNs: steadyStart(table, load, offered) };
  const facts = factsOf(source, load, window, whole);
  const none = reasonAgainst(table, requests, window, facts);
  return {
    window: none === undefined ? { ...window, rule: ruleOf(table, load) } : { none },
    facts,
  };
}

/**
 * The window of a scenario: it ends with the first slot that has no session left. It is the
 * scenario's, however few requests there are.
 */
function windowToIdle(
  source: LoadSource,
  load: OfferedLoad,
  span: TimeSpan,
  whole: TimeSpan,
): { readonly window: SteadyWindow; readonly facts: LoadFacts } {
  const isInside = (start: number): boolean => start >= span.startNs && start < span.endNs;
  const window = source.table.startNs.values.some(isInside)
    ? { ...span, rule: "from the first request until the first slot has no session left" }
    : { none: "no request that starts before the first slot has no session left succeeds" };
  return { window, facts: factsOf(source, load, span, whole) };
}

/** Time from the first start to the last end of any request. */
function extentOf({ endNs, startNs }: OfferedRequests): TimeSpan {
  let [first, last] = [Infinity, -Infinity];
  startNs.forEach((start, row) => {
    if (start < first) first = start;
    const end = endNs[row] as number;
    if (end > last) last = end;
  });
  return first < last ? { startNs: first, endNs: last } : { startNs: 0, endNs: 0 };
}

/** Start of the first request that MSER-5 does not truncate. */
function steadyStart(
  table: RecordTable,
  { hasTurns }: Exclude<OfferedLoad, { loop: "varying" }>,
  offered: TimeSpan,
): number {
  // Turns differ from each other in length, so their times have no steady mean.
  if (hasTurns) return offered.startNs;
  const times = table.column("time_to_first_token") ?? table.column("request_latency");
  if (times === undefined) return offered.startNs;
  const starts = table.startNs.values;
  const rows = orderOf(starts).filter((row) =>
    (starts[row] as number) < offered.endNs && !Number.isNaN(times[row] ?? NaN)
  );
  const first = mserTruncation(Float64Array.from(rows, (row) => times[row] as number));
  return first === 0 ? offered.startNs : starts[rows[first] as number] as number;
}

function ruleOf(table: RecordTable, load: Exclude<OfferedLoad, { loop: "varying" }>): string {
  const metric = table.column("time_to_first_token") === undefined ? "request latency" : "TTFT";
  const start = !load.hasTurns
    ? `from the MSER-5 truncation of ${metric}`
    : load.loop === "closed"
    ? "from when 95 % of the slots are taken"
    : "from the first arrival";
  const end = load.loop === "closed"
    ? "until the last time that 95 % of the slots are in use"
    : "to the last planned arrival";
  return `${start} ${end}`;
}

/** Why a window is no steady state; undefined if it is one. */
function reasonAgainst(
  table: RecordTable,
  { startNs: starts }: OfferedRequests,
  { endNs, startNs }: TimeSpan,
  { backlog, offeredPerSecond, servedPerSecond }: LoadFacts,
): string | undefined {
  const isUnserved = offeredPerSecond - servedPerSecond > MAX_UNSERVED_SHARE * offeredPerSecond;
  if (backlog !== undefined && backlog.lower > 0 && isUnserved) {
    return `the backlog grows by ${Number(backlog.perSecond.toPrecision(3))} requests/s`;
  }
  const count = starts.reduce((sum, start) => sum + (start >= startNs && start < endNs ? 1 : 0), 0);
  if (count < MIN_REQUESTS) return `only ${count} requests start in it, fewer than ${MIN_REQUESTS}`;
  const isValid = (start: number): boolean => start >= startNs && start < endNs;
  if (!table.startNs.values.some(isValid)) return "no request that starts in it succeeds";
  const latencyNs = meanLatencyNs(table, startNs, endNs);
  if (endNs - startNs < latencyNs) {
    const [seconds, latency] = [endNs - startNs, latencyNs].map((ns) => (ns / 1e9).toPrecision(3));
    return `its ${seconds} s are shorter than the mean latency of ${latency} s`;
  }
  return undefined;
}

/** Mean latency of the requests that start in a window; of those that were ended, what was observed. */
function meanLatencyNs(table: RecordTable, startNs: number, endNs: number): number {
  const ends = table.contentEndNs.values;
  const censored = table.censored.within(startNs, endNs);
  let [sum, count] = [
    censored.reduce((sum, each) => sum + each.observedMs * 1e6, 0),
    censored.length,
  ];
  table.startNs.values.forEach((start, row) => {
    if (!(start >= startNs && start < endNs)) return;
    sum += (ends[row] as number) - start;
    count++;
  });
  return count === 0 ? 0 : sum / count;
}

/** Requests that a load is known from. */
interface LoadSource {
  readonly table: RecordTable;
  readonly requests: OfferedRequests;
  /** End of the content of each request; NaN for failed ones. */
  readonly contentEndNs: Float64Array;
}

function factsOf(
  { contentEndNs, requests, table }: LoadSource,
  load: OfferedLoad,
  { endNs, startNs }: TimeSpan,
  whole: TimeSpan,
): LoadFacts {
  const { endNs: ends, intendedNs, startNs: starts } = requests;
  const seconds = (endNs - startNs) / 1e9;
  const isInside = (time: number): number => time >= startNs && time < endNs ? 1 : 0;
  const countIn = (times: Float64Array): number =>
    times.reduce((sum, time) => sum + isInside(time), 0);
  const inFlightNs = starts.reduce((sum, start, row) => {
    const overlapNs = Math.min(ends[row] as number, endNs) - Math.max(start, startNs);
    return overlapNs > 0 ? sum + overlapNs : sum;
  }, 0);
  const lastStart = starts.reduce(
    (last, start) => start > last && start < whole.endNs ? start : last,
    whole.startNs,
  );
  return {
    offeredPerSecond: countIn(load.loop === "closed" ? starts : intendedNs) / seconds,
    servedPerSecond: countIn(contentEndNs) / seconds,
    meanInFlight: inFlightNs / (endNs - startNs),
    targetInFlight: load.loop === "closed" ? load.slots : undefined,
    backlog: load.loop === "open"
      ? slopeOf(table, requests, { startNs, endNs }, whole.startNs)
      : undefined,
    afterLastStartShare: (whole.endNs - lastStart) / (whole.endNs - whole.startNs),
  };
}

/** The backlog's slope once the first requests can have ended. */
function slopeOf(
  table: RecordTable,
  { endNs: ends, intendedNs }: OfferedRequests,
  { endNs, startNs }: TimeSpan,
  firstNs: number,
): BacklogSlope {
  const filledNs = Math.max(startNs, firstNs + meanLatencyNs(table, firstNs, endNs));
  if (!(filledNs < endNs)) return { perSecond: NaN, lower: NaN };
  return backlogSlope({ startNs: filledNs, endNs }, intendedNs, ends);
}
