/** A column of numbers that grows. */
export class FloatColumn {
  #values = new Float64Array(256);
  #length = 0;

  get length(): number {
    return this.#length;
  }

  /** All values: a view that the next change invalidates. */
  get values(): Float64Array<ArrayBuffer> {
    return this.#values.subarray(0, this.#length);
  }

  push(value: number): void {
    if (this.#length === this.#values.length) this.#grow(this.#length + 1);
    this.#values[this.#length++] = value;
  }

  /** Appends NaN until the column has that length. */
  padTo(length: number): void {
    if (length <= this.#length) return;
    if (length > this.#values.length) this.#grow(length);
    this.#values.fill(NaN, this.#length, length);
    this.#length = length;
  }

  #grow(needed: number): void {
    const longer = new Float64Array(Math.max(needed, Math.ceil(this.#values.length * 1.5)));
    longer.set(this.values);
    this.#values = longer;
  }
}
