import { orderOf } from "../statistics/order_of.ts";
import type { SortedValues } from "../statistics/sorted_values.ts";
import type { SampledValues } from "./sampled_values.ts";

/**
 * Values that are lowered, or raised, by a delay that grows, each at most by as much as its own chunks
 * allow for: in ascending order for each delay. Those that can be shifted no further stay in order, as
 * do mostly those that can, so that nothing is sorted again.
 */
export class ShiftedValues implements SortedValues {
  readonly length: number;
  readonly #sorted: Float64Array;
  readonly #divisors: Float64Array | undefined;
  readonly #most: Float64Array | undefined;
  readonly #sign: 1 | -1;
  /** Places in the order in which they come to their most, and how many have. */
  readonly #ends: Uint32Array;
  #ended = 0;
  readonly #hasEnded: Uint8Array;
  /** Values that have come to their most, and those that have not. */
  readonly #resting: Float64Array;
  readonly #moving: Float64Array;
  #movingCount = 0;

  /** @param sign -1 where they are lowered, 1 where they are raised */
  constructor({ sorted, divisors, downMs, upMs }: SampledValues, sign: 1 | -1) {
    this.length = sorted.length;
    this.#sorted = sorted;
    this.#divisors = divisors;
    this.#most = sign < 0 ? downMs : upMs;
    this.#sign = sign;
    this.#ends = this.#most === undefined ? new Uint32Array(0) : orderOf(this.#most);
    this.#hasEnded = new Uint8Array(sorted.length);
    this.#resting = new Float64Array(sorted.length);
    this.#moving = new Float64Array(sorted.length);
  }

  /** Shifts them by a delay, which is not below the last one. */
  shiftBy(delayMs: number): void {
    this.#rest(delayMs);
    const moving = this.#moving;
    const sorted = this.#sorted;
    const divisors = this.#divisors;
    const hasEnded = this.#hasEnded;
    const shift = this.#sign * delayMs;
    let count = 0;
    let last = -Infinity;
    let isInOrder = true;
    for (let i = 0; i < sorted.length; i++) {
      if (hasEnded[i] !== 0) continue;
      const value = (sorted[i] as number) +
        (divisors === undefined ? shift : shift / (divisors[i] as number));
      if (value < last) isInOrder = false;
      moving[count++] = last = value;
    }
    if (!isInOrder) moving.subarray(0, count).sort();
    this.#movingCount = count;
  }

  /** The value at an index from 0, among all of them. */
  at(index: number): number {
    const resting = this.#resting;
    const moving = this.#moving;
    // So many of the values before it are resting.
    let low = Math.max(0, index - this.#movingCount);
    let high = Math.min(index, this.#ended);
    while (low < high) {
      const middle = (low + high) >>> 1;
      if ((resting[middle] as number) < (moving[index - middle - 1] as number)) low = middle + 1;
      else high = middle;
    }
    const rest = low < this.#ended ? resting[low] as number : Infinity;
    const move = index - low < this.#movingCount ? moving[index - low] as number : Infinity;
    return Math.min(rest, move);
  }

  /** Puts those that come to their most among the others that have. */
  #rest(delayMs: number): void {
    const most = this.#most;
    if (most === undefined) return;
    const ends = this.#ends;
    const before = this.#ended;
    let ended = before;
    while (ended < ends.length && (most[ends[ended] as number] as number) <= delayMs) ended++;
    if (ended === before) return;
    const added = new Float64Array(ended - before);
    for (let i = 0; i < added.length; i++) {
      const place = ends[before + i] as number;
      const shift = this.#sign * (most[place] as number) / (this.#divisors?.[place] ?? 1);
      added[i] = (this.#sorted[place] as number) + shift;
      this.#hasEnded[place] = 1;
    }
    added.sort();
    // From the end, so that nothing is overwritten.
    const resting = this.#resting;
    let from = before - 1;
    let place = ended - 1;
    for (let next = added.length - 1; next >= 0; place--) {
      const rested = from >= 0 ? resting[from] as number : -Infinity;
      if (rested > (added[next] as number)) {
        resting[place] = rested;
        from--;
      } else resting[place] = added[next--] as number;
    }
    this.#ended = ended;
  }
}
