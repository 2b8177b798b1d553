import { CompensatedSum } from "./compensated_sum.ts";
import type { Summary } from "./summarize.ts";

/** Bins are this much wider than the last one: the middle of a bin is within 0.1 % of its values. */
const RELATIVE_ERROR = 0.001;
const GAMMA = (1 + RELATIVE_ERROR) / (1 - RELATIVE_ERROR);
const LOG_GAMMA = Math.log(GAMMA);
const LAST_BIN = Math.ceil(Math.log(Number.MAX_VALUE) / LOG_GAMMA);
/** Bins that are made at once. */
const ROOM = 512;

/**
 * Counts values in bins of constant relative width, so that any percentile is within 0.1 % of an
 * exact one whatever the distribution; count, sum, mean, extremes and deviation stay exact.
 *
 * Source: C. Masson et al., "DDSketch" (2019). For values of zero and above.
 */
export class QuantileSketch {
  /** Values of each bin, from the one numbered {@linkcode #first} on. */
  #bins = new Float64Array(0);
  #first = 0;
  #zeros = 0;
  #count = 0;
  #min = Infinity;
  #max = -Infinity;
  readonly #sum = new CompensatedSum();
  #shift = 0;
  readonly #shifted = new CompensatedSum();
  readonly #squares = new CompensatedSum();

  get count(): number {
    return this.#count;
  }

  /** Adds a value; below zero it counts as zero. */
  add(value: number): void {
    if (this.#count === 0) this.#shift = value;
    this.#count++;
    if (value < this.#min) this.#min = value;
    if (value > this.#max) this.#max = value;
    this.#sum.add(value);
    const deviation = value - this.#shift;
    this.#shifted.add(deviation);
    this.#squares.add(deviation * deviation);
    if (value <= 0) {
      this.#zeros++;
      return;
    }
    // Infinity has no bin: it counts with the largest numbers.
    const bin = Math.min(LAST_BIN, Math.ceil(Math.log(value) / LOG_GAMMA));
    if (!(bin >= this.#first && bin < this.#first + this.#bins.length)) this.#reach(bin);
    const place = bin - this.#first;
    this.#bins[place] = (this.#bins[place] as number) + 1;
  }

  /** Makes room for a bin, and for some more beyond it. */
  #reach(bin: number): void {
    const [first, end] = this.#bins.length === 0
      ? [bin, bin]
      : [this.#first, this.#first + this.#bins.length];
    const nextFirst = bin < first ? bin - ROOM : first;
    const nextEnd = bin >= end ? bin + ROOM : end;
    const bins = new Float64Array(nextEnd - nextFirst);
    bins.set(this.#bins, first - nextFirst);
    this.#bins = bins;
    this.#first = nextFirst;
  }

  /** The value at a rank of `p` percent; NaN without values. */
  percentile(p: number): number {
    if (this.#count === 0) return NaN;
    const rank = (this.#count - 1) * (p / 100);
    if (rank < this.#zeros) return Math.max(this.#min, 0);
    let seen = this.#zeros;
    for (let place = 0; place < this.#bins.length; place++) {
      seen += this.#bins[place] as number;
      if (seen > rank) {
        const bin = this.#first + place;
        const middle = 2 * Math.exp(bin * LOG_GAMMA) / (GAMMA + 1);
        return Math.min(this.#max, Math.max(this.#min, middle));
      }
    }
    return this.#max;
  }

  /** Summary of the values; percentiles within 0.1 %. */
  summarize(): Summary {
    const count = this.#count;
    const shifted = this.#shifted.value;
    const variance = (this.#squares.value - shifted * shifted / count) / count;
    return {
      count,
      sum: this.#sum.value,
      avg: this.#sum.value / count,
      min: this.#min,
      max: this.#max,
      std: Math.sqrt(Math.max(0, variance)),
      p1: this.percentile(1),
      p5: this.percentile(5),
      p10: this.percentile(10),
      p25: this.percentile(25),
      p50: this.percentile(50),
      p75: this.percentile(75),
      p90: this.percentile(90),
      p95: this.percentile(95),
      p99: this.percentile(99),
    };
  }
}
