import type { TokenVocabulary } from "./token_vocabulary.ts";

const NONE = 0x7fffffff;

/** The number of tokens into which byte-pair merging turns some bytes. */
export function bytePairCount(vocabulary: TokenVocabulary, bytes: Uint8Array): number {
  const { length } = bytes;
  if (length < 2 || vocabulary.rankOf(bytes, 0, length) >= 0) return length === 0 ? 0 : 1;
  return merged(vocabulary, bytes).parts;
}

/** Returns where each of the tokens ends into which byte-pair merging turns some bytes. */
export function bytePairEnds(vocabulary: TokenVocabulary, bytes: Uint8Array): number[] {
  const { length } = bytes;
  if (length < 2 || vocabulary.rankOf(bytes, 0, length) >= 0) return length === 0 ? [] : [length];
  const { next } = merged(vocabulary, bytes);
  const ends: number[] = [];
  for (let start = 0; start < length; start = next[start] as number) {
    ends.push(next[start] as number);
  }
  return ends;
}

/**
 * Merges bytes: as long as two neighbours make a token, the pair of lowest rank, the leftmost of
 * equals, becomes one.
 *
 * A heap of candidate pairs keeps it at O(n log n), so that ten thousand letters without a space
 * do not take seconds.
 */
function merged(
  vocabulary: TokenVocabulary,
  bytes: Uint8Array,
): { readonly parts: number; readonly next: Int32Array } {
  const { length } = bytes;
  // Parts are linked by where they begin; a part that was merged away has no next.
  const next = new Int32Array(length + 1);
  const previous = new Int32Array(length + 1);
  for (let i = 0; i <= length; i++) {
    next[i] = i + 1;
    previous[i] = i - 1;
  }
  const pairEnd = (start: number): number => {
    const middle = next[start] as number;
    return middle >= length ? -1 : next[middle] as number;
  };
  const pairRank = (start: number): number => {
    const end = pairEnd(start);
    const rank = end < 0 ? -1 : vocabulary.rankOf(bytes, start, end);
    return rank < 0 ? NONE : rank;
  };
  const heap = new PairHeap(length);
  for (let start = 0; start < length - 1; start++) heap.push(pairRank(start), start, start + 2);
  let parts = length;
  for (let pair = heap.pop(); pair !== undefined; pair = heap.pop()) {
    const { start, end } = pair;
    // Merges since it was pushed may have taken its start away or moved its end.
    if (next[start] === -1 || pairEnd(start) !== end) continue;
    next[next[start] as number] = -1;
    next[start] = end;
    previous[end] = start;
    parts--;
    heap.push(pairRank(start), start, pairEnd(start));
    const before = previous[start] as number;
    if (before >= 0) heap.push(pairRank(before), before, pairEnd(before));
  }
  return { parts, next };
}

interface Pair {
  readonly rank: number;
  readonly start: number;
  readonly end: number;
}

/** Pairs by rank, then by where they begin. */
class PairHeap {
  readonly #pairs: Pair[] = [];

  constructor(capacity: number) {
    this.#pairs = new Array(capacity);
    this.#pairs.length = 0;
  }

  push(rank: number, start: number, end: number): void {
    if (rank === NONE) return;
    const pairs = this.#pairs;
    const pair = { rank, start, end };
    let index = pairs.length;
    pairs.push(pair);
    while (index > 0) {
      const parent = (index - 1) >> 1;
      const above = pairs[parent] as Pair;
      if (!isBefore(pair, above)) break;
      pairs[index] = above;
      index = parent;
    }
    pairs[index] = pair;
  }

  pop(): Pair | undefined {
    const pairs = this.#pairs;
    const top = pairs[0];
    const last = pairs.pop();
    if (last === undefined || top === undefined || pairs.length === 0) return top;
    let index = 0;
    for (;;) {
      let child = index * 2 + 1;
      if (child >= pairs.length) break;
      if (
        child + 1 < pairs.length && isBefore(pairs[child + 1] as Pair, pairs[child] as Pair)
      ) child++;
      const below = pairs[child] as Pair;
      if (!isBefore(below, last)) break;
      pairs[index] = below;
      index = child;
    }
    pairs[index] = last;
    return top;
  }
}

function isBefore(a: Pair, b: Pair): boolean {
  return a.rank < b.rank || (a.rank === b.rank && a.start < b.start);
}
