import type { Summary } from "./summarize.ts";

/** Bins are this much wider than the last one: the middle of a bin is within 0.1 % of its values. */
const RELATIVE_ERROR = 0.001;
const GAMMA = (1 + RELATIVE_ERROR) / (1 - RELATIVE_ERROR);
const LOG_GAMMA = Math.log(GAMMA);
const LAST_BIN = Math.ceil(Math.log(Number.MAX_VALUE) / LOG_GAMMA);
/** Number of bins allocated at once. */
const ROOM = 512;

/**
 * Counts values in bins of constant relative width, so that any percentile is within 0.1 % of an
 * exact one whatever the distribution; count, sum, mean, extremes and deviation stay exact.
 *
 * Source: C. Masson et al., "DDSketch" (2019). For values of zero and above.
 */
export class QuantileSketch {
  /** Values of each bin, starting at bin {@linkcode #first}. */
  #bins = new Float64Array(0);
  #first = 0;
  #zeros = 0;
  #count = 0;
  #min = Infinity;
  #max = -Infinity;
  /** Sums with Neumaier's correction, as `CompensatedSum` makes them, and what they leave over. */
  #sum = 0;
  #sumRest = 0;
  #shift = 0;
  #shifted = 0;
  #shiftedRest = 0;
  #squares = 0;
  #squaresRest = 0;

  get count(): number {
    return this.#count;
  }

  /** Adds a value; below zero it counts as zero. */
  add(value: number): void {
    ONE[0] = value;
    this.addAll(ONE, 1);
  }

  /** Adds values from the beginning of an array, many at once: numbers need not leave registers. */
  addAll(values: Float64Array, count: number): void {
    if (count === 0) return;
    if (this.#count === 0) this.#shift = values[0] as number;
    this.#count += count;
    const shift = this.#shift;
    let [min, max, sum, sumRest] = [this.#min, this.#max, this.#sum, this.#sumRest];
    let [shifted, shiftedRest] = [this.#shifted, this.#shiftedRest];
    let [squares, squaresRest] = [this.#squares, this.#squaresRest];
    for (let i = 0; i < count; i++) {
      const value = values[i] as number;
      if (value < min) min = value;
      if (value > max) max = value;
      // What a sum leaves over is found without asking which of its two addends is larger.
      const nextSum = sum + value;
      const added = nextSum - sum;
      sumRest += (sum - (nextSum - added)) + (value - added);
      sum = nextSum;
      const deviation = value - shift;
      const nextShifted = shifted + deviation;
      const addedDeviation = nextShifted - shifted;
      shiftedRest += (shifted - (nextShifted - addedDeviation)) + (deviation - addedDeviation);
      shifted = nextShifted;
      const square = deviation * deviation;
      const nextSquares = squares + square;
      const addedSquare = nextSquares - squares;
      squaresRest += (squares - (nextSquares - addedSquare)) + (square - addedSquare);
      squares = nextSquares;
    }
    [this.#min, this.#max, this.#sum, this.#sumRest] = [min, max, sum, sumRest];
    [this.#shifted, this.#shiftedRest] = [shifted, shiftedRest];
    [this.#squares, this.#squaresRest] = [squares, squaresRest];
    this.#countAll(values, count);
  }

  #countAll(values: Float64Array, count: number): void {
    const words = new Uint32Array(values.buffer, values.byteOffset, 2 * count);
    let bins = this.#bins;
    let first = this.#first;
    for (let i = 0; i < count; i++) {
      const value = values[i] as number;
      if (value <= 0) {
        this.#zeros++;
        continue;
      }
      const bin = knownBin(words[2 * i + HIGH] as number) ?? binOf(value);
      if (!(bin >= first && bin < first + bins.length)) {
        this.#reach(bin);
        bins = this.#bins;
        first = this.#first;
      }
      const place = bin - first;
      bins[place] = (bins[place] as number) + 1;
    }
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
    const sum = corrected(this.#sum, this.#sumRest);
    const shifted = corrected(this.#shifted, this.#shiftedRest);
    const squares = corrected(this.#squares, this.#squaresRest);
    const variance = (squares - shifted * shifted / count) / count;
    return {
      count,
      sum,
      avg: sum / count,
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

/** Buffer for a single value. */
const ONE = new Float64Array(1);

/** Inside the correction inf - inf is NaN, although the sum itself is a proper infinity. */
function corrected(sum: number, rest: number): number {
  return Number.isFinite(sum) ? sum + rest : sum;
}

/** Infinity has no bin: it counts with the largest numbers. */
function binOf(value: number): number {
  return Math.min(LAST_BIN, Math.ceil(Math.log(value) / LOG_GAMMA));
}

/** Which of a number's words has its sign. */
const HIGH = new Uint8Array(Uint32Array.of(1).buffer)[0] === 1 ? 1 : 0;
/**
 * Bits of a number's upper word that do not select its interval: more than thirty intervals per
 * bin.
 */
const REST_BITS = 6;
/** First interval, at 2^-20 (a nanosecond in milliseconds); the last one ends at 2^44. */
const FIRST_STRETCH = (1023 - 20) << (20 - REST_BITS);
const STRETCHES = 64 << (20 - REST_BITS);
const UNKNOWN = 0;
const SEVERAL = 1;
const BASE = 1 << 13;
/**
 * The bin of each interval of numbers, if it has only one: a logarithm takes longer than a lookup.
 */
const BINS_OF_STRETCHES = new Uint16Array(STRETCHES);

/** The bin of all numbers with an upper word; undefined if they have several, or are far away. */
function knownBin(high: number): number | undefined {
  const stretch = (high >>> REST_BITS) - FIRST_STRETCH;
  if (!(stretch >= 0 && stretch < STRETCHES)) return undefined;
  let code = BINS_OF_STRETCHES[stretch] as number;
  if (code === UNKNOWN) {
    const ends = new Float64Array(2);
    const words = new Uint32Array(ends.buffer);
    words[HIGH] = (stretch + FIRST_STRETCH) << REST_BITS;
    words[2 + HIGH] = (words[HIGH] as number) + 2 ** REST_BITS - 1;
    words[3 - HIGH] = 0xffff_ffff;
    const [least, most] = [binOf(ends[0] as number), binOf(ends[1] as number)];
    code = BINS_OF_STRETCHES[stretch] = least === most ? least + BASE : SEVERAL;
  }
  return code === SEVERAL ? undefined : code - BASE;
}
