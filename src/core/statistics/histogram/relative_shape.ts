import { type CellDensity, CELLS } from "./bucket_density.ts";
import type { HistogramIntervals, IntervalBucket } from "./histogram_intervals.ts";

/** Width of a cell of the shape, as a difference of logarithms. */
const CELL = 0.02;
/** The shape reaches so far on either side of the scale, as a difference of logarithms. */
const MAX_REACH = 5;
const MIN_CELLS = 8;
/** A first bucket that starts at zero holds next to nothing below this share of its bound. */
const LOWEST_SHARE = 0.02;
/** The last bucket holds next to nothing beyond this multiple of its bound. */
const HIGHEST_MULTIPLE = 4;
/** Standard deviations of the logarithm, one of which the shape begins with. */
const DEVIATIONS = [0.8, 0.5, 0.3, 0.2, 0.13, 0.08, 0.05, 0.03];
/** Fraction placed outside of the shape at the beginning, so that any shape can develop. */
const EVEN_SHARE = 0.02;
const MIN_MASS = 1e-12;

/**
 * The one distribution of observations divided by their interval's scale.
 *
 * As the scale moves, the bounds of the buckets move over the shape, which is therefore known in
 * more detail than the buckets of any one interval show. It begins as the log-normal one that
 * explains the numbers of observations best; expectation maximisation with smoothing changes what
 * they contradict (Silverman et al., "A smoothed EM approach to indirect estimation problems",
 * 1990).
 */
export class RelativeShape {
  readonly #data: HistogramIntervals;
  readonly #logScales: Float64Array;
  /** Logarithm of the lower end. */
  readonly #start: number;
  readonly #length: number;
  /** Where the bucket of each entry begins and ends, in cells. */
  readonly #from: Float64Array;
  readonly #to: Float64Array;
  readonly #counts: Float64Array;
  #mass: Float64Array;
  readonly #massBelow: Float64Array;

