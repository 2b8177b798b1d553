import type { LiveHistogram } from "./live_model.ts";

/** Exact counts of values up to fixed bounds. */
export class BoundedHistogram {
  readonly #bounds: readonly number[];
  readonly #counts: number[];
  #sum = 0;

  /** @param bounds ascending */
  constructor(bounds: readonly number[]) {
    this.#bounds = bounds;
    this.#counts = new Array(bounds.length + 1).fill(0);
  }

  /** Adds a value; one that is no number is left out. */
  add(value: number): void {
    if (Number.isNaN(value)) return;
    let low = 0;
    let high = this.#bounds.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if (value <= (this.#bounds[middle] as number)) high = middle;
      else low = middle + 1;
    }
    this.#counts[low] = (this.#counts[low] as number) + 1;
    this.#sum += value;
  }

  /** Content of the histogram as plain data. */
  get data(): LiveHistogram {
    return { bounds: this.#bounds, counts: [...this.#counts], sum: this.#sum };
  }
}
