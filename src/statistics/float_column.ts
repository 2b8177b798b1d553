import { GrowingColumn } from "./growing_column.ts";

/** A growing column of any numbers. */
export class FloatColumn extends GrowingColumn<Float64Array<ArrayBuffer>> {
  constructor() {
    super((length) => new Float64Array(length));
  }

  /** Appends NaN until the column has that length. */
  padTo(length: number): void {
    while (this.length < length) this.push(NaN);
  }
}
