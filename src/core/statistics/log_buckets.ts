/** Bounds of a bucket: the middle is within 1 % of its values. */
const RATIO = 1.02;
const LOG_RATIO = Math.log(RATIO);
const LEAST = 1e-3;
const MOST = 1e7;
const FIRST = Math.floor(Math.log(LEAST) / LOG_RATIO);
const BUCKETS = Math.ceil(Math.log(MOST) / LOG_RATIO) - FIRST;

/**
 * Counts of values in fixed buckets of constant relative width, from 0.001 to ten million: to add a
 * value costs a logarithm, sets can be added up, and any percentile is within 1 %. What lies beyond
 * counts as the nearest bucket. For displays, not for results.
 */
export class LogBuckets {
  readonly #counts = new Uint32Array(BUCKETS);
  #count = 0;
  #max = NaN;

  get count(): number {
    return this.#count;
  }

  /** The largest value; NaN without any. */
  get max(): number {
    return this.#max;
  }

  /** Adds a value; one that is no number is left out. */
  add(value: number): void {
    if (Number.isNaN(value)) return;
    const bucket = value > 0 ? Math.floor(Math.log(value) / LOG_RATIO) - FIRST : 0;
    const at = Math.min(BUCKETS - 1, Math.max(0, bucket));
    this.#counts[at] = (this.#counts[at] as number) + 1;
    this.#count++;
    if (!(value <= this.#max)) this.#max = value;
  }

  /** Adds all values of others. */
  addAll(other: LogBuckets): void {
    if (other.#count === 0) return;
    for (let at = 0; at < BUCKETS; at++) {
      this.#counts[at] = (this.#counts[at] as number) + (other.#counts[at] as number);
    }
    this.#count += other.#count;
    if (!(other.#max <= this.#max)) this.#max = other.#max;
  }

  /** Forgets all values. */
  clear(): void {
    if (this.#count > 0) this.#counts.fill(0);
    this.#count = 0;
    this.#max = NaN;
  }

  /** The value at a rank of `p` percent; NaN without values. */
  percentile(p: number): number {
    if (this.#count === 0) return NaN;
    const rank = (this.#count - 1) * (p / 100);
    let seen = 0;
    for (let at = 0; at < BUCKETS; at++) {
      seen += this.#counts[at] as number;
      if (seen > rank) return Math.min(this.#max, Math.exp((at + FIRST + 0.5) * LOG_RATIO));
    }
    return this.#max;
  }
}
