/** Load that a phase offers, as far as its steady state depends on it. */
export type OfferedLoad =
  | {
    /** Closed loop with a fixed number of slots. */
    readonly loop: "closed";
    readonly slots: number;
    /** Whether a slot is taken by a session of several requests until its last one has ended. */
    readonly hasTurns: boolean;
    /** When the first slot had no session left, in ns; absent unless the rules of a run end it then. */
    readonly firstIdleNs?: number | undefined;
  }
  | {
    /** Open loop with a fixed arrival rate. */
    readonly loop: "open";
    /** Whether arrivals come in sessions of several requests. */
    readonly hasTurns: boolean;
    /** End of the arrivals, in ns; undefined for the last arrival that was recorded. */
    readonly lastArrivalNs: number | undefined;
  }
  | {
    /** Load that varies on purpose, so that no part of the run stands for it. */
    readonly loop: "varying";
    /** Form of the load, as `a ramp of the concurrency`. */
    readonly form: string;
  };

/** Requests whose load is looked at; one value for each request, in any order. */
export interface OfferedRequests {
  /** Times in ns; NaN where a request never started or ended. */
  readonly startNs: Float64Array;
  readonly endNs: Float64Array;
  readonly intendedNs: Float64Array;
  /** Session of each request. */
  readonly sessions: Float64Array;
}

/** Share of the slots that are taken while closed-loop load is offered. */
const TAKEN_SHARE = 0.95;

/** Time in which load is offered. */
export interface OfferedWindow {
  readonly startNs: number;
  readonly endNs: number;
}

/**
 * Time in which the load is offered as planned. A closed loop offers it while 95 % of its slots are taken:
 * of the last slots' worth of ends none is followed by another request, so the slots become free for good
 * one after another. A slot that waits for a server that hangs is taken. An open loop offers it up to its
 * last planned arrival, however many requests are still in flight.
 * @returns the window; or undefined if the slots were never taken
 */
export function offeredWindow(
  load: Exclude<OfferedLoad, { loop: "varying" }>,
  requests: OfferedRequests,
): OfferedWindow | undefined {
  const startNs = smallest(requests.startNs);
  if (load.loop === "open") {
    const endNs = load.lastArrivalNs ?? largest(requests.intendedNs);
    return endNs > startNs ? { startNs, endNs } : undefined;
  }
  const { starts, ends } = load.hasTurns ? sessionTimes(requests) : requestTimes(requests);
  const { slots } = load;
  if (ends.length < slots) return undefined;
  const spare = Math.floor(slots * (1 - TAKEN_SHARE) + 1e-9);
  const endNs = ends[ends.length - slots + spare] as number;
  const fullNs = load.hasTurns ? starts[slots - spare - 1] as number : startNs;
  return endNs > fullNs ? { startNs: fullNs, endNs } : undefined;
}

/** Starts and ends in ascending order. */
interface Times {
  readonly starts: Float64Array;
  readonly ends: Float64Array;
}

function requestTimes({ endNs, startNs }: OfferedRequests): Times {
  const known = (time: number, row: number): boolean =>
    !Number.isNaN(time) && !Number.isNaN(startNs[row]);
  return { starts: startNs.filter(known).sort(), ends: endNs.filter(known).sort() };
}

function sessionTimes({ endNs, sessions, startNs }: OfferedRequests): Times {
  const times = new Map<number, [start: number, end: number]>();
  sessions.forEach((session, row) => {
    const [start, end] = [startNs[row] as number, endNs[row] as number];
    if (Number.isNaN(start) || Number.isNaN(end)) return;
    const known = times.get(session);
    if (known === undefined) times.set(session, [start, end]);
    else [known[0], known[1]] = [Math.min(known[0], start), Math.max(known[1], end)];
  });
  const all = [...times.values()];
  return {
    starts: Float64Array.from(all, ([start]) => start).sort(),
    ends: Float64Array.from(all, ([, end]) => end).sort(),
  };
}

function smallest(times: Float64Array): number {
  return times.reduce((least, time) => time < least ? time : least, Infinity);
}

function largest(times: Float64Array): number {
  return times.reduce((most, time) => time > most ? time : most, -Infinity);
}
