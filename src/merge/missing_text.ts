import type { CheckedShard } from "./checked_shard.ts";
import type { PlacedShard } from "./placed_shards.ts";

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
 * What is missing of a run: which shards, and what share of the plan that is. Undefined if all are
 * whole.
 */
export function missingText(
  { count, missing, checked, shards }: ShardStates,
): string | undefined {
  const of = (state: CheckedShard["state"]): number[] =>
    checked.filter((shard) => shard.state === state).map(({ index }) => index);
  const broken = of("broken");
  const cut = of("cut");
  const lost = missing.length + broken.length;
  const parts = [
    ...(missing.length === 0 ? [] : [`${named(missing, count)} missing`]),
    ...(broken.length === 0 ? [] : [`${named(broken, count)} broken and left out`]),
    ...(cut.length === 0 ? [] : [
      `${named(cut, count)} cut off where the process was killed, after ${
        shards.filter(({ isCut }) => isCut).reduce((sum, { summary }) => sum + summary.sent, 0)
      } requests`,
    ]),
  ];
  if (parts.length === 0) return undefined;
  const share = lost === 0 ? "" : `: ${shareText(lost / count)} of the plan was not measured`;
  return `${parts.join("; ")}${share}`;
}

function named(indexes: readonly number[], count: number): string {
  const more = indexes.length - MAX_NAMED;
  const names = indexes.slice(0, MAX_NAMED).join(", ") + (more > 0 ? ` and ${more} more` : "");
  return indexes.length === 1 ? `shard ${names} of ${count} is` : `shards ${names} of ${count} are`;
}

function shareText(share: number): string {
  return `${(share * 100).toFixed(1)} %`;
}
