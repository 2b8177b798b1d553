/** A piece of a column as small whole numbers, where its values are such and lie close together. */
export interface PackedPiece {
  readonly length: number;
  /** Puts its values into an array, exactly as they were. */
  unpack(into: Float64Array, offset: number): void;
}

/** Values are whole numbers, or whole numbers of nanoseconds in milliseconds. */
const DIVISORS = [1, 1e6] as const;

/** An array for codes up to a number, the largest of which stands for NaN. */
function codesFor(
  range: number,
  length: number,
): Uint8Array | Uint16Array | Uint32Array | undefined {
  if (range < 0xff) return new Uint8Array(length);
  if (range < 0xffff) return new Uint16Array(length);
  if (range < 0xffffffff) return new Uint32Array(length);
  return undefined;
}

/**
 * Packs values in one to four bytes each, or none if all are the same; values that do not come out
 * of it bit for bit stay as they are.
 */
export function packed(values: Float64Array<ArrayBuffer>): PackedPiece {
  const { length } = values;
  const first = values[0] as number;
  if (values.every((value) => Object.is(value, first))) {
    return { length, unpack: (into, offset) => void into.fill(first, offset, offset + length) };
  }
  for (const divisor of DIVISORS) {
    const piece = packedBy(values, divisor);
    if (piece !== undefined) return piece;
  }
  const own = values.slice();
  return { length, unpack: (into, offset) => into.set(own, offset) };
}

function packedBy(values: Float64Array, divisor: number): PackedPiece | undefined {
  let min = Infinity;
  let max = -Infinity;
  for (const value of values) {
    if (Number.isNaN(value)) continue;
    // Adding 0 turns -0 into 0, which is then seen not to be the same.
    const whole = Math.round(value * divisor) + 0;
    if (!Object.is(whole / divisor, value) || !Number.isSafeInteger(whole)) return undefined;
    if (whole < min) min = whole;
    if (whole > max) max = whole;
  }
  const { length } = values;
  const codes = codesFor(max - min, length);
  if (codes === undefined) return undefined;
  const nothing = 2 ** (8 * codes.BYTES_PER_ELEMENT) - 1;
  for (let i = 0; i < length; i++) {
    const value = values[i] as number;
    codes[i] = Number.isNaN(value) ? nothing : Math.round(value * divisor) - min;
  }
  return {
    length,
    unpack: (into, offset) => {
      for (let i = 0; i < length; i++) {
        const code = codes[i] as number;
        into[offset + i] = code === nothing ? NaN : (min + code) / divisor;
      }
    },
  };
}
