/**
 * Sums float64 values with Neumaier's correction, which bounds the error by two units in the last
 * place of the true sum instead of one per addend.
 *
 * Source: A. Neumaier, "Rundungsfehleranalyse einiger Verfahren zur Summation endlicher Summen" (1974).
 * An infinite or NaN addend gives what plain addition would give.
 */
export class CompensatedSum {
  #sum = 0;
  #correction = 0;

  /** Adds one value. */
  add(value: number): void {
    const sum = this.#sum + value;
    this.#correction += Math.abs(this.#sum) >= Math.abs(value)
      ? (this.#sum - sum) + value
      : (value - sum) + this.#sum;
    this.#sum = sum;
  }

  /** Adds values one after another. */
  addAll(values: Float64Array): void {
    // Locals: so the numbers need not leave the registers.
    let total = this.#sum;
    let correction = this.#correction;
    for (let i = 0; i < values.length; i++) {
      const value = values[i] as number;
      const sum = total + value;
      correction += Math.abs(total) >= Math.abs(value)
        ? (total - sum) + value
        : (value - sum) + total;
      total = sum;
    }
    this.#sum = total;
    this.#correction = correction;
  }

  /** The corrected sum of all values added so far; 0 before the first. */
  get value(): number {
    const corrected = this.#sum + this.#correction;
    // inf - inf inside the correction is NaN although the sum itself is a proper infinity.
    return Number.isFinite(this.#sum) ? corrected : this.#sum;
  }
}
