/**
 * Values with numbers of observations, and their percentiles.
 *
 * A value stands either for observations that are equal to it, or for its share of a continuous
 * range: then observations lie between it and its neighbours.
 */
export class WeightedValues {
  readonly #values: number[] = [];
  /** Negative for a share of a range. */
  readonly #weights: number[] = [];

  /** Adds observations that are all equal. */
  addEqual(value: number, count: number): void {
    this.#values.push(value);
    this.#weights.push(count);
  }

  /** Adds the middle of a range in which so many observations lie. */
  addShare(value: number, count: number): void {
    this.#values.push(value);
    this.#weights.push(-count);
  }

  /**
   * Percentiles by linear interpolation between ranks, as if the observations were listed.
   * @param percentiles from 0 to 100
   */
  percentiles(percentiles: readonly number[]): number[] {
    const { ranks, values, total } = this.#knots();
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

  /** Points of the quantile function: the k-th of n observations, from 0, lies at k + 0.5. */
  #knots(): { ranks: number[]; values: number[]; total: number } {
    const order = Uint32Array.from(this.#values.keys()).sort((a, b) =>
      (this.#values[a] as number) - (this.#values[b] as number)
    );
    const ranks: number[] = [];
    const values: number[] = [];
    let total = 0;
    for (const index of order) {
      const value = this.#values[index] as number;
      const weight = this.#weights[index] as number;
      const count = Math.abs(weight);
      if (weight > 1) {
        ranks.push(total + 0.5, total + count - 0.5);
        values.push(value, value);
      } else if (count > 0) {
        ranks.push(total + count / 2);
        values.push(value);
      }
      total += count;
    }
    return { ranks, values, total };
  }
}
