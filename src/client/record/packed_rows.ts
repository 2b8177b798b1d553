/**
 * Rows of numbers on their way between threads, in a third of their bytes: most columns have one
 * value in all rows of a block, and most others are whole numbers close to each other. Records that
 * wait to be ingested are stored in this form.
 *
 * The bytes are: of each column its only value, or the least one; then, column by column, those of
 * any numbers in eight bytes each, those in four, those in two; then of each column which it is.
 */

const SAME = 0;
const TWO_BYTES = 1;
const FOUR_BYTES = 2;
const ANY = 3;
/** Offsets that stand for NaN. */
const NOTHING_IN_TWO = 0xffff;
const NOTHING_IN_FOUR = 0xffffffff;

/**
 * Packs `count` rows of `width` numbers; all come out again bit for bit.
 * @param rows one after another; what comes behind them is left out
 */
export function packRows(
  rows: Float64Array,
  count: number,
  width: number,
): Uint8Array<ArrayBuffer> {
  const kinds = new Uint8Array(width);
  const bases = new Float64Array(width);
  const columns = [0, 0, 0, 0];
  const halves = new Uint32Array(rows.buffer, rows.byteOffset);
  for (let column = 0; column < width; column++) {
    const kind = isSameEverywhere(halves, column, count, width)
      ? SAME
      : kindOf(rows, column, count, width, bases);
    if (kind === SAME) bases[column] = rows[column] as number;
    kinds[column] = kind;
    columns[kind] = (columns[kind] as number) + 1;
  }
  const [, inTwo = 0, inFour = 0, inEight = 0] = columns;
  const places = placesOf(width, count, inEight, inFour, inTwo);
  const bytes = new Uint8Array(places.kinds + width);
  const eights = new Float64Array(bytes.buffer, 0, width + inEight * count);
  const fours = new Uint32Array(bytes.buffer, places.fours, inFour * count);
  const twos = new Uint16Array(bytes.buffer, places.twos, inTwo * count);
  eights.set(bases);
  bytes.set(kinds, places.kinds);
  let [eight, four, two] = [width, 0, 0];
  for (let column = 0; column < width; column++) {
    const base = bases[column] as number;
    const kind = kinds[column];
    if (kind === SAME) continue;
    for (let at = column; at < count * width; at += width) {
      const value = rows[at] as number;
      const isNothing = Number.isNaN(value);
      if (kind === ANY) eights[eight++] = value;
      else if (kind === FOUR_BYTES) fours[four++] = isNothing ? NOTHING_IN_FOUR : value - base;
      else twos[two++] = isNothing ? NOTHING_IN_TWO : value - base;
    }
  }
  return bytes;
}

/** The rows that {@linkcode packRows} was given. */
export function unpackRows(
  bytes: Uint8Array<ArrayBuffer>,
  count: number,
  width: number,
): Float64Array<ArrayBuffer> {
  const rows = new Float64Array(count * width);
  const kinds = bytes.subarray(bytes.length - width);
  const columns = [0, 0, 0, 0];
  for (const kind of kinds) columns[kind] = (columns[kind] as number) + 1;
  const [, inTwo = 0, inFour = 0, inEight = 0] = columns;
  const places = placesOf(width, count, inEight, inFour, inTwo);
  const eights = new Float64Array(bytes.buffer, 0, width + inEight * count);
  const fours = new Uint32Array(bytes.buffer, places.fours, inFour * count);
  const twos = new Uint16Array(bytes.buffer, places.twos, inTwo * count);
  let [eight, four, two] = [width, 0, 0];
  for (let column = 0; column < width; column++) {
    const base = eights[column] as number;
    const kind = kinds[column];
    for (let at = column; at < rows.length; at += width) {
      if (kind === SAME) rows[at] = base;
      else if (kind === ANY) rows[at] = eights[eight++] as number;
      else if (kind === FOUR_BYTES) {
        const offset = fours[four++] as number;
        rows[at] = offset === NOTHING_IN_FOUR ? NaN : base + offset;
      } else {
        const offset = twos[two++] as number;
        rows[at] = offset === NOTHING_IN_TWO ? NaN : base + offset;
      }
    }
  }
  return rows;
}

/** Where the parts begin. */
function placesOf(
  width: number,
  count: number,
  inEight: number,
  inFour: number,
  inTwo: number,
): { readonly fours: number; readonly twos: number; readonly kinds: number } {
  const fours = 8 * (width + inEight * count);
  const twos = fours + 4 * inFour * count;
  return { fours, twos, kinds: twos + 2 * inTwo * count };
}

/** How a column of several values is packed; puts the least one among `bases`. */
function kindOf(
  rows: Float64Array,
  column: number,
  count: number,
  width: number,
  bases: Float64Array,
): number {
  let min = Infinity;
  let max = -Infinity;
  for (let at = column; at < count * width; at += width) {
    const value = rows[at] as number;
    if (value < min) min = value;
    if (value > max) max = value;
    // NaN is neither.
    else if (value !== value) continue;
    if (Math.floor(value) !== value) return ANY;
    // -0 would come out as 0.
    if (value === 0 && 1 / value < 0) return ANY;
  }
  if (min < Number.MIN_SAFE_INTEGER || max > Number.MAX_SAFE_INTEGER) return ANY;
  bases[column] = min;
  if (max - min < NOTHING_IN_TWO) return TWO_BYTES;
  return max - min < NOTHING_IN_FOUR ? FOUR_BYTES : ANY;
}

/**
 * Whether a column has only one value, bit for bit.
 * @param halves 32-bit halves of the rows' numbers, in order
 */
function isSameEverywhere(
  halves: Uint32Array,
  column: number,
  count: number,
  width: number,
): boolean {
  const low = halves[2 * column];
  const high = halves[2 * column + 1];
  for (let at = 2 * column; at < 2 * count * width; at += 2 * width) {
    if (halves[at] !== low || halves[at + 1] !== high) return false;
  }
  return true;
}
