/** Quantities over time, in bins of equal width. Times are seconds. */

import { niceStep } from "../../core/chart/axis_scale.ts";
import { selectPercentiles } from "../../core/statistics/select_percentiles.ts";

/** Maximum number of bins of a chart. */
export const MAX_BINS = 240;
/** Values that a percentile of a bin needs on average. */
const VALUES_PER_BIN = 20;
/** Narrowest bin, in seconds. */
const MIN_SECONDS = 0.01;

/** Bins of time that begin at `start`. */
export class TimeBins {
  readonly start: number;
  readonly width: number;
  readonly #sums: Float64Array;
  /** Amounts per second that begin, and end, at the edges of bins. */
  readonly #rates: Float64Array;

  /** @param wanted bins, at most; their width is a round number */
  constructor(start: number, end: number, wanted = MAX_BINS) {
    const seconds = Math.max(end - start, MIN_SECONDS);
    this.width = Math.max(MIN_SECONDS, niceStep(seconds / wanted));
    // Edges at round times, zero among them.
    this.start = Math.floor(start / this.width + 1e-9) * this.width;
    const bins = Math.max(1, Math.ceil((end - this.start) / this.width - 1e-9));
    this.#sums = new Float64Array(bins);
    this.#rates = new Float64Array(bins + 1);
  }

  get length(): number {
    return this.#sums.length;
  }

  /** Where each bin begins, and where the last one ends. */
  get edges(): number[] {
    return Array.from(
      { length: this.length + 1 },
      (_, bin) => rounded(this.start + bin * this.width),
    );
  }

  /** The bin of a time; the last one ends with its end. */
  binOf(time: number): number {
    return Math.min(this.length - 1, Math.max(0, Math.floor((time - this.start) / this.width)));
  }

  /** Adds an amount at a moment. */
  add(time: number, amount: number): void {
    const bin = this.binOf(time);
    this.#sums[bin] = (this.#sums[bin] as number) + amount;
  }

  /** Spreads an amount evenly over an interval. */
  spread(from: number, to: number, amount: number): void {
    if (!(to > from)) {
      if (to === from) this.add(from, amount);
      return;
    }
    const first = this.binOf(from);
    const last = this.binOf(to);
    const sums = this.#sums;
    if (first === last) {
      sums[first] = (sums[first] as number) + amount;
      return;
    }
    const seconds = to - from;
    const before = this.#edge(first + 1) - from;
    const after = to - this.#edge(last);
    sums[first] = (sums[first] as number) + amount * (before / seconds);
    sums[last] = (sums[last] as number) + amount * (after / seconds);
    // Between neighbours there is nothing, and the rate of a short stretch is beyond all others.
    if (last === first + 1) return;
    const rate = amount * (1 / seconds);
    const rates = this.#rates;
    rates[first + 1] = (rates[first + 1] as number) + rate;
    rates[last] = (rates[last] as number) - rate;
  }

  /** The amount of each bin per second; of the bin in which `end` lies, per second up to it. */
  perSecond(end: number): number[] {
    let rate = 0;
    return Array.from(this.#sums, (sum, bin) => {
      rate += this.#rates[bin] as number;
      const from = this.#edge(bin);
      const seconds = Math.max(Math.min(from + this.width, end) - from, this.width / 2);
      // What rounding left over is no rate.
      return Math.max(0, (sum + rate * this.width) / seconds);
    });
  }

  #edge(bin: number): number {
    return this.start + bin * this.width;
  }
}

/** Percentiles of values, by the bin of their time. */
export interface PercentilesOverTime {
  /** Middles of the bins that have values. */
  readonly x: readonly number[];
  readonly p10: readonly number[];
  readonly p50: readonly number[];
  readonly p90: readonly number[];
  readonly p99: readonly number[];
}

/** The percentiles of values over time, in bins so wide that each has some values. */
export function percentilesOverTime(
  times: Float64Array,
  values: Float64Array,
  start: number,
  end: number,
): PercentilesOverTime {
  const wanted = Math.max(1, Math.min(MAX_BINS, Math.floor(values.length / VALUES_PER_BIN)));
  const bins = new TimeBins(start, end, wanted);
  const x: number[] = [];
  const rows: number[][] = [];
  valuesByBin(bins, times, values).forEach((group, bin) => {
    if (group.length === 0) return;
    // The outermost bins may reach beyond the run.
    const middle = bins.start + (bin + 0.5) * bins.width;
    x.push(rounded(Math.min(end, Math.max(start, middle))));
    rows.push(selectPercentiles(group, [10, 50, 90, 99]));
  });
  const column = (at: number): number[] => rows.map((row) => row[at] as number);
  return { x, p10: column(0), p50: column(1), p90: column(2), p99: column(3) };
}

/** The values whose times lie in each bin, in arrays of the caller's. */
function valuesByBin(
  bins: TimeBins,
  times: Float64Array,
  values: Float64Array,
): Float64Array<ArrayBuffer>[] {
  const counts = new Uint32Array(bins.length);
  const places = new Uint32Array(times.length);
  for (let i = 0; i < times.length; i++) {
    const bin = places[i] = bins.binOf(times[i] as number);
    counts[bin] = (counts[bin] as number) + 1;
  }
  const groups = Array.from(counts, (count) => new Float64Array(count));
  counts.fill(0);
  for (let i = 0; i < times.length; i++) {
    const bin = places[i] as number;
    (groups[bin] as Float64Array)[counts[bin] as number] = values[i] as number;
    counts[bin] = (counts[bin] as number) + 1;
  }
  return groups;
}

/** Microseconds are fine enough; the digits behind them are rounding. */
function rounded(seconds: number): number {
  return Math.round(seconds * 1e6) / 1e6;
}
