/** Values with numbers of observations, and their percentiles. */
export class WeightedValues {
  readonly #points: { readonly value: number; readonly count: number }[] = [];
  readonly #ranges: { readonly start: number; readonly end: number; readonly count: number }[] = [];

  /** Adds observations that are all equal. */
  addEqual(value: number, count: number): void {
    this.#points.push({ value, count });
  }

  /** Adds observations that lie evenly in a range, which starts where the last one ended or later. */
  addRange(start: number, end: number, count: number): void {
    if (count > 0) this.#ranges.push({ start, end, count });
  }

  /**
   * Percentiles by linear interpolation between ranks, as if the observations were listed.
   * @param percentiles from 0 to 100
   */
  percentiles(percentiles: readonly number[]): number[] {
    const { ranks, values, total } = new QuantileFunction(this.#points, this.#ranges);
    return percentiles.map((p) => {
      const rank = Math.max(0, total - 1) * (p / 100) + 0.5;
      let low = 0;
      let high = ranks.length - 1;
      if (rank <= (ranks[low] as number)) return values[low] as number;
      if (rank >= (ranks[high] as number)) return values[high] as number;
      while (high - low > 1) {
        const middle = (low + high) >> 1;
        if ((ranks[middle] as number) <= rank) low = middle;
        else high = middle;
      }
      const start = values[low] as number;
      const end = values[high] as number;
      const step = (ranks[high] as number) - (ranks[low] as number);
      return Math.min(end, start + (end - start) * ((rank - (ranks[low] as number)) / step));
    });
  }
}

/**
 * The value at each rank, linear between knots.
 *
 * The k-th of n observations, counted from 0, has the ranks from k to k + 1 and its value in their
 * middle, so that a percentile between two observations is interpolated as that of a list is.
 */
class QuantileFunction {
  /** Ascending. */
  readonly ranks: number[] = [];
  readonly values: number[] = [];
  total = 0;

  constructor(
    points: readonly { readonly value: number; readonly count: number }[],
    ranges: readonly { readonly start: number; readonly end: number; readonly count: number }[],
  ) {
    const ascending = points.toSorted((a, b) => a.value - b.value);
    let next = 0;
    for (const { start, end, count } of ranges) {
      let from = start;
      for (;; next++) {
        const point = ascending[next];
        if (point === undefined || point.value >= end) break;
        if (point.value > from) {
          this.#addRange(from, point.value, count * ((point.value - from) / (end - start)));
          from = point.value;
        }
        this.#addEqual(point.value, point.count);
      }
      this.#addRange(from, end, from === start ? count : count * ((end - from) / (end - start)));
    }
    for (; next < ascending.length; next++) {
      const { value, count } = ascending[next] as { value: number; count: number };
      this.#addEqual(value, count);
    }
  }

  #addEqual(value: number, count: number): void {
    if (count > 1) {
      this.#addKnot(this.total + 0.5, value);
      this.#addKnot(this.total + count - 0.5, value);
    } else this.#addKnot(this.total + count / 2, value);
    this.total += count;
  }

  #addRange(start: number, end: number, count: number): void {
    if (count > 1) {
      this.#addKnot(this.total, start);
      this.#addKnot(this.total + count, end);
    } else this.#addKnot(this.total + count / 2, start + (end - start) / 2);
    this.total += count;
  }

  #addKnot(rank: number, value: number): void {
    this.ranks.push(rank);
    this.values.push(value);
  }
}
