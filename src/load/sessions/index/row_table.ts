const FIRST_ROWS = 1024;

/** Rows of a file: where each lies, and which name it has. A row takes 28 bytes. */
export class RowTable {
  #offsets = new Float64Array(FIRST_ROWS);
  #orders = new Float64Array(FIRST_ROWS);
  #lengths = new Uint32Array(FIRST_ROWS);
  #lines = new Uint32Array(FIRST_ROWS);
  #names = new Uint32Array(FIRST_ROWS);
  #count = 0;

  /** Number of rows. */
  get count(): number {
    return this.#count;
  }

  /** @param order that sessions come in; NaN for none */
  add(offset: number, length: number, line: number, name: number, order: number): void {
    const at = this.#count++;
    if (at === this.#offsets.length) this.#grow();
    this.#offsets[at] = offset;
    this.#orders[at] = order;
    this.#lengths[at] = length;
    this.#lines[at] = line;
    this.#names[at] = name;
  }

  /** Number of the name of a row. */
  nameOf(row: number): number {
    return this.#names[row] as number;
  }

  /** Number by which the session of a row comes before others; NaN for none. */
  orderOf(row: number): number {
    return this.#orders[row] as number;
  }

  /** Place of a row in the file: its offset, length and line. */
  placeOf(row: number): readonly [offset: number, length: number, line: number] {
    return [
      this.#offsets[row] as number,
      this.#lengths[row] as number,
      this.#lines[row] as number,
    ];
  }

  #grow(): void {
    const length = 2 * this.#count;
    const longer = <T extends Float64Array | Uint32Array>(made: T, old: T): T => {
      made.set(old);
      return made;
    };
    this.#offsets = longer(new Float64Array(length), this.#offsets);
    this.#orders = longer(new Float64Array(length), this.#orders);
    this.#lengths = longer(new Uint32Array(length), this.#lengths);
    this.#lines = longer(new Uint32Array(length), this.#lines);
    this.#names = longer(new Uint32Array(length), this.#names);
  }
}
