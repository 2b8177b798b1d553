import { QuantileSketch } from "../../core/statistics/quantile_sketch.ts";
import { summarizeSorted, type Summary } from "../../core/statistics/summarize.ts";
import { NanosecondColumn } from "../../core/statistics/nanosecond_column.ts";

/** Spans are kept one by one up to this many; 40 MB. */
export const MAX_EXACT_SPANS = 10_000_000;

/** Spans that are handed to the sketch at once. */
const BATCH = 65_536;

/**
 * Pools spans of time for one summary: exact up to ten million, beyond that within 0.1 % by a
 * sketch, so that a run of days does not outgrow the machine.
 */
export class SpanPool {
  readonly #maxExact: number;
  #exact: NanosecondColumn | undefined = new NanosecondColumn();
  #sketch: QuantileSketch | undefined;
  #count = 0;

  constructor(maxExact: number = MAX_EXACT_SPANS) {
    this.#maxExact = maxExact;
  }

  get count(): number {
    return this.#count;
  }

  /** Whether every span is still kept. */
  get isExact(): boolean {
    return this.#exact !== undefined;
  }

  add(spanNs: number): void {
    this.#count++;
    if (this.#exact !== undefined) {
      this.#exact.push(spanNs);
      if (this.#exact.length > this.#maxExact) this.#becomeSketch(this.#exact);
    } else {
      this.#sketch?.add(spanNs / 1e6);
    }
  }

  /** Adds the first `count` durations of an array, which may be overwritten. */
  addAll(spansNs: Float64Array, count: number): void {
    this.#count += count;
    let added = 0;
    if (this.#exact !== undefined) {
      // As many as it takes before they are too many.
      added = Math.min(count, this.#maxExact + 1 - this.#exact.length);
      this.#exact.pushAll(spansNs, added);
      if (this.#exact.length > this.#maxExact) this.#becomeSketch(this.#exact);
    }
    if (this.#sketch === undefined) return;
    for (let at = added; at < count; at++) spansNs[at - added] = (spansNs[at] as number) / 1e6;
    this.#sketch.addAll(spansNs, count - added);
  }

  /**
   * The spans from one place up to another one, in the order in which they came, in milliseconds.
   * Only while {@linkcode isExact}.
   */
  millisecondsOf(start: number, end: number): Float64Array {
    return this.#exact?.millisecondsOf(start, end) ?? new Float64Array(0);
  }

  /** Statistics in milliseconds. */
  summarize(): Summary {
    return this.#exact !== undefined
      ? summarizeSorted(this.#exact.sortedMilliseconds())
      : (this.#sketch as QuantileSketch).summarize();
  }

  /** {@linkcode summarize} for the last time: the spans are gone afterwards, and cost no copy. */
  summarizeAndForget(): Summary {
    return this.#exact !== undefined
      ? summarizeSorted(this.#exact.takeSortedMilliseconds())
      : (this.#sketch as QuantileSketch).summarize();
  }

  #becomeSketch(exact: NanosecondColumn): void {
    this.#sketch = new QuantileSketch();
    for (let start = 0; start < exact.length; start += BATCH) {
      const end = Math.min(exact.length, start + BATCH);
      this.#sketch.addAll(exact.millisecondsOf(start, end), end - start);
    }
    this.#exact = undefined;
  }
}
