import { CompensatedSum } from "./compensated_sum.ts";
import type { LevelSummary } from "./level_summary.ts";
import { LevelTimes } from "./level_times.ts";

const SHARES = [0.5, 0.9, 0.95, 0.99] as const;
/**
 * Bits of a level, in addition to its sign, that select a coarse bucket, and those that select a
 * fine one.
 */
const COARSE_BITS = 20;
const COARSE_SHIFT = 31 - COARSE_BITS;
const FINE_BITS = 15;
const FINE_BUCKETS = 1 << FINE_BITS;
/** Bits of a fine bucket that lie in the lower word. */
const LOWER_BITS = FINE_BITS - COARSE_SHIFT;
/** Maximum number of levels kept in the coarse buckets of percentiles: 40 MB. */
const MAX_GATHERED = 2_500_000;

/** Which of a number's words has the sign. */
const HIGH = new Uint8Array(Uint32Array.of(1).buffer)[0] === 1 ? 1 : 0;

/** Buckets that have any levels, in ascending order, and how long those lasted. */
interface Buckets {
  readonly numbers: readonly number[];
  readonly times: readonly number[];
}

/** Levels of a coarse bucket, and how long each lasted. */
interface Gathered {
  readonly levels: Float64Array;
  readonly times: Float64Array;
  length: number;
}

/**
 * Summarizes levels, each of which lasted for a while, without keeping them: they are passed two or
 * three times. The first pass finds the bucket of each percentile. The second pass finds the exact
 * value or, if those buckets hold too many levels, the part of the bucket; the third pass then
 * finds the exact value. Levels must be zero or above.
 *
 * In addition, it summarizes the levels with some time at zero.
 */
export class LevelPool {
  readonly #maxGathered: number;
  readonly #time = new CompensatedSum();
  readonly #area = new CompensatedSum();
  readonly #squares = new CompensatedSum();
  /** Time of each coarse bucket, and how many levels it has. */
  readonly #coarse = new Float64Array(1 << COARSE_BITS);
  readonly #counts = new Uint32Array(1 << COARSE_BITS);
  #buckets: Buckets = { numbers: [], times: [] };
  #min = Infinity;
  #max = -Infinity;
  #avg = NaN;
  #totalTime = NaN;
  #zeroTime = 0;
  /** Which of the coarse buckets in which a percentile lies, from 1; 0 for those without. */
  readonly #slotOf = new Uint8Array(1 << COARSE_BITS);
  /** The levels of each of them; undefined if they are too many. */
  #gathered: Gathered[] | undefined;
  /** The times of the fine buckets of each of them. */
  #fine: Float64Array[] = [];
  /** The levels of each fine bucket in which one lies, and how long they lasted. */
  readonly #exact = new Map<number, LevelTimes>();
  readonly #kept = new KeptLevels();

  /** @param maxGathered maximum number of levels that may be kept */
  constructor(maxGathered: number = MAX_GATHERED) {
    this.#maxGathered = maxGathered;
  }

  /** Whether there is any level. */
  get hasAny(): boolean {
    return this.#max >= this.#min;
  }

  /** Whether the levels must be given a third time; known after {@linkcode beginSecond}. */
  get needsThird(): boolean {
    return this.#gathered === undefined;
  }

