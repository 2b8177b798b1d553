import { CompensatedSum } from "../../core/statistics/compensated_sum.ts";

/** Counts values in buckets, each of which includes its upper bound; the last has none. */
export class BucketCounter {
  readonly counts: number[];
  readonly #bounds: readonly number[];
  readonly #sum = new CompensatedSum();
  count = 0;
  min = Infinity;
  max = -Infinity;

  /** @param bounds in ascending order */
  constructor(bounds: readonly number[]) {
    this.#bounds = bounds;
    this.counts = new Array(bounds.length + 1).fill(0);
  }

  get sum(): number {
    return this.#sum.value;
  }

  add(value: number): void {
    let low = 0;
    let high = this.#bounds.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if (value <= (this.#bounds[middle] as number)) high = middle;
      else low = middle + 1;
    }
    this.counts[low] = (this.counts[low] as number) + 1;
    this.count++;
    this.#sum.add(value);
    if (value < this.min) this.min = value;
    if (value > this.max) this.max = value;
  }
}
