/**
 * A column of float64 values in as few bytes as its values need, exact to the last bit.
 *
 * Most columns of a block hold one value, none at all, or whole numbers that lie near each other.
 * The first byte says which; NaN stands for "no value" and may be anywhere.
 */

import type { ByteReader } from "./byte_reader.ts";
import type { ByteWriter } from "./byte_writer.ts";

const NONE = 0;
const CONSTANT = 1;
const FLOAT64 = 2;
const UINT8 = 3;
const UINT16 = 4;
const UINT32 = 5;

/** The unsigned whole numbers, narrowest first; the largest value of each stands for NaN. */
const WIDTHS = [
  { kind: UINT8, none: 2 ** 8 - 1, array: Uint8Array },
  { kind: UINT16, none: 2 ** 16 - 1, array: Uint16Array },
  { kind: UINT32, none: 2 ** 32 - 1, array: Uint32Array },
] as const;

/** Writes the values; their number is not written. */
export function writeNumbers(writer: ByteWriter, values: Float64Array): void {
  const { min, max, hasNone, isWhole } = rangeOf(values);
  if (min > max) return writer.uint8(NONE);
  const first = values[0] as number;
  if (!hasNone && values.every((value) => Object.is(value, first))) {
    writer.uint8(CONSTANT);
    return writer.float64(first);
  }
  const width = isWhole ? WIDTHS.find(({ none }) => max - min < none) : undefined;
  if (width === undefined) {
    writer.uint8(FLOAT64);
    return writer.bytes(bytesOf(values));
  }
  const narrow = new width.array(values.length);
  for (let i = 0; i < values.length; i++) {
    const value = values[i] as number;
    narrow[i] = Number.isNaN(value) ? width.none : value - min;
  }
  writer.uint8(width.kind);
  writer.float64(min);
  writer.bytes(bytesOf(narrow));
}

/**
 * Reads `count` values.
 * @throws {RangeError} if they are not well formed
 */
export function readNumbers(reader: ByteReader, count: number): Float64Array<ArrayBuffer> {
  const values = new Float64Array(count);
  readNumbersInto(reader, values, count);
  return values;
}

/**
 * Reads `count` values to the beginning of an array.
 * @param holds the one value that the array is known to hold all over; it is not filled with it again
 * @returns the one value that they all have; undefined if they differ
 * @throws {RangeError} if they are not well formed
 */
export function readNumbersInto(
  reader: ByteReader,
  values: Float64Array,
  count: number,
  holds?: number,
): number | undefined {
  const kind = reader.uint8();
  if (kind === NONE || kind === CONSTANT) {
    const value = kind === NONE ? NaN : reader.float64();
    if (holds === undefined || !Object.is(value, holds)) values.fill(value);
    return value;
  }
  if (kind === FLOAT64) {
    values.set(new Float64Array(reader.bytes(count * 8).buffer));
    return undefined;
  }
  const width = WIDTHS.find((width) => width.kind === kind);
  if (width === undefined) throw new RangeError(`There is no column of kind ${kind}`);
  const { none, array } = width;
  const min = reader.float64();
  const narrow = new array(reader.bytes(count * array.BYTES_PER_ELEMENT).buffer);
  if (array === Uint8Array) widen(narrow as Uint8Array, values, min, none);
  else if (array === Uint16Array) widen(narrow as Uint16Array, values, min, none);
  else widen(narrow as Uint32Array, values, min, none);
  return undefined;
}

function widen(
  narrow: Uint8Array | Uint16Array | Uint32Array,
  values: Float64Array,
  min: number,
  none: number,
): void {
  for (let i = 0; i < narrow.length; i++) {
    const value = narrow[i] as number;
    values[i] = value === none ? NaN : min + value;
  }
}

function rangeOf(values: Float64Array) {
  let min = Infinity;
  let max = -Infinity;
  let hasNone = false;
  let isWhole = true;
  for (let i = 0; i < values.length; i++) {
    const value = values[i] as number;
    if (Number.isNaN(value)) {
      hasNone = true;
      continue;
    }
    // Beyond the safe integers differences are not exact, and -0 is no difference at all.
    if (!Number.isSafeInteger(value) || Object.is(value, -0)) isWhole = false;
    if (value < min) min = value;
    if (value > max) max = value;
  }
  return { min, max, hasNone, isWhole };
}

function bytesOf(values: { buffer: ArrayBufferLike; byteOffset: number; byteLength: number }) {
  return new Uint8Array(values.buffer, values.byteOffset, values.byteLength);
}