  /**
   * Adds the first `count` levels in the first pass.
   * @param during levels with a zero at their index are skipped; undefined for none
   */
  add(levels: Float64Array, durations: Float64Array, count: number, during?: Float64Array): void {
    if (during !== undefined) {
      const own = this.#kept.fill(levels, durations, count, during);
      return this.add(own.levels, own.durations, own.count);
    }
    // Sums as `CompensatedSum` makes them, whose numbers need not leave the registers.
    let [time, timeRest, area, areaRest] = [0, 0, 0, 0];
    for (let at = 0; at < count; at++) {
      const level = levels[at] as number;
      const duration = durations[at] as number;
      const nextTime = time + duration;
      const addedTime = nextTime - time;
      timeRest += (time - (nextTime - addedTime)) + (duration - addedTime);
      time = nextTime;
      const product = level * duration;
      const nextArea = area + product;
      const addedArea = nextArea - area;
      areaRest += (area - (nextArea - addedArea)) + (product - addedArea);
      area = nextArea;
    }
    this.#time.add(time + timeRest);
    this.#area.add(area + areaRest);
    let [min, max] = [this.#min, this.#max];
    for (let at = 0; at < count; at++) {
      const level = levels[at] as number;
      min = Math.min(min, level);
      max = Math.max(max, level);
    }
    this.#min = min;
    this.#max = max;
    const coarse = this.#coarse;
    const counts = this.#counts;
    const words = wordsOf(levels, count);
    for (let at = 0; at < count; at++) {
      const bucket = highWord(words, at) >>> COARSE_SHIFT;
      coarse[bucket] = (coarse[bucket] as number) + (durations[at] as number);
      counts[bucket] = (counts[bucket] as number) + 1;
    }
  }

  /**
   * Called when all levels were given once.
   * @param wholeTime with the time at zero
   */
  beginSecond(wholeTime: number): void {
    this.#totalTime = this.#time.value;
    this.#zeroTime = Math.max(0, wholeTime - this.#totalTime);
    this.#avg = this.#bounded(this.#area.value / this.#totalTime);
    this.#buckets = bucketsOf(this.#coarse, ...this.#ends());
    const lengths: number[] = [];
    for (const wanted of this.#wanted()) {
      const [bucket] = bucketAt(this.#buckets, 0, wanted);
      if ((this.#slotOf[bucket] as number) > 0) continue;
      this.#slotOf[bucket] = lengths.push(this.#counts[bucket] as number);
    }
    const length = lengths.reduce((sum, length) => sum + length, 0);
    if (length > this.#maxGathered) this.#fine = lengths.map(() => new Float64Array(FINE_BUCKETS));
    else {
      this.#gathered = lengths.map((length) => ({
        levels: new Float64Array(length),
        times: new Float64Array(length),
        length: 0,
      }));
    }
  }

  /** Takes the levels the second time; see {@linkcode add}. */
  addSecond(
    levels: Float64Array,
    durations: Float64Array,
    count: number,
    during?: Float64Array,
  ): void {
    if (during !== undefined) {
      const own = this.#kept.fill(levels, durations, count, during);
      return this.addSecond(own.levels, own.durations, own.count);
    }
    const avg = this.#avg;
    let [squares, squaresRest] = [0, 0];
    for (let at = 0; at < count; at++) {
      const level = levels[at] as number;
      const duration = durations[at] as number;
      const deviation = level - avg;
      const square = deviation * deviation * duration;
      const nextSquares = squares + square;
      const addedSquare = nextSquares - squares;
      squaresRest += (squares - (nextSquares - addedSquare)) + (square - addedSquare);
      squares = nextSquares;
    }
    this.#squares.add(squares + squaresRest);
    const slotOf = this.#slotOf;
    const gathered = this.#gathered;
    const fine = this.#fine;
    const words = wordsOf(levels, count);
    for (let at = 0; at < count; at++) {
      const slot = slotOf[highWord(words, at) >>> COARSE_SHIFT] as number;
      if (slot === 0) continue;
      if (gathered !== undefined) {
        const own = gathered[slot - 1] as Gathered;
        own.levels[own.length] = levels[at] as number;
        own.times[own.length++] = durations[at] as number;
      } else {
        const own = fine[slot - 1] as Float64Array;
        const bucket = fineBucket(words, at);
        own[bucket] = (own[bucket] as number) + (durations[at] as number);
      }
    }
  }

  /** Called when all levels were given twice. */
  beginThird(): void {
    if (this.#gathered !== undefined) {
      this.#fine = this.#gathered.map(({ levels, times, length }) => {
        const own = new Float64Array(FINE_BUCKETS);
        const words = wordsOf(levels, length);
        for (let at = 0; at < length; at++) {
          const bucket = fineBucket(words, at);
          own[bucket] = (own[bucket] as number) + (times[at] as number);
        }
        return own;
      });
    }
    for (const wanted of this.#wanted()) {
      this.#exact.set(this.#finePlace(wanted).key, new LevelTimes());
    }
    for (const { levels, times, length } of this.#gathered ?? []) {
      this.addThird(levels, times, length);
    }
    this.#gathered = this.#gathered && [];
  }

  /** Takes the levels the third time, if it {@linkcode needsThird}; see {@linkcode add}. */
  addThird(
    levels: Float64Array,
    durations: Float64Array,
    count: number,
    during?: Float64Array,
  ): void {
    if (during !== undefined) {
      const own = this.#kept.fill(levels, durations, count, during);
      return this.addThird(own.levels, own.durations, own.count);
    }
    const slotOf = this.#slotOf;
    const words = wordsOf(levels, count);
    for (let at = 0; at < count; at++) {
      const slot = slotOf[highWord(words, at) >>> COARSE_SHIFT] as number;
      if (slot === 0) continue;
      const exact = this.#exact.get((slot - 1) * FINE_BUCKETS + fineBucket(words, at));
      exact?.add(levels[at] as number, durations[at] as number);
    }
  }

