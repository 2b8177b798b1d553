/**
 * A column of float64 values in as few bytes as its values need, exact to the last bit.
 *
 * Most columns of a block hold one value, none at all, or whole numbers that lie near each other.
 * The first byte gives the form; NaN stands for "no value" and may be anywhere.
 */

import type { ByteReader } from "./byte_reader.ts";
import type { ByteWriter } from "./byte_writer.ts";

const NOTHING = new Uint8Array(0);

const NONE = 0;
const CONSTANT = 1;
const FLOAT64 = 2;
const UINT8 = 3;
const UINT16 = 4;
const UINT32 = 5;

/** The unsigned whole numbers, narrowest first; the largest value of each stands for NaN. */
const WIDTHS = [
  { kind: UINT8, none: 2 ** 8 - 1, array: Uint8Array, bytesEach: 1, widen: widen8 },
  { kind: UINT16, none: 2 ** 16 - 1, array: Uint16Array, bytesEach: 2, widen: widen16 },
  { kind: UINT32, none: 2 ** 32 - 1, array: Uint32Array, bytesEach: 4, widen: widen32 },
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
    reader.bytesInto(new Uint8Array(values.buffer, values.byteOffset, count * 8), count * 8);
    return undefined;
  }
  const { bytesEach, widen } = widthOf(kind);
  const min = reader.float64();
  reader.bytesInto(roomFor(count * bytesEach), count * bytesEach);
  widen(values, count, min);
  return undefined;
}

/**
 * Skips a column of `count` values.
 * @throws {RangeError} if they are not well formed
 */
export function skipNumbers(reader: ByteReader, count: number): void {
  const kind = reader.uint8();
  if (kind === NONE) return;
  if (kind === CONSTANT) return reader.skip(8);
  if (kind === FLOAT64) return reader.skip(count * 8);
  reader.skip(8 + count * widthOf(kind).bytesEach);
}

function widthOf(kind: number): typeof WIDTHS[number] {
  const width = WIDTHS.find((width) => width.kind === kind);
  if (width === undefined) throw new RangeError(`There is no column of kind ${kind}`);
  return width;
}

/** Narrow numbers, which lie anywhere in a file, where arrays of them may begin. */
let room = { bytes: NOTHING, in16: new Uint16Array(0), in32: new Uint32Array(0) };

function roomFor(length: number): Uint8Array<ArrayBuffer> {
  if (length > room.bytes.length) {
    const buffer = new ArrayBuffer(8 * Math.ceil(length / 8));
    room = {
      ...{ bytes: new Uint8Array(buffer), in16: new Uint16Array(buffer) },
      in32: new Uint32Array(buffer),
    };
  }
  return room.bytes;
}

// A loop for each kind of array.
function widen8(values: Float64Array, count: number, min: number): void {
  const { bytes } = room;
  for (let i = 0; i < count; i++) {
    const value = bytes[i] as number;
    values[i] = value === 0xff ? NaN : min + value;
  }
}

function widen16(values: Float64Array, count: number, min: number): void {
  const { in16 } = room;
  for (let i = 0; i < count; i++) {
    const value = in16[i] as number;
    values[i] = value === 0xffff ? NaN : min + value;
  }
}

function widen32(values: Float64Array, count: number, min: number): void {
  const { in32 } = room;
  for (let i = 0; i < count; i++) {
    const value = in32[i] as number;
    values[i] = value === 0xffff_ffff ? NaN : min + value;
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
