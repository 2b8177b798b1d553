/** Columns with a value for each row, in memory that threads share. */

/** See the module's comment. */
export function int32<T>(
  rows: readonly T[],
  value: (row: T) => number,
): Int32Array<SharedArrayBuffer> {
  const column = new Int32Array(new SharedArrayBuffer(rows.length * 4));
  rows.forEach((row, i) => column[i] = value(row));
  return column;
}

/** See the module's comment. */
export function float64<T>(
  rows: readonly T[],
  value: (row: T) => number,
): Float64Array<SharedArrayBuffer> {
  const column = new Float64Array(new SharedArrayBuffer(rows.length * 8));
  rows.forEach((row, i) => column[i] = value(row));
  return column;
}

/** See the module's comment. */
export function uint8<T>(
  rows: readonly T[],
  value: (row: T) => number,
): Uint8Array<SharedArrayBuffer> {
  const column = new Uint8Array(new SharedArrayBuffer(rows.length));
  rows.forEach((row, i) => column[i] = value(row));
  return column;
}
