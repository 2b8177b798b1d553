/** What went on at each moment of a run, from the times of its requests. */

import { orderEqual, orderOf } from "../statistics/order_of.ts";
import { sortNumbers } from "../statistics/sort_numbers.ts";
import type { RecordTable } from "./record_table.ts";

/** What goes on at a moment. */
export interface Moment {
  inFlight: number;
  prefilling: number;
  decoding: number;
  /** Tokens per second of all requests together. */
  prefillRate: number;
  decodeRate: number;
}

/** What goes on in stretches of time in which nothing changes. */
export interface Flights {
  /** Most levels that there can be. */
  readonly length: number;
  /** Calls back for every stretch of a window, or for all of those together that are alike. */
  forEach(fromNs: number, toNs: number, use: (moment: Moment, durationNs: number) => void): void;
}

/** What the requests of a table did. */
export function flightsOf(table: RecordTable): Flights {
  return table.storedColumn("time_to_first_token") === undefined
    ? new PlainFlights(table)
    : new TokenFlights(table);
}

/**
 * Requests whose first tokens nobody knows: only their number changes, and of a million of them the
 * order in which they did is of no use.
 */
class PlainFlights implements Flights {
  readonly #starts: Float64Array;
  readonly #ends: Float64Array;

  constructor(table: RecordTable) {
    const starts = table.allStartNs.copy();
    const ends = table.allEndNs.copy();
    let count = 0;
    table.contentEndNs.values.forEach((contentEnd, row) => {
      const start = starts[row] as number;
      const end = Number.isNaN(contentEnd) ? ends[row] as number : contentEnd;
      if (!(end >= start)) return;
      starts[count] = start;
      ends[count++] = end;
    });
    table.release();
    this.#starts = sortNumbers(starts.subarray(0, count));
    this.#ends = sortNumbers(ends.subarray(0, count));
  }

  get length(): number {
    return this.#starts.length + 1;
  }

  forEach(fromNs: number, toNs: number, use: (moment: Moment, durationNs: number) => void): void {
    const durations: number[] = [];
    const [starts, ends] = [this.#starts, this.#ends];
    let beforeNs = fromNs;
    let started = 0;
    const wait = (untilNs: number, inFlight: number): void => {
      while (durations.length <= inFlight) durations.push(0);
      const atNs = Math.min(untilNs, toNs);
      if (!(atNs > beforeNs)) return;
      durations[inFlight] = (durations[inFlight] as number) + atNs - beforeNs;
      beforeNs = atNs;
    };
    ends.forEach((endNs, ended) => {
      while (started < starts.length && (starts[started] as number) <= endNs) {
        wait(starts[started] as number, started - ended);
        started++;
      }
      wait(endNs, started - ended);
    });
    wait(toNs, 0);
    durations.forEach((durationNs, inFlight) => {
      if (durationNs > 0) {
        use({ inFlight, prefilling: 0, decoding: 0, prefillRate: 0, decodeRate: 0 }, durationNs);
      }
    });
  }
}

/** What changes when a request starts, gets its first token, and ends. */
class TokenFlights implements Flights {
  /** Three moments of each request: its start, its first token, its end. NaN where there is none. */
  readonly #times: Float64Array;
  /** Tokens per second between them; 0 where nothing is known. */
  readonly #prefillRates: Float64Array;
  readonly #decodeRates: Float64Array;
  /** The moments in order. */
  readonly #order: Uint32Array;

  constructor(table: RecordTable) {
    const rows = table.length;
    this.#times = new Float64Array(3 * rows).fill(NaN);
    this.#prefillRates = new Float64Array(rows);
    this.#decodeRates = new Float64Array(rows);
    this.#fill(table);
    table.release();
    // At the same time by what changes: sums then do not depend on the order of the records.
    const rateOf = (rates: Float64Array, moment: number) => rates[Math.floor(moment / 3)] as number;
    this.#order = orderOf(this.#times);
    orderEqual(this.#times, this.#order, (a, b) =>
      a % 3 - b % 3 ||
      rateOf(this.#prefillRates, a) - rateOf(this.#prefillRates, b) ||
      rateOf(this.#decodeRates, a) - rateOf(this.#decodeRates, b));
  }

  #fill(table: RecordTable): void {
    const rows = table.length;
    const starts = table.allStartNs.values;
    const ends = table.allEndNs.values;
    const contentEnds = table.contentEndNs.values;
    const ttft = table.column("time_to_first_token");
    const inputTokens = table.column("input_sequence_length");
    const outputTokens = table.column("output_sequence_length");
    for (let row = 0; row < rows; row++) {
      const start = starts[row] as number;
      const contentEnd = contentEnds[row] as number;
      // A failed request is in flight until it fails; how far the server got nobody knows.
      const end = Number.isNaN(contentEnd) ? ends[row] as number : contentEnd;
      if (!(end >= start)) continue;
      // From milliseconds back to the moment.
      const first = Math.min(end, Math.round(start + (ttft?.[row] ?? NaN) * 1e6));
      this.#times[3 * row] = start;
      this.#times[3 * row + 1] = first;
      this.#times[3 * row + 2] = end;
      if (first > start) {
        this.#prefillRates[row] = (inputTokens?.[row] || 0) / ((first - start) / 1e9);
      }
      // The first token took no time after itself.
      const generated = (outputTokens?.[row] || 0) - 1;
      if (end > first && generated > 0) {
        this.#decodeRates[row] = generated / ((end - first) / 1e9);
      }
    }
  }

  get length(): number {
    return this.#order.length;
  }

  forEach(fromNs: number, toNs: number, use: (moment: Moment, durationNs: number) => void): void {
    const now: Moment = { inFlight: 0, prefilling: 0, decoding: 0, prefillRate: 0, decodeRate: 0 };
    const order = this.#order;
    const times = this.#times;
    let beforeNs = fromNs;
    for (let i = 0; i < order.length; i++) {
      const moment = order[i] as number;
      const atNs = Math.min(times[moment] as number, toNs);
      if (atNs > beforeNs) {
        use(now, atNs - beforeNs);
        beforeNs = atNs;
      }
      const row = Math.floor(moment / 3);
      this.#change(now, row, moment - 3 * row);
    }
    if (toNs > beforeNs) use(now, toNs - beforeNs);
  }

  #change(now: Moment, row: number, kind: number): void {
    const hasFirst = !Number.isNaN(this.#times[3 * row + 1]);
    if (kind === 0) now.inFlight++;
    if (kind === 2) now.inFlight--;
    if (!hasFirst) return;
    if (kind === 0) {
      now.prefilling++;
      now.prefillRate += this.#prefillRates[row] as number;
    } else if (kind === 1) {
      now.prefilling--;
      now.prefillRate -= this.#prefillRates[row] as number;
      now.decoding++;
      now.decodeRate += this.#decodeRates[row] as number;
    } else {
      now.decoding--;
      now.decodeRate -= this.#decodeRates[row] as number;
    }
    // What rounding left over.
    if (now.prefilling === 0) now.prefillRate = 0;
    if (now.decoding === 0) now.decodeRate = 0;
  }
}
