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
  /** Knows nothing of the codes, which may lie elsewhere meanwhile. */
  readonly unpack: Unpack;
}

/** Values are whole numbers, or whole numbers of nanoseconds in milliseconds. */
const DIVISORS = [1, 1e6] as const;

/** An array for codes up to a number, the largest of which stands for NaN. */
function codesFor(
  range: number,
  length: number,
): Exclude<Codes, Float64Array> | undefined {
  if (range < 0xff) return new Uint8Array(length);
  if (range < 0xffff) return new Uint16Array(length);
  if (range < 0xffffffff) return new Uint32Array(length);
  return undefined;
}

/**
 * Packs values in one to four bytes each, or one code if all are the same; values that do not come
 * out of it bit for bit stay as they are.
 */
export function packed(values: Float64Array<ArrayBuffer>): PackedPiece {
  const { length } = values;
  const first = values[0] as number;
  if (areSame(values)) {
    return { length, codes: Float64Array.of(first), unpack: unpackSame };
  }
  for (const divisor of DIVISORS) {
    const piece = packedBy(values, divisor);
    if (piece !== undefined) return piece;
  }
  return { length, codes: values.slice(), unpack: unpackPlain };
}

/** Compares bits, which also tell zeros of both signs apart. */
function areSame({ buffer, byteOffset, length }: Float64Array<ArrayBuffer>): boolean {
  const words = new Uint32Array(buffer, byteOffset, 2 * length);
  const [even, odd] = words;
  for (let i = 0; i < words.length; i += 2) {
    if (words[i] !== even || words[i + 1] !== odd) return false;
  }
  return true;
}

const unpackSame: Unpack = (codes, into) => void into.fill(codes[0] as number);
const unpackPlain: Unpack = (codes, into) => into.set(codes);

function packedBy(values: Float64Array, divisor: number): PackedPiece | undefined {
  const range = rangeOf(values, divisor);
  if (range === undefined) return undefined;
  const { max, min } = range;
  const { length } = values;
  const codes = codesFor(max - min, length);
  if (codes === undefined) return undefined;
  const nothing = noneOf(codes);
  for (let i = 0; i < length; i++) {
    const value = values[i] as number;
    codes[i] = value !== value ? nothing : Math.round(value * divisor) - min;
  }
  return { length, codes, unpack: unpackBy(min, divisor) };
}

/** Between which whole numbers values times a divisor lie; undefined if that is not exact. */
function rangeOf(
  values: Float64Array,
  divisor: number,
): { readonly min: number; readonly max: number } | undefined {
  let min = Infinity;
  let max = -Infinity;
  for (let i = 0; i < values.length; i++) {
    const value = values[i] as number;
    // NaN is not equal to itself.
    if (value !== value) continue;
    const whole = Math.round(value * divisor);
    // A zero of the other sign would come out as this one.
    const isExact = whole / divisor === value && (value !== 0 || 1 / value > 0);
    if (!isExact || !(Math.abs(whole) <= Number.MAX_SAFE_INTEGER)) return undefined;
    if (whole < min) min = whole;
    if (whole > max) max = whole;
  }
  return { min, max };
}

function unpackBy(min: number, divisor: number): Unpack {
  return (codes, into) => {
    const nothing = noneOf(codes);
    for (let i = 0; i < codes.length; i++) {
      const code = codes[i] as number;
      into[i] = code === nothing ? NaN : (min + code) / divisor;
    }
  };
}

/** The largest code that an array has room for. */
function noneOf(codes: Codes): number {
  return 2 ** (8 * codes.BYTES_PER_ELEMENT) - 1;
}
