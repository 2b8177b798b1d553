import { CompensatedSum } from "./compensated_sum.ts";
import type { LevelSummary } from "./level_summary.ts";
import { LevelTimes } from "./level_times.ts";

const SHARES = [0.5, 0.9, 0.95, 0.99] as const;
/** Bits of a level that a coarse bucket is told by, besides its sign, and those of a fine one. */
const COARSE_BITS = 17;
const COARSE_SHIFT = 31 - COARSE_BITS;
const FINE_BITS = 15;
const FINE_BUCKETS = 1 << FINE_BITS;
/** Bits of a fine bucket that lie in the lower word. */
const LOWER_BITS = FINE_BITS - COARSE_SHIFT;

/** Which of a number's words has the sign. */
const HIGH = new Uint8Array(Uint32Array.of(1).buffer)[0] === 1 ? 1 : 0;

/**
 * Summarizes levels, each of which lasted for a while, without keeping them: they are given three
 * times. The first time says in which of a hundred thousand buckets each percentile lies, the second
 * one in which part of that, the third one where exactly. For levels of zero and above.
 *
 * Besides, it summarizes the same with some time at zero.
 */
export class LevelPool {
  readonly #time = new CompensatedSum();
  readonly #area = new CompensatedSum();
  readonly #squares = new CompensatedSum();
  readonly #coarse = new Float64Array(1 << COARSE_BITS);
  #min = Infinity;
  #max = -Infinity;
  #avg = NaN;
  #totalTime = NaN;
  #zeroTime = 0;
  /** The fine buckets of each coarse one in which a percentile lies, and which are whose. */
  readonly #fine: Float64Array[] = [];
  readonly #fineOf = new Int8Array(1 << COARSE_BITS).fill(-1);
  /** The levels of each fine bucket in which one lies, and how long they lasted. */
  readonly #exact = new Map<number, LevelTimes>();

  /** Whether there is any level. */
  get hasAny(): boolean {
    return this.#max >= this.#min;
  }

  /**
   * Takes the first so many levels the first time.
   * @param during those at whose place it has a zero are left out; undefined for none
   */
  add(levels: Float64Array, durations: Float64Array, count: number, during?: Float64Array): void {
    const coarse = this.#coarse;
    let min = this.#min;
    let max = this.#max;
    const [time, area] = [new CompensatedSum(), new CompensatedSum()];
    const words = wordsOf(levels, count);
    for (let at = 0; at < count; at++) {
      if (during !== undefined && during[at] === 0) continue;
      const level = levels[at] as number;
      const duration = durations[at] as number;
      time.add(duration);
      area.add(level * duration);
      if (level < min) min = level;
      if (level > max) max = level;
      const bucket = highWord(words, at) >>> COARSE_SHIFT;
      coarse[bucket] = (coarse[bucket] as number) + duration;
    }
    this.#min = min;
    this.#max = max;
    this.#time.add(time.value);
    this.#area.add(area.value);
  }

  /**
   * Called when all levels were given once.
   * @param wholeTime with the time at zero
   */
  beginSecond(wholeTime: number): void {
    this.#totalTime = this.#time.value;
    this.#zeroTime = Math.max(0, wholeTime - this.#totalTime);
    this.#avg = this.#bounded(this.#area.value / this.#totalTime);
    for (const wanted of this.#wanted()) {
      const [bucket] = bucketAt(this.#coarse, 0, wanted);
      if ((this.#fineOf[bucket] as number) >= 0) continue;
      this.#fineOf[bucket] = this.#fine.push(new Float64Array(FINE_BUCKETS)) - 1;
    }
  }

  /** Takes the levels the second time; see {@linkcode add}. */
  addSecond(
    levels: Float64Array,
    durations: Float64Array,
    count: number,
    during?: Float64Array,
  ): void {
    const fineOf = this.#fineOf;
    const avg = this.#avg;
    const squares = new CompensatedSum();
    const words = wordsOf(levels, count);
    for (let at = 0; at < count; at++) {
      if (during !== undefined && during[at] === 0) continue;
      const level = levels[at] as number;
      const duration = durations[at] as number;
      const deviation = level - avg;
      squares.add(deviation * deviation * duration);
      const place = fineOf[highWord(words, at) >>> COARSE_SHIFT] as number;
      if (place < 0) continue;
      const fine = this.#fine[place] as Float64Array;
      const bucket = fineBucket(words, at);
      fine[bucket] = (fine[bucket] as number) + duration;
    }
    this.#squares.add(squares.value);
  }

  /** Called when all levels were given twice. */
  beginThird(): void {
    for (const wanted of this.#wanted()) {
      this.#exact.set(this.#finePlace(wanted).key, new LevelTimes());
    }
  }

  /** Takes the levels the third time; see {@linkcode add}. */
  addThird(
    levels: Float64Array,
    durations: Float64Array,
    count: number,
    during?: Float64Array,
  ): void {
    const fineOf = this.#fineOf;
    const words = wordsOf(levels, count);
    for (let at = 0; at < count; at++) {
      if (during !== undefined && during[at] === 0) continue;
      const coarse = highWord(words, at) >>> COARSE_SHIFT;
      if ((fineOf[coarse] as number) < 0) continue;
      const exact = this.#exact.get(coarse * FINE_BUCKETS + fineBucket(words, at));
      exact?.add(levels[at] as number, durations[at] as number);
    }
  }

  /** The summary, when all levels were given three times. */
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
    const [coarse, beforeCoarse] = bucketAt(this.#coarse, 0, wanted);
    const fine = this.#fine[this.#fineOf[coarse] as number] as Float64Array;
    const [bucket, before] = bucketAt(fine, beforeCoarse, wanted);
    return { key: coarse * FINE_BUCKETS + bucket, before };
  }

  #bounded(level: number): number {
    return Math.min(this.#max, Math.max(this.#min, level));
  }
}

/** The bucket in which a time is reached, the last that has any if none is, and the time before it. */
function bucketAt(
  times: Float64Array,
  before: number,
  wanted: number,
): [bucket: number, before: number] {
  let time = before;
  let last: [number, number] = [0, before];
  for (let bucket = 0; bucket < times.length; bucket++) {
    const own = times[bucket] as number;
    if (own === 0) continue;
    last = [bucket, time];
    time += own;
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

/** What the coarse bucket leaves of the upper word, and some of the lower word. */
function fineBucket(words: Uint32Array, at: number): number {
  const rest = (words[2 * at + HIGH] as number) & ((1 << COARSE_SHIFT) - 1);
  return (rest << LOWER_BITS) | ((words[2 * at + 1 - HIGH] as number) >>> (32 - LOWER_BITS));
}
