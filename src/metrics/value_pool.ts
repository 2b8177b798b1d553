import { QuantileSketch } from "../statistics/quantile_sketch.ts";
import { summarizeSorted, type Summary } from "../statistics/summarize.ts";
import { FloatColumn } from "../statistics/float_column.ts";

/** Values are kept one by one up to this many; 80 MB. */
export const MAX_EXACT_VALUES = 10_000_000;

/**
 * Pools values for one summary: exact up to ten million, beyond that within 0.1 % by a sketch, so
 * that a run of days does not outgrow the machine.
 */
export class ValuePool {
  readonly #maxExact: number;
  #exact: FloatColumn | undefined = new FloatColumn();
  #sketch: QuantileSketch | undefined;
  #count = 0;

  constructor(maxExact: number = MAX_EXACT_VALUES) {
    this.#maxExact = maxExact;
  }

  get count(): number {
    return this.#count;
  }

  /** Whether every value is still kept. */
  get isExact(): boolean {
    return this.#exact !== undefined;
  }

  add(value: number): void {
    this.#count++;
    if (this.#exact !== undefined) {
      this.#exact.push(value);
      if (this.#exact.length > this.#maxExact) this.#becomeSketch(this.#exact);
    } else {
      this.#sketch?.add(value);
    }
  }

  /** The values in the order in which they came; undefined once they are not kept any more. */
  get values(): Float64Array | undefined {
    return this.#exact?.values;
  }

  summarize(): Summary {
    return this.#exact !== undefined
      ? summarizeSorted(this.#exact.sorted())
      : (this.#sketch as QuantileSketch).summarize();
  }

  /** {@linkcode summarize} for the last time: the values are gone afterwards, and cost no copy. */
  summarizeAndForget(): Summary {
    return this.#exact !== undefined
      ? summarizeSorted(this.#exact.takeSorted())
      : (this.#sketch as QuantileSketch).summarize();
  }

  #becomeSketch(exact: FloatColumn): void {
    this.#sketch = new QuantileSketch();
    for (const value of exact.values) this.#sketch.add(value);
    this.#exact = undefined;
  }
}
