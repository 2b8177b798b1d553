import { parseBucketBound } from "./bucket_bound.ts";
import { quoted } from "./quoted.ts";
import type { SampleLineReader } from "./sample_line.ts";

/**
 * The lines of one histogram at one time, as OpenMetrics wants them: buckets in rising order with
 * rising counts up to `+Inf`, a sum only with a count, and a count that is that of `+Inf`.
 */
export class HistogramPoint {
  /** Name as shown in messages. */
  readonly #name: string;
  #line = 0;
  #bound: number | undefined;
  #bucket = 0;
  #count: number | undefined;
  #hasSum = false;
  #hasGaugeSum = false;
  #negativeBounds = false;
  #negativeGaugeSum = false;

  constructor(name: string) {
    this.#name = quoted(name);
  }

  /** The last line added. */
  get line(): number {
    return this.#line;
  }

  /** Adds a sample; returns its defect in this place, if it has one. */
  add(
    suffix: string,
    { labelNames, labelValues, value }: SampleLineReader,
    line: number,
  ): string | undefined {
    this.#line = line;
    switch (suffix) {
      case "_bucket": {
        const bound = parseBucketBound(labelValues[labelNames.indexOf("le")] as string) as number;
        if (this.#bound !== undefined && bound <= this.#bound) {
          return `Buckets of ${this.#name} are not in the order of their bounds`;
        }
        if (value < this.#bucket) return `Counts of the buckets of ${this.#name} fall`;
        if (bound < 0) this.#negativeBounds = true;
        this.#bound = bound;
        this.#bucket = value;
        break;
      }
      case "_count":
      case "_gcount":
        this.#count = value;
        break;
      case "_sum":
        this.#hasSum = true;
        break;
      case "_gsum":
        this.#hasGaugeSum = true;
        this.#negativeGaugeSum = value < 0;
        break;
      default:
        break;
    }
    return undefined;
  }

  /** The defect of the whole. */
  problem(): string | undefined {
    const name = this.#name;
    const hasSum = this.#hasSum || this.#hasGaugeSum;
    if (this.#bound !== Infinity) return `Histogram ${name} has no bucket +Inf`;
    if (this.#count !== undefined && this.#count !== this.#bucket) {
      return `The count of ${name} is not that of its bucket +Inf`;
    }
    if (hasSum && this.#count === undefined) return `Histogram ${name} has a sum but no count`;
    if (!hasSum && this.#count !== undefined) return `Histogram ${name} has a count but no sum`;
    if (this.#negativeBounds && this.#hasSum) {
      return `Histogram ${name} has negative bounds and a sum`;
    }
    if (!this.#negativeBounds && this.#negativeGaugeSum) {
      return `Histogram ${name} has a negative sum without negative bounds`;
    }
    return undefined;
  }
}
