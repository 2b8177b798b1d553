const DIGIT_BITS = 11;
const DIGITS = 1 << DIGIT_BITS;
/**
 * Number of bits per word from which digits are taken; the last digit of a word has one bit less.
 */
const WORD_BITS = 32;
const WORD = 2 ** WORD_BITS;
/** Approximate number of values per interval, and maximum number of intervals. */
const STRETCH = 8192;
const MAX_STRETCHES = 1 << 16;
/** Fewer values than this are put in order by comparing them. */
const MIN_RADIX = 20_000;

/**
 * The places of values in ascending order; those of NaN are left out, equal values keep their order.
 * Many whole numbers are put in order digit by digit.
 */
export function orderOf(values: Float64Array): Uint32Array<ArrayBuffer> {
  const places = new Uint32Array(values.length);
  let length = 0;
  let min = Infinity;
  let max = -Infinity;
  let areWhole = true;
  for (let place = 0; place < values.length; place++) {
    const value = values[place] as number;
    if (Number.isNaN(value)) continue;
    places[length++] = place;
    if (!Number.isSafeInteger(value)) areWhole = false;
    if (value < min) min = value;
    if (value > max) max = value;
  }
  const order = places.subarray(0, length);
  if (length < MIN_RADIX || !areWhole || !Number.isSafeInteger(max - min)) {
    return order.sort((a, b) => (values[a] as number) - (values[b] as number) || a - b);
  }
  return byDigits(values, order, min, max);
}

/**
 * Sorts by intervals of values small enough for a cache, then within each. The values of a run come
 * nearly in order, so that values close in one list are close in the others.
 */
function byDigits(
  values: Float64Array,
  places: Uint32Array<ArrayBuffer>,
  min: number,
  max: number,
): Uint32Array<ArrayBuffer> {
  const wanted = Math.min(MAX_STRETCHES, Math.ceil(places.length / STRETCH));
  const width = 2 ** Math.ceil(Math.log2((max - min + 1) / wanted));
  // A power of two, so that this is as exact as to divide.
  const perWidth = 1 / width;
  const starts = new Uint32Array(Math.floor((max - min) * perWidth) + 2);
  for (let i = 0; i < places.length; i++) {
    const stretch = Math.floor(((values[places[i] as number] as number) - min) * perWidth);
    starts[stretch + 1] = (starts[stretch + 1] as number) + 1;
  }
  for (let stretch = 1; stretch < starts.length; stretch++) {
    starts[stretch] = (starts[stretch] as number) + (starts[stretch - 1] as number);
  }
  const order = new Uint32Array(places.length);
  const next = starts.slice();
  for (let i = 0; i < places.length; i++) {
    const place = places[i] as number;
    const stretch = Math.floor(((values[place] as number) - min) * perWidth);
    const at = next[stretch] as number;
    order[at] = place;
    next[stretch] = at + 1;
  }
  const room = new Room();
  for (let stretch = 0; stretch + 1 < starts.length; stretch++) {
    const own = order.subarray(starts[stretch], starts[stretch + 1]);
    if (own.length > 1) sortStretch(values, own, min + stretch * width, width, room);
  }
  return order;
}

/** Arrays that are reused for each interval. */
class Room {
  keys = new Uint32Array(2 * STRETCH);
  otherKeys = new Uint32Array(2 * STRETCH);
  places = new Uint32Array(2 * STRETCH);
  readonly next = new Uint32Array(DIGITS);

  reserve(length: number): void {
    if (length <= this.keys.length) return;
    this.keys = new Uint32Array(length);
    this.otherKeys = new Uint32Array(length);
    this.places = new Uint32Array(length);
  }
}

/** Puts the places of values that lie within a width in order, digit by digit. */
function sortStretch(
  values: Float64Array,
  order: Uint32Array,
  min: number,
  width: number,
  room: Room,
): void {
  const { length } = order;
  room.reserve(length);
  let [from, to]: [Uint32Array, Uint32Array] = [order, room.places.subarray(0, length)];
  for (let weight = 1; weight < width; weight *= WORD) {
    for (let i = 0; i < length; i++) {
      const word = Math.floor(((values[from[i] as number] as number) - min) / weight);
      room.keys[i] = word >>> 0;
    }
    for (let shift = 0; shift < WORD_BITS && 2 ** shift * weight < width; shift += DIGIT_BITS) {
      sortByDigit(from, to, shift, room);
      [from, to] = [to, from];
    }
  }
  if (from !== order) order.set(from);
}

/** Puts places in the order of a digit of their keys, and these likewise. */
function sortByDigit(from: Uint32Array, to: Uint32Array, shift: number, room: Room): void {
  const { keys, next, otherKeys } = room;
  const { length } = from;
  next.fill(0);
  for (let i = 0; i < length; i++) {
    const digit = ((keys[i] as number) >>> shift) & (DIGITS - 1);
    next[digit] = (next[digit] as number) + 1;
  }
  let start = 0;
  for (let digit = 0; digit < DIGITS; digit++) {
    const count = next[digit] as number;
    next[digit] = start;
    start += count;
  }
  for (let i = 0; i < length; i++) {
    const key = keys[i] as number;
    const digit = (key >>> shift) & (DIGITS - 1);
    const at = next[digit] as number;
    to[at] = from[i] as number;
    otherKeys[at] = key;
    next[digit] = at + 1;
  }
  room.keys = otherKeys;
  room.otherKeys = keys;
}

/**
 * Orders the places of equal values, which {@linkcode orderOf} leaves as they came.
 * @param order is changed
 */
export function orderEqual(
  values: Float64Array,
  order: Uint32Array,
  compare: (a: number, b: number) => number,
): void {
  for (let start = 0; start < order.length;) {
    const value = values[order[start] as number];
    let end = start + 1;
    while (end < order.length && values[order[end] as number] === value) end++;
    if (end - start > 1) order.subarray(start, end).sort(compare);
    start = end;
  }
}
