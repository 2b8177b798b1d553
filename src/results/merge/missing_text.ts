import type { CheckedShard } from "./checked_shard.ts";
import type { PlacedShard } from "./placed_shards.ts";
import { weightOf } from "./undone_part.ts";

/** Shards that are named one by one. */
const MAX_NAMED = 20;

/** The shards of a run by what became of them. */
export interface ShardStates {
  readonly count: number;
  /** Those that have no folder. */
  readonly missing: readonly number[];
  readonly checked: readonly CheckedShard[];
  /** Those whose records are taken. */
  readonly shards: readonly PlacedShard[];
}

/**
 * What is missing of a run: which shards, what part of its own each left undone, and what share of
 * the plan that is in all. Undefined if all did all of it.
 */
export function missingText(
  { count, missing, checked, shards }: ShardStates,
): string | undefined {
  const broken = checked.filter(({ state }) => state === "broken").map(({ index }) => index);
  const cut = shards.filter(({ isCut, isUnwritten }) => isCut && !isUnwritten);
  const unwritten = shards.filter(({ isUnwritten }) => isUnwritten);
  const still = shards.filter(({ isHeldUp }) => isHeldUp);
  const partial = shards.filter(({ isCut, isPartial, isHeldUp }) =>
    isPartial && !isCut && !isHeldUp
  );
  const parts = [
    ...(missing.length === 0 ? [] : [`${named(missing, count)} missing`]),
    ...(broken.length === 0 ? [] : [`${named(broken, count)} broken and left out`]),
    ...(cut.length === 0 ? [] : [
      `${namedShards(cut, count)} cut off where the process was killed, ${afterText(cut)}`,
    ]),
    ...(unwritten.length === 0 ? [] : [
      `${namedShards(unwritten, count)} not written to the end, ${afterText(unwritten)}`,
    ]),
    ...(partial.length === 0 ? [] : [
      `${namedShards(partial, count)} interrupted or ended early, ${afterText(partial)}`,
    ]),
    ...(still.length === 0 ? [] : [
      `${namedShards(still, count)} held up while the process stalled, ${afterText(still)}`,
    ]),
  ];
  if (parts.length === 0) return undefined;
  const plan = shards[0]?.manifest.facts.plan;
  const weight = (index: number): number =>
    plan === undefined ? 1 / count : weightOf(plan, index, count);
  const share = [...missing, ...broken].reduce((sum, index) => sum + weight(index), 0) +
    [...cut, ...unwritten, ...partial, ...still].reduce(
      (sum, { index, undone }) => sum + weight(index) * undone,
      0,
    );
  return `${parts.join("; ")}: ${shareText(share)} of the plan was not measured`;
}

function namedShards(shards: readonly PlacedShard[], count: number): string {
  return named(shards.map(({ index }) => index), count);
}

/** How far shards came, and what each left undone. */
function afterText(shards: readonly PlacedShard[]): string {
  const requests = shards.reduce((sum, { summary }) => sum + summary.sent, 0);
  const shares = shards.slice(0, MAX_NAMED).map(({ undone }) => shareText(undone)).join(", ");
  const more = shards.length > MAX_NAMED ? ", ..." : "";
  return `after ${requests} ${requests === 1 ? "request" : "requests"}, with ${shares}${more} of ` +
    `${shards.length === 1 ? "its part" : "their parts"} undone`;
}

function named(indexes: readonly number[], count: number): string {
  const more = indexes.length - MAX_NAMED;
  const names = indexes.slice(0, MAX_NAMED).join(", ") + (more > 0 ? ` and ${more} more` : "");
  return indexes.length === 1 ? `shard ${names} of ${count} is` : `shards ${names} of ${count} are`;
}

function shareText(share: number): string {
  return `${(share * 100).toFixed(1)} %`;
}
