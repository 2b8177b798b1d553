/**
 * Values of a metric for one GPU, row by row, if several series report it. A pod that starts or
 * stops changes the labels of a GPU, and pods that share a GPU each report it. A GPU that is
 * divided (MIG) has a series for each of its parts.
 */
export class GpuColumn {
  /** Sums and counts of the values in each row, for the whole GPU and for its parts. */
  readonly #whole: Mean;
  readonly #parts = new Map<string, Mean>();
  readonly #rows: number;

  constructor(rows: number) {
    this.#rows = rows;
    this.#whole = new Mean(rows);
  }

  /**
   * Adds a value that applies to some rows.
   * @param part of the GPU; undefined for all of it
   */
  add(part: string | undefined, value: number, startRow: number, endRow: number): void {
    let mean = this.#whole;
    if (part !== undefined && part !== "") {
      const known = this.#parts.get(part);
      mean = known ?? new Mean(this.#rows);
      if (known === undefined) this.#parts.set(part, mean);
    }
    mean.add(value, startRow, endRow);
  }

  /**
   * Returns a value for each row, NaN if there is none: of the whole GPU, else of its parts.
   * @param areAdded whether parts are added up; else their mean is used
   */
  values(areAdded: boolean): Float64Array {
    const column = new Float64Array(this.#rows);
    const parts = [...this.#parts.values()];
    for (let row = 0; row < this.#rows; row++) {
      const whole = this.#whole.at(row);
      if (!Number.isNaN(whole)) {
        column[row] = whole;
        continue;
      }
      const known = parts.map((part) => part.at(row)).filter((value) => !Number.isNaN(value));
      const sum = known.reduce((sum, value) => sum + value, 0);
      column[row] = known.length === 0 ? NaN : areAdded ? sum : sum / known.length;
    }
    return column;
  }
}

class Mean {
  readonly #sums: Float64Array;
  readonly #counts: Uint32Array;

  constructor(rows: number) {
    this.#sums = new Float64Array(rows);
    this.#counts = new Uint32Array(rows);
  }

  add(value: number, startRow: number, endRow: number): void {
    if (Number.isNaN(value)) return;
    for (let row = startRow; row < endRow; row++) {
      (this.#sums[row] as number) += value;
      (this.#counts[row] as number)++;
    }
  }

  at(row: number): number {
    return (this.#sums[row] as number) / (this.#counts[row] as number);
  }
}
