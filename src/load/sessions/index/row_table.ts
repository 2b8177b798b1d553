import { GrowingColumn } from "../../../core/statistics/growing_column.ts";

const float64 = (length: number): Float64Array<ArrayBuffer> => new Float64Array(length);
const uint32 = (length: number): Uint32Array<ArrayBuffer> => new Uint32Array(length);

/** Columns of the rows of a file: where each lies, and which name it has. */
export interface RowColumns {
  readonly offsets: Float64Array;
  readonly lengths: Uint32Array;
  readonly lines: Uint32Array;
  /** Number of the name of each row. */
  readonly names: Uint32Array;
  /** Number by which the session of each row comes before others; NaN for none. */
  readonly orders: Float64Array;
}

/** Gathers the rows of a file. A row takes 28 bytes. */
export class RowTable {
  readonly #offsets = new GrowingColumn(float64);
  readonly #lengths = new GrowingColumn(uint32);
  readonly #lines = new GrowingColumn(uint32);
  readonly #names = new GrowingColumn(uint32);
  readonly #orders = new GrowingColumn(float64);

  /** @param order that sessions come in; NaN for none */
  add(offset: number, length: number, line: number, name: number, order: number): void {
    this.#offsets.push(offset);
    this.#lengths.push(length);
    this.#lines.push(line);
    this.#names.push(name);
    this.#orders.push(order);
  }

  /** Returns all rows; the table is empty afterwards. */
  take(): RowColumns {
    return {
      offsets: this.#offsets.take(),
      lengths: this.#lengths.take(),
      lines: this.#lines.take(),
      names: this.#names.take(),
      orders: this.#orders.take(),
    };
  }
}