  /** The summary, when all levels were given as often as needed. */
  summarize(): LevelSummary {
    return {
      avg: this.#avg,
      min: this.#min,
      max: this.#max,
      std: Math.sqrt(this.#squares.value / this.#totalTime),
      ...this.#percentiles(this.#totalTime, 0),
    };
  }

  /** The summary together with the time at zero. */
  summarizeWithZero(): LevelSummary {
    if (this.#zeroTime === 0) return this.summarize();
    const time = this.#totalTime + this.#zeroTime;
    const avg = Math.min(this.#max, this.#area.value / time);
    const squares = this.#squares.value + this.#totalTime * (this.#avg - avg) ** 2 +
      this.#zeroTime * avg ** 2;
    return {
      ...{ avg, min: 0, max: this.#max, std: Math.sqrt(squares / time) },
      ...this.#percentiles(time, this.#zeroTime),
    };
  }

  #percentiles(time: number, zeroTime: number): Pick<LevelSummary, "p50" | "p90" | "p95" | "p99"> {
    const [p50, p90, p95, p99] = SHARES.map((share) => {
      const wanted = share * time - zeroTime;
      return zeroTime > 0 && wanted <= 0 ? 0 : this.#levelAt(wanted);
    }) as [number, number, number, number];
    return { p50, p90, p95, p99 };
  }

  /** The times at which percentiles are reached, among levels in ascending order. */
  #wanted(): number[] {
    return SHARES.flatMap((share) => [
      share * this.#totalTime,
      share * (this.#totalTime + this.#zeroTime) - this.#zeroTime,
    ]);
  }

  #levelAt(wanted: number): number {
    const { key, before } = this.#finePlace(wanted);
    return (this.#exact.get(key) as LevelTimes).levelAt(wanted, before);
  }

  /** The fine bucket in which a time is reached, and the time in those before it. */
  #finePlace(wanted: number): { readonly key: number; readonly before: number } {
    const [coarse, beforeCoarse] = bucketAt(this.#buckets, 0, wanted);
    const slot = (this.#slotOf[coarse] as number) - 1;
    const fine = bucketsOf(this.#fine[slot] as Float64Array);
    const [bucket, before] = bucketAt(fine, beforeCoarse, wanted);
    return { key: slot * FINE_BUCKETS + bucket, before };
  }

  /** The outermost coarse buckets that have any; levels below zero are next to it. */
  #ends(): [first: number, last: number] {
    const ends = Float64Array.of(Math.max(0, this.#min), Math.max(-this.#min, this.#max));
    const words = wordsOf(ends, 2);
    return [highWord(words, 0) >>> COARSE_SHIFT, highWord(words, 1) >>> COARSE_SHIFT];
  }

  #bounded(level: number): number {
    return Math.min(this.#max, Math.max(this.#min, level));
  }
}

/**
 * Levels without the skipped ones. In a loop with several branches the compiler keeps no number in
 * a register: copying first and adding in a loop without branches is several times faster.
 */
class KeptLevels {
  levels = new Float64Array(0);
  durations = new Float64Array(0);
  count = 0;

  fill(levels: Float64Array, durations: Float64Array, count: number, during: Float64Array): this {
    if (this.levels.length < count) {
      this.levels = new Float64Array(count);
      this.durations = new Float64Array(count);
    }
    const { durations: ownDurations, levels: ownLevels } = this;
    let kept = 0;
    for (let at = 0; at < count; at++) {
      ownLevels[kept] = levels[at] as number;
      ownDurations[kept] = durations[at] as number;
      kept += during[at] === 0 ? 0 : 1;
    }
    this.count = kept;
    return this;
  }
}

/** Buckets that have any time. */
function bucketsOf(times: Float64Array, first = 0, last: number = times.length - 1): Buckets {
  const buckets = { numbers: [] as number[], times: [] as number[] };
  for (let bucket = first; bucket <= last; bucket++) {
    if (times[bucket] === 0) continue;
    buckets.numbers.push(bucket);
    buckets.times.push(times[bucket] as number);
  }
  return buckets;
}

/** The bucket in which a time is reached, the last that has any if none is, and the time before it. */
function bucketAt(
  { numbers, times }: Buckets,
  before: number,
  wanted: number,
): [bucket: number, before: number] {
  let time = before;
  let last: [number, number] = [0, before];
  for (let at = 0; at < times.length; at++) {
    last = [numbers[at] as number, time];
    time += times[at] as number;
    if (time >= wanted) break;
  }
  return last;
}

/** The words of numbers, as many of them as are looked at. */
function wordsOf(levels: Float64Array, count: number): Uint32Array {
  return new Uint32Array(levels.buffer, levels.byteOffset, 2 * count);
}

/** A number's word with its exponent, as that of a number above zero. */
function highWord(words: Uint32Array, at: number): number {
  return (words[2 * at + HIGH] as number) & 0x7fff_ffff;
}

/**
 * Returns the bits of the upper word that the coarse bucket does not use, and some of the lower
 * word.
 */
function fineBucket(words: Uint32Array, at: number): number {
  const rest = (words[2 * at + HIGH] as number) & ((1 << COARSE_SHIFT) - 1);
  return (rest << LOWER_BITS) | ((words[2 * at + 1 - HIGH] as number) >>> (32 - LOWER_BITS));
}
