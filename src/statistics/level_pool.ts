import { CompensatedSum } from "./compensated_sum.ts";
import type { LevelSummary } from "./level_summary.ts";

const SHARES = [0.5, 0.9, 0.95, 0.99] as const;
/** Bits of a level that a coarse bucket is told by, besides its sign, and those of a fine one. */
const COARSE_BITS = 17;
const COARSE_SHIFT = 31 - COARSE_BITS;
const FINE_BITS = 15;
const FINE_BUCKETS = 1 << FINE_BITS;
/** Bits of a fine bucket that lie in the lower word. */
const LOWER_BITS = FINE_BITS - COARSE_SHIFT;

const level64 = new Float64Array(1);
const words = new Uint32Array(level64.buffer);
/** Which of the words has the sign. */
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
  readonly #exact = new Map<number, Map<number, number>>();

  /** Whether there is any level. */
  get hasAny(): boolean {
    return this.#max >= this.#min;
  }

  /** Takes a level the first time. */
  add(level: number, duration: number): void {
    this.#time.add(duration);
    this.#area.add(level * duration);
    if (level < this.#min) this.#min = level;
    if (level > this.#max) this.#max = level;
    const bucket = highWord(level) >>> COARSE_SHIFT;
    this.#coarse[bucket] = (this.#coarse[bucket] as number) + duration;
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

  /** Takes a level the second time. */
  addSecond(level: number, duration: number): void {
    const deviation = level - this.#avg;
    this.#squares.add(deviation * deviation * duration);
    const high = highWord(level);
    const place = this.#fineOf[high >>> COARSE_SHIFT] as number;
    if (place < 0) return;
    const fine = this.#fine[place] as Float64Array;
    const bucket = fineBucket(high);
    fine[bucket] = (fine[bucket] as number) + duration;
  }

  /** Called when all levels were given twice. */
  beginThird(): void {
    for (const wanted of this.#wanted()) this.#exact.set(this.#finePlace(wanted).key, new Map());
  }

  /** Takes a level the third time. */
  addThird(level: number, duration: number): void {
    const high = highWord(level);
    const coarse = high >>> COARSE_SHIFT;
    if ((this.#fineOf[coarse] as number) < 0) return;
    const exact = this.#exact.get(coarse * FINE_BUCKETS + fineBucket(high));
    exact?.set(level, (exact.get(level) ?? 0) + duration);
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
    const levels = this.#exact.get(key) as Map<number, number>;
    let time = before;
    let last = NaN;
    for (const level of [...levels.keys()].sort((a, b) => a - b)) {
      last = level;
      time += levels.get(level) as number;
      if (time >= wanted) break;
    }
    return last;
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

function highWord(level: number): number {
  level64[0] = level;
  return (words[HIGH] as number) & 0x7fff_ffff;
}

/** What the coarse bucket leaves of the upper word, and some of the lower word of the last level. */
function fineBucket(high: number): number {
  const rest = high & ((1 << COARSE_SHIFT) - 1);
  return (rest << LOWER_BITS) | ((words[1 - HIGH] as number) >>> (32 - LOWER_BITS));
}
