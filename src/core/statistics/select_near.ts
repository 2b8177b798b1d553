const BUCKETS = 1 << 15;

/**
 * The values at some ranks, from 0, of values in ascending order: those in buckets of equal width in
 * which one lies are looked at, and the others counted.
 * @param values in any order, none of them NaN; they stay as they are
 * @param ranks each below the number of values
 * @returns undefined where too many lie in the same buckets for that to be quick
 */
export function selectNear(
  values: Float64Array,
  min: number,
  max: number,
  ranks: readonly number[],
): Float64Array | undefined {
  const scale = (BUCKETS - 1) / (max - min);
  if (!Number.isFinite(scale) || !(scale > 0)) return undefined;
  const counts = new Uint32Array(BUCKETS);
  for (let i = 0; i < values.length; i++) {
    const bucket = (((values[i] as number) - min) * scale) | 0;
    counts[bucket] = (counts[bucket] as number) + 1;
  }
  const slots = new Int16Array(BUCKETS).fill(-1);
  const wanted = ranks.map((rank, place) => ({ rank, place })).sort((a, b) => a.rank - b.rank);
  /**
   * Number of values before the bucket of each slot, and the position of the slot's own values.
   */
  const before: number[] = [];
  const starts: number[] = [];
  let gathered = 0;
  let seen = 0;
  let next = 0;
  for (let bucket = 0; bucket < BUCKETS && next < wanted.length; bucket++) {
    const count = counts[bucket] as number;
    const first = next;
    while (next < wanted.length && (wanted[next]?.rank as number) < seen + count) next++;
    if (next > first) {
      slots[bucket] = before.push(seen) - 1;
      starts.push(gathered);
      gathered += count;
    }
    seen += count;
  }
  if (gathered > values.length / 4) return undefined;
  const own = new Float64Array(gathered);
  const ends = Uint32Array.from(starts);
  for (let i = 0; i < values.length; i++) {
    const value = values[i] as number;
    const slot = slots[((value - min) * scale) | 0] as number;
    if (slot < 0) continue;
    const at = ends[slot] as number;
    own[at] = value;
    ends[slot] = at + 1;
  }
  starts.forEach((start, slot) => own.subarray(start, ends[slot]).sort());
  const found = new Float64Array(ranks.length);
  let slot = 0;
  for (const { rank, place } of wanted) {
    while (slot + 1 < before.length && (before[slot + 1] as number) <= rank) slot++;
    found[place] = own[(starts[slot] as number) + rank - (before[slot] as number)] as number;
  }
  return found;
}
