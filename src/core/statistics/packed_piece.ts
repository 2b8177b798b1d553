/** Numbers that stand for values. */
export type Codes =
  | Uint8Array<ArrayBuffer>
  | Uint16Array<ArrayBuffer>
  | Uint32Array<ArrayBuffer>
  | Float64Array<ArrayBuffer>;

/** Puts the values that codes stand for into an array of the piece's length, exactly as they were. */
export type Unpack = (codes: Codes, into: Float64Array) => void;

/** A piece of a column as small whole numbers, where its values are such and lie close together. */
export interface PackedPiece {
  readonly length: number;
  readonly codes: Codes;
  /** Decoder that holds no codes, which may be stored elsewhere. */
  readonly unpack: Unpack;
}

/** Values are whole numbers, or whole numbers of nanoseconds in milliseconds. */
const NANOSECONDS = 1e6;

/**
 * Buffer in which codes are written: most go into a file at once, and an array for each piece costs
 * more.
 */
let room = new ArrayBuffer(0);

/** An array for codes up to a number, the largest of which stands for NaN. */
function codesFor(
  range: number,
  length: number,
): Exclude<Codes, Float64Array> | undefined {
  if (room.byteLength < 4 * length) room = new ArrayBuffer(4 * length);
  if (range < 0xff) return new Uint8Array(room, 0, length);
  if (range < 0xffff) return new Uint16Array(room, 0, length);
  if (range < 0xffffffff) return new Uint32Array(room, 0, length);
  return undefined;
}

/**
 * Packs values in one to four bytes each, or one code if all are the same; values that do not come
 * out of it bit for bit stay as they are. The codes are valid until the next piece is packed, and as
 * long as the values stay as they are.
 */
export function packed(values: Float64Array<ArrayBuffer>): PackedPiece {
  const { length } = values;
  if (areSame(values)) return packedSame(values[0] as number, length);
  return packedWhole(values, false) ?? packedWhole(values, true) ??
    { length, codes: values, unpack: unpackPlain };
}

/** A piece that has one value all over. */
export function packedSame(value: number, length: number): PackedPiece {
  return { length, codes: Float64Array.of(value), unpack: unpackSame };
}

/** Whether all are the same bit by bit. */
function areSame(values: Float64Array<ArrayBuffer>): boolean {
  const { buffer, byteOffset, length } = values;
  const first = values[0] as number;
  // Only of zeros, and of what is no number, there are several that are equal, or that are not.
  if (first !== 0 && first === first) {
    for (let i = 1; i < length; i++) if (values[i] !== first) return false;
    return true;
  }
  const words = new Uint32Array(buffer, byteOffset, 2 * length);
  const [even, odd] = words;
  for (let i = 0; i < words.length; i += 2) {
    if (words[i] !== even || words[i + 1] !== odd) return false;
  }
  return true;
}

const unpackSame: Unpack = (codes, into) => void into.fill(codes[0] as number);
const unpackPlain: Unpack = (codes, into) => into.set(codes);

let wholes = new Float64Array(0);

/** Packs values that are whole numbers, or whole nanoseconds in milliseconds. */
function packedWhole(values: Float64Array, areMilliseconds: boolean): PackedPiece | undefined {
  const { length } = values;
  if (wholes.length < length) wholes = new Float64Array(length);
  const range = areMilliseconds ? nanosecondsOf(values, wholes) : wholesOf(values, wholes);
  if (range === undefined) return undefined;
  const { min, max, hasNothing } = range;
  const codes = codesFor(max - min, length);
  if (codes === undefined) return undefined;
  if (codes instanceof Uint8Array) encode8(wholes, min, codes);
  else if (codes instanceof Uint16Array) encode16(wholes, min, codes);
  else encode32(wholes, min, codes);
  if (hasNothing) {
    const nothing = noneOf(codes);
    for (let i = 0; i < length; i++) if (Number.isNaN(wholes[i])) codes[i] = nothing;
  }
  return { length, codes, unpack: unpackBy(min, areMilliseconds ? NANOSECONDS : 1, hasNothing) };
}

/** Between which of the whole numbers the others lie. */
interface Range {
  readonly min: number;
  readonly max: number;
  /** Whether there is a NaN. */
  readonly hasNothing: boolean;
}

/** Values as they are, if they are whole numbers. */
function wholesOf(values: Float64Array, into: Float64Array): Range | undefined {
  let [min, max, hasNothing] = [Infinity, -Infinity, false];
  for (let i = 0; i < values.length; i++) {
    const value = values[i] as number;
    into[i] = value;
    if (value !== value) {
      hasNothing = true;
      continue;
    }
    // A zero of the other sign would come out as this one.
    if (Math.floor(value) !== value || (value === 0 && 1 / value < 0)) return undefined;
    if (value < min) min = value;
    if (value > max) max = value;
  }
  return areSafe(min, max) ? { min, max, hasNothing } : undefined;
}

/** Milliseconds as nanoseconds, if they are whole and lead back to the very same values. */
function nanosecondsOf(values: Float64Array, into: Float64Array): Range | undefined {
  let [min, max, hasNothing] = [Infinity, -Infinity, false];
  for (let i = 0; i < values.length; i++) {
    const value = values[i] as number;
    if (value !== value) {
      hasNothing = true;
      into[i] = value;
      continue;
    }
    const whole = Math.round(value * NANOSECONDS);
    if (whole / NANOSECONDS !== value || (value === 0 && 1 / value < 0)) return undefined;
    into[i] = whole;
    if (whole < min) min = whole;
    if (whole > max) max = whole;
  }
  return areSafe(min, max) ? { min, max, hasNothing } : undefined;
}

function areSafe(min: number, max: number): boolean {
  return min >= Number.MIN_SAFE_INTEGER && max <= Number.MAX_SAFE_INTEGER;
}

// A loop for each kind of array.
function encode8(from: Float64Array, min: number, codes: Uint8Array): void {
  for (let i = 0; i < codes.length; i++) codes[i] = (from[i] as number) - min;
}

function encode16(from: Float64Array, min: number, codes: Uint16Array): void {
  for (let i = 0; i < codes.length; i++) codes[i] = (from[i] as number) - min;
}

function encode32(from: Float64Array, min: number, codes: Uint32Array): void {
  for (let i = 0; i < codes.length; i++) codes[i] = (from[i] as number) - min;
}

function unpackBy(min: number, divisor: number, hasNothing: boolean): Unpack {
  return (codes, into) => {
    if (codes instanceof Uint8Array) decode8(codes, min, divisor, into);
    else if (codes instanceof Uint16Array) decode16(codes, min, divisor, into);
    else decode32(codes as Uint32Array, min, divisor, into);
    if (!hasNothing) return;
    const nothing = noneOf(codes);
    for (let i = 0; i < codes.length; i++) if (codes[i] === nothing) into[i] = NaN;
  };
}

function decode8(codes: Uint8Array, min: number, divisor: number, into: Float64Array): void {
  for (let i = 0; i < codes.length; i++) into[i] = (min + (codes[i] as number)) / divisor;
}

function decode16(codes: Uint16Array, min: number, divisor: number, into: Float64Array): void {
  for (let i = 0; i < codes.length; i++) into[i] = (min + (codes[i] as number)) / divisor;
}

function decode32(codes: Uint32Array, min: number, divisor: number, into: Float64Array): void {
  for (let i = 0; i < codes.length; i++) into[i] = (min + (codes[i] as number)) / divisor;
}

/** The largest code that an array has room for. */
function noneOf(codes: Codes): number {
  return 2 ** (8 * codes.BYTES_PER_ELEMENT) - 1;
}
