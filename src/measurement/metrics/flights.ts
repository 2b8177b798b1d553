/** Activity at each moment of a run, from the times of its requests. */

import { orderEqual, orderOf } from "../../core/statistics/order_of.ts";
import { sortNumbers } from "../../core/statistics/sort_numbers.ts";
import type { RecordTable } from "./record_table.ts";

/** Number of intervals processed together. */
const CHUNK = 4096;

/** By how many requests a start, a first token and an end change what is in flight, and so on. */
const IN_FLIGHT = Float64Array.of(1, 0, -1);
const PREFILLING = Float64Array.of(1, -1, 0);
const DECODING = Float64Array.of(0, 1, -1);

/** Consecutive intervals of time in which nothing changes, with the levels of each. */
export class Moments {
  /** How many there are. */
  count = 0;
  readonly durationNs: Float64Array;
  readonly inFlight: Float64Array;
  readonly prefilling: Float64Array;
  readonly decoding: Float64Array;
  /** Tokens per second of all requests together. */
  readonly prefillRate: Float64Array;
  readonly decodeRate: Float64Array;

  /** @param room capacity in intervals */
  constructor(room: number) {
    this.durationNs = new Float64Array(room);
    this.inFlight = new Float64Array(room);
    this.prefilling = new Float64Array(room);
    this.decoding = new Float64Array(room);
    this.prefillRate = new Float64Array(room);
    this.decodeRate = new Float64Array(room);
  }
}

/** Activity in intervals of time in which nothing changes. */
export interface Flights {
  /** Maximum number of intervals minus one. */
  readonly length: number;
  /**
   * Calls back for the intervals of a window, or once for all intervals that are alike, many at
   * once. The next call overwrites the intervals passed to the callback.
   * @param room intervals per call
   */
  forEach(fromNs: number, toNs: number, use: (moments: Moments) => void, room?: number): void;
}

/** Returns the activity of the requests of a table. */
export function flightsOf(table: RecordTable): Flights {
  return table.storedColumn("time_to_first_token") === undefined
    ? new PlainFlights(table)
    : new TokenFlights(table);
}

/**
 * Requests with unknown first tokens: only their number changes, and among a million of them their
 * order is not needed.
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

  forEach(
    fromNs: number,
    toNs: number,
    use: (moments: Moments) => void,
    room: number = CHUNK,
  ): void {
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
    // Nothing is known to be read or generated: the other levels stay zero.
    const chunk = new Moments(room);
    durations.forEach((durationNs, inFlight) => {
      if (durationNs === 0) return;
      chunk.durationNs[chunk.count] = durationNs;
      chunk.inFlight[chunk.count++] = inFlight;
      if (chunk.count < room) return;
      use(chunk);
      chunk.count = 0;
    });
    use(chunk);
  }
}

/**
 * Changes when a request starts, gets its first token, and ends. Prefill lasts from its start to
 * its first token, decode from there to its last one; tokens are spread evenly over either phase.
 */
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
    const decoded = table.divisors.tokens.values;
    const times = this.#times;
    for (let row = 0; row < rows; row++) {
      const start = starts[row] as number;
      const contentEnd = contentEnds[row] as number;
      // A failed request is in flight until it fails; how far the server got nobody knows.
      const end = Number.isNaN(contentEnd) ? ends[row] as number : contentEnd;
      if (!(end >= start)) continue;
      // From milliseconds back to the moment.
      const first = ttft === undefined
        ? NaN
        : Math.min(end, Math.round(start + (ttft[row] as number) * 1e6));
      times[3 * row] = start;
      times[3 * row + 1] = first;
      times[3 * row + 2] = end;
      if (inputTokens !== undefined && first > start) {
        this.#prefillRates[row] = ((inputTokens[row] as number) || 0) / ((first - start) / 1e9);
      }
      const generated = decoded[row] || 0;
      if (end > first && generated > 0) {
        this.#decodeRates[row] = generated / ((end - first) / 1e9);
      }
    }
  }

  get length(): number {
    return this.#order.length;
  }

  forEach(
    fromNs: number,
    toNs: number,
    use: (moments: Moments) => void,
    room: number = CHUNK,
  ): void {
    const chunk = new Moments(room);
    const sweep = new Sweep(fromNs);
    do {
      this.#sweep(sweep, chunk, toNs);
      use(chunk);
    } while (sweep.next <= this.length);
  }

  /**
   * Continues through the moments until a chunk is full, or to the end. The loop does not call the
   * function that uses a chunk: the compiler's optimization would be lost with each different
   * function.
   */
  #sweep(sweep: Sweep, chunk: Moments, toNs: number): void {
    const [order, times] = [this.#order, this.#times];
    const [prefillRates, decodeRates] = [this.#prefillRates, this.#decodeRates];
    const { durationNs, inFlight: inFlights, prefilling: prefillings, decoding: decodings } = chunk;
    const { prefillRate: allPrefillRates, decodeRate: allDecodeRates } = chunk;
    const { numbers } = sweep;
    let [beforeNs, inFlight, prefilling] = [
      numbers[0] as number,
      numbers[1] as number,
      numbers[2] as number,
    ];
    let [decoding, prefillRate, decodeRate] = [
      numbers[3] as number,
      numbers[4] as number,
      numbers[5] as number,
    ];
    let { next } = sweep;
    const room = durationNs.length;
    const { length } = order;
    let count = 0;
    for (; next < length && count < room; next++) {
      const moment = order[next] as number;
      const atNs = Math.min(times[moment] as number, toNs);
      if (atNs > beforeNs) {
        durationNs[count] = atNs - beforeNs;
        inFlights[count] = inFlight;
        prefillings[count] = prefilling;
        decodings[count] = decoding;
        allPrefillRates[count] = prefillRate;
        allDecodeRates[count++] = decodeRate;
        beforeNs = atNs;
      }
      const row = (moment / 3) >>> 0;
      const kind = moment - 3 * row;
      inFlight += IN_FLIGHT[kind] as number;
      // Without a branch for each kind: which one is next nobody can foretell.
      const isKnown = Number.isNaN(times[3 * row + 1]) ? 0 : 1;
      const prefills = isKnown * (PREFILLING[kind] as number);
      const decodes = isKnown * (DECODING[kind] as number);
      prefilling += prefills;
      prefillRate += prefills * (prefillRates[row] as number);
      decoding += decodes;
      decodeRate += decodes * (decodeRates[row] as number);
      // What rounding left over.
      if (prefilling === 0) prefillRate = 0;
      if (decoding === 0) decodeRate = 0;
    }
    if (next === length && count < room) {
      if (toNs > beforeNs) {
        durationNs[count] = toNs - beforeNs;
        inFlights[count] = inFlight;
        prefillings[count] = prefilling;
        decodings[count] = decoding;
        allPrefillRates[count] = prefillRate;
        allDecodeRates[count++] = decodeRate;
        beforeNs = toNs;
      }
      next++;
    }
    chunk.count = count;
    sweep.next = next;
    numbers.set([beforeNs, inFlight, prefilling, decoding, prefillRate, decodeRate]);
  }
}

/** How far the moments of a run were gone through, and what goes on there. */
class Sweep {
  next = 0;
  /**
   * The moment before, requests in flight, those that read and that generate, and both rates. As an
   * array, so that the loop knows that they are numbers and keeps them in registers.
   */
  readonly numbers: Float64Array;

  constructor(fromNs: number) {
    this.numbers = Float64Array.of(fromNs, 0, 0, 0, 0, 0);
  }
}
