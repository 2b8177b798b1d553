import { excerpt } from "../../client/endpoint/protocol/error_text.ts";
import type { RunEnd } from "../../core/run_end/end_reason.ts";
import { adviceOn, type RequestEnd, signOf } from "./request_end.ts";

/** Refusals at the beginning of a phase, with nothing else among them, that make more pointless. */
const POINTLESS_AFTER = 10;
/** Number of consecutive attempts, and the time, after which an absent server is given up. */
const GIVEN_UP_AFTER = 10;
const GIVEN_UP_AFTER_MS = 10_000;

const REFUSED = 0;
const ANSWERED = 1;
const MISSED = 2;
/** Time since when the server is absent, in milliseconds plus one; 0 while it is present. */
const ABSENT_SINCE = 3;
const GIVEN_UP = 4;
const CELLS = 5;

/**
 * State of the servers in shared memory, from the ends of all threads' requests: whether they are
 * present, and whether the run should continue.
 */
export class ServerPresence {
  /** Number of shared cells. */
  static readonly CELLS = CELLS;
  readonly #cells: Int32Array;

  /** @param cells shared by all threads */
  constructor(cells: Int32Array) {
    this.#cells = cells;
  }

  /** Forgets everything. Only while no thread is at work. */
  reset(): void {
    for (let cell = 0; cell < CELLS; cell++) Atomics.store(this.#cells, cell, 0);
  }

  /**
   * Adds the end of a request.
   * @returns why the run should end now: once, to one of the threads; undefined if it should not
   */
  note(end: RequestEnd, nowNs: number): RunEnd | undefined {
    const sign = signOf(end);
    if (sign === "nothing") return undefined;
    const refusal = this.#noteRefusal(end);
    const absence = sign === "absent" ? this.#noteAbsence(end, nowNs) : this.#notePresence();
    const runEnd = refusal ?? absence;
    if (runEnd === undefined) return undefined;
    return Atomics.compareExchange(this.#cells, GIVEN_UP, 0, 1) === 0 ? runEnd : undefined;
  }

  /** Returns how long no server has been present, in milliseconds; 0 if one was present last. */
  absentMs(nowNs: number): number {
    const since = Atomics.load(this.#cells, ABSENT_SINCE);
    return since === 0 ? 0 : stamp(nowNs) - since;
  }

  #noteRefusal(end: RequestEnd): RunEnd | undefined {
    const advice = adviceOn(end);
    if (advice === undefined) Atomics.store(this.#cells, ANSWERED, 1);
    if (Atomics.load(this.#cells, ANSWERED) !== 0) return undefined;
    const refused = Atomics.add(this.#cells, REFUSED, 1) + 1;
    if (refused < POINTLESS_AFTER) return undefined;
    return {
      reason: "all_refused",
      text: `the first ${POINTLESS_AFTER} requests were all refused, the last one with ` +
        `${excerpt(end.message)} (${advice})`,
    };
  }

  #noteAbsence(end: RequestEnd, nowNs: number): RunEnd | undefined {
    Atomics.compareExchange(this.#cells, ABSENT_SINCE, 0, stamp(nowNs));
    const missed = Atomics.add(this.#cells, MISSED, 1) + 1;
    const absentMs = this.absentMs(nowNs);
    if (missed < GIVEN_UP_AFTER || absentMs < GIVEN_UP_AFTER_MS) return undefined;
    return {
      reason: "unreachable",
      text: `the server was unreachable for ${Math.floor(absentMs / 1000)} s, in ${missed} ` +
        `attempts in a row, the last one with ${excerpt(end.message)}`,
    };
  }

  #notePresence(): undefined {
    if (Atomics.load(this.#cells, MISSED) === 0) return;
    Atomics.store(this.#cells, ABSENT_SINCE, 0);
    Atomics.store(this.#cells, MISSED, 0);
  }
}

function stamp(nowNs: number): number {
  return Math.floor(nowNs / 1e6) + 1;
}
