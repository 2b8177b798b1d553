/**
 * Finds values by their ranks without putting all of them in order: numbers have the order of their
 * bits, so each look at all values tells sixteen bits more of those that are wanted.
 */

const DIGIT_BITS = 16;
const DIGITS = 1 << DIGIT_BITS;
const LOW_DIGIT = DIGITS - 1;
const SIGN = 0x8000_0000;
/** Which of a number's words has its sign. */
const HIGH = new Uint8Array(Uint32Array.of(1).buffer)[0] === 1 ? 1 : 0;

/** Values that have their first digits in common, as some of those do that are wanted. */
interface Group {
  /** Values that come before all of them. */
  readonly before: number;
  /** Ranks that lie among them, by their places in the list of what is wanted. */
  readonly wanted: readonly number[];
  /**
   * The words of the wanted values, as far as they are known: high and low, in the order of
   * bits.
   */
  readonly high: number;
  readonly low: number;
}

/**
 * The values at some ranks, from 0, of values in ascending order.
 * @param values in any order, none of them NaN; they stay as they are
 * @param ranks each below the number of values; at most a hundred
 */
export function selectRanks(values: Float64Array, ranks: readonly number[]): Float64Array {
  const words = new Uint32Array(values.buffer, values.byteOffset, 2 * values.length);
  let groups: Group[] = [{
    ...{ before: 0, wanted: ranks.map((_, place) => place), high: 0, low: 0 },
  }];
  const slots: Int8Array<ArrayBuffer>[] = [];
  for (const digit of [0, 1, 2, 3] as const) {
    const counts = new Uint32Array(groups.length * DIGITS);
    COUNTERS[digit](words, counts, slots);
    const next: Group[] = [];
    const slot = new Int8Array(groups.length * DIGITS).fill(-1);
    groups.forEach((group, place) => {
      for (const found of digitsOf(group, ranks, counts.subarray(place * DIGITS), digit)) {
        slot[place * DIGITS + found.digit] = next.push(found.group) - 1;
      }
    });
    slots.push(slot);
    groups = next;
  }
  const found = new Float64Array(ranks.length);
  const foundWords = new Uint32Array(found.buffer);
  for (const { wanted, high, low } of groups) {
    // Back from the order of bits: of numbers below zero all of them are turned round.
    const isNegative = high < SIGN;
    for (const place of wanted) {
      foundWords[2 * place + HIGH] = isNegative ? ~high : high ^ SIGN;
      foundWords[2 * place + 1 - HIGH] = isNegative ? ~low : low;
    }
  }
  return found;
}

/** The next digit of the wanted values of a group, and those that have it. */
function digitsOf(
  { before, wanted, high, low }: Group,
  ranks: readonly number[],
  counts: Uint32Array,
  place: 0 | 1 | 2 | 3,
): { readonly digit: number; readonly group: Group }[] {
  const found: { digit: number; group: Group }[] = [];
  const open = wanted.toSorted((a, b) => (ranks[a] as number) - (ranks[b] as number));
  let seen = before;
  for (let digit = 0; digit < DIGITS && open.length > 0; digit++) {
    const end = seen + (counts[digit] as number);
    const own: number[] = [];
    while (open.length > 0 && (ranks[open[0] as number] as number) < end) {
      own.push(open.shift() as number);
    }
    if (own.length > 0) {
      const shifted = place % 2 === 0 ? digit * DIGITS : digit;
      found.push({
        digit,
        group: {
          ...{ before: seen, wanted: own },
          high: place < 2 ? high + shifted : high,
          low: place < 2 ? low : low + shifted,
        },
      });
    }
    seen = end;
  }
  return found;
}

/**
 * Counts a digit of all values whose digits before it are wanted. Each digit has a loop of its own,
 * alike as they are: one for all would ask at every value which digit it is.
 */
type Counter = (
  words: Uint32Array,
  counts: Uint32Array,
  slots: readonly Int8Array[],
) => void;

const COUNTERS: readonly [Counter, Counter, Counter, Counter] = [
  (words, counts) => {
    for (let at = HIGH; at < words.length; at += 2) {
      const high = words[at] as number;
      const digit = (high ^ ((high >> 31) | SIGN)) >>> DIGIT_BITS;
      counts[digit] = (counts[digit] as number) + 1;
    }
  },
  (words, counts, [first]) => {
    const slots = first as Int8Array;
    for (let at = HIGH; at < words.length; at += 2) {
      const high = words[at] as number;
      const key = high ^ ((high >> 31) | SIGN);
      const slot = slots[key >>> DIGIT_BITS] as number;
      if (slot < 0) continue;
      const place = (slot << DIGIT_BITS) | (key & LOW_DIGIT);
      counts[place] = (counts[place] as number) + 1;
    }
  },
  (words, counts, [first, second]) => {
    const slots = first as Int8Array;
    const nextSlots = second as Int8Array;
    for (let at = HIGH; at < words.length; at += 2) {
      const high = words[at] as number;
      const key = high ^ ((high >> 31) | SIGN);
      const slot = slots[key >>> DIGIT_BITS] as number;
      if (slot < 0) continue;
      const next = nextSlots[(slot << DIGIT_BITS) | (key & LOW_DIGIT)] as number;
      if (next < 0) continue;
      const low = (words[at + 1 - 2 * HIGH] as number) ^ (high >> 31);
      const place = (next << DIGIT_BITS) | (low >>> DIGIT_BITS);
      counts[place] = (counts[place] as number) + 1;
    }
  },
  (words, counts, [first, second, third]) => {
    const slots = first as Int8Array;
    const nextSlots = second as Int8Array;
    const lastSlots = third as Int8Array;
    for (let at = HIGH; at < words.length; at += 2) {
      const high = words[at] as number;
      const key = high ^ ((high >> 31) | SIGN);
      const slot = slots[key >>> DIGIT_BITS] as number;
      if (slot < 0) continue;
      const next = nextSlots[(slot << DIGIT_BITS) | (key & LOW_DIGIT)] as number;
      if (next < 0) continue;
      const low = (words[at + 1 - 2 * HIGH] as number) ^ (high >> 31);
      const last = lastSlots[(next << DIGIT_BITS) | (low >>> DIGIT_BITS)] as number;
      if (last < 0) continue;
      const place = (last << DIGIT_BITS) | (low & LOW_DIGIT);
      counts[place] = (counts[place] as number) + 1;
    }
  },
];