  /** @param scales by interval, above 0 */
  constructor(data: HistogramIntervals, scales: Float64Array) {
    this.#data = data;
    this.#logScales = scales.map(Math.log);
    const length = data.buckets.reduce((sum, { intervals }) => sum + intervals.length, 0);
    this.#from = new Float64Array(length);
    this.#to = new Float64Array(length);
    this.#counts = new Float64Array(length);
    [this.#start, this.#length] = this.#place();
    this.#mass = new Float64Array(this.#length);
    this.#massBelow = new Float64Array(this.#length + 1);
    this.#begin();
  }

  /** Improves the shape by a number of steps. */
  fit(iterations: number): void {
    for (let iteration = 0; iteration < iterations; iteration++) this.#iterate();
    this.#accumulate();
  }

  /** Logarithm of the likelihood of the numbers of observations. */
  logLikelihood(): number {
    let sum = 0;
    for (let k = 0; k < this.#counts.length; k++) {
      sum += (this.#counts[k] as number) *
        Math.log(this.#between(this.#from[k] as number, this.#to[k] as number));
    }
    return sum;
  }

  /**
   * Density inside a bucket in one interval.
   * @param logEdges logarithms of the ends of the bucket's cells
   */
  density(interval: number, logEdges: Float64Array, target: CellDensity): void {
    const start = this.#start + (this.#logScales[interval] as number);
    let below = this.#below(((logEdges[0] as number) - start) / CELL);
    let sum = 0;
    for (let cell = 0; cell < CELLS; cell++) {
      const upTo = this.#below(((logEdges[cell + 1] as number) - start) / CELL);
      sum += target[cell] = upTo - below + MIN_MASS;
      below = upTo;
    }
    for (let cell = 0; cell < CELLS; cell++) target[cell] = (target[cell] as number) / sum;
  }

  /** Places the buckets of all intervals on cells, starting at `start`. */
  #place(): [start: number, length: number] {
    let entry = 0;
    let [start, end] = [MAX_REACH, -MAX_REACH];
    for (const bucket of this.#data.buckets) {
      const { intervals, counts } = bucket;
      const { least, most } = bucketReach(bucket);
      const [lower, upper] = [Math.log(least), Math.log(most)];
      for (let j = 0; j < intervals.length; j++) {
        const scale = this.#logScales[intervals[j] as number] as number;
        this.#from[entry] = lower - scale;
        this.#to[entry] = upper - scale;
        this.#counts[entry++] = counts[j] as number;
        start = Math.min(start, lower - scale);
        end = Math.max(end, upper - scale);
      }
    }
    start = Math.max(-MAX_REACH, start);
    const length = Math.max(MIN_CELLS, Math.ceil((Math.min(MAX_REACH, end) - start) / CELL));
    const inside = (log: number, low: number, high: number) =>
      Math.min(high, Math.max(low, (log - start) / CELL));
    for (let k = 0; k < entry; k++) {
      const from = inside(this.#from[k] as number, 0, length - 1);
      this.#from[k] = from;
      this.#to[k] = inside(this.#to[k] as number, from + 1e-3, length);
    }
    return [start, length];
  }

  #begin(): void {
    let most = -Infinity;
    let best = this.#mass;
    for (const deviation of DEVIATIONS) {
      this.#mass = this.#logNormal(deviation);
      this.#accumulate();
      const likelihood = this.logLikelihood();
      if (likelihood < most) break;
      [most, best] = [likelihood, this.#mass];
    }
    this.#mass = best;
    this.#accumulate();
  }

  /** Log-normal with a mean of one, and a little everywhere. */
  #logNormal(deviation: number): Float64Array {
    const weights = new Float64Array(this.#length);
    let sum = 0;
    for (let cell = 0; cell < this.#length; cell++) {
      const log = this.#start + (cell + 0.5) * CELL + deviation * deviation / 2;
      sum += weights[cell] = Math.exp(-((log / deviation) ** 2) / 2);
    }
    return weights.map((weight) =>
      (1 - EVEN_SHARE) * (sum > 0 ? weight / sum : 0) + EVEN_SHARE / this.#length
    );
  }

  /** One step of expectation maximisation, and smoothing. */
  #iterate(): void {
    this.#accumulate();
    const length = this.#length;
    // Each entry adds its weight to the cells of its bucket: steps at the ends, summed up below,
    // and what of the cells at the ends is not in the bucket.
    const steps = new Float64Array(length + 1);
    const parts = new Float64Array(length + 1);
    for (let k = 0; k < this.#counts.length; k++) {
      const [from, to] = [this.#from[k] as number, this.#to[k] as number];
      const weight = (this.#counts[k] as number) / this.#between(from, to);
      const [first, last] = [Math.floor(from), Math.floor(to)];
      steps[first] = (steps[first] as number) + weight;
      parts[first] = (parts[first] as number) - weight * (from - first);
      steps[last] = (steps[last] as number) - weight;
      parts[last] = (parts[last] as number) + weight * (to - last);
    }
    let weight = 0;
    for (let cell = 0; cell < length; cell++) {
      weight += steps[cell] as number;
      this.#mass[cell] = (this.#mass[cell] as number) *
        Math.max(0, weight + (parts[cell] as number)) / this.#data.count;
    }
    let before = this.#mass[0] as number;
    for (let cell = 0; cell < length; cell++) {
      const own = this.#mass[cell] as number;
      this.#mass[cell] = own / 2 + (before + (this.#mass[cell + 1] ?? own)) / 4;
      before = own;
    }
  }

  #accumulate(): void {
    for (let cell = 0; cell < this.#length; cell++) {
      this.#massBelow[cell + 1] = (this.#massBelow[cell] as number) + (this.#mass[cell] as number);
    }
  }

  #between(from: number, to: number): number {
    return Math.max(MIN_MASS, this.#below(to) - this.#below(from));
  }

  #below(place: number): number {
    if (!(place > 0)) return 0;
    const cell = Math.min(this.#length - 1, Math.floor(place));
    return (this.#massBelow[cell] as number) +
      Math.min(1, place - cell) * (this.#mass[cell] as number);
  }
}

/** The range in which a bucket holds all but nothing of its observations. */
export function bucketReach(
  { lower, upper }: IntervalBucket,
): { readonly least: number; readonly most: number } {
  return {
    least: lower > 0 ? lower : LOWEST_SHARE * upper,
    most: upper === Infinity ? HIGHEST_MULTIPLE * lower : upper,
  };
}
