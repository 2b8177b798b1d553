/**
 * One of several processes that run one plan together. Sessions, requests, users and places below a
 * limit are numbered from 0 in the whole run. A number belongs to the shard whose index is the
 * remainder of the number divided by the count of shards, so that no communication is needed, and
 * the parts together are the whole.
 */
export interface Shard {
  /** From 0 to count - 1. */
  readonly index: number;
  readonly count: number;
}

/** Number of shards at most: more could not all be connected to one. */
export const MAX_SHARDS = 10_000;

/** How many of `total` things, numbered from 0, belong to a shard; all of them without shards. */
export function shareOf(total: number, shard: Shard | undefined): number {
  if (shard === undefined) return total;
  return Math.max(0, Math.ceil((total - shard.index) / shard.count));
}

/** Number in the whole run of a thing that is numbered within a shard. */
export function globalIndexOf(own: number, shard: Shard | undefined): number {
  return shard === undefined ? own : own * shard.count + shard.index;
}

/** A shard as messages name it. */
export function shardName({ index, count }: Shard): string {
  return `shard ${index} of ${count}`;
}

/** The folder of a shard inside of the run's: `shard-0003-of-0008`. */
export function shardFolderName({ index, count }: Shard): string {
  const digits = (number: number): string => String(number).padStart(4, "0");
  return `shard-${digits(index)}-of-${digits(count)}`;
}

const FOLDER_NAME = /^shard-(\d{4,})-of-(\d{4,})$/;

/** Returns the shard whose folder has that name; undefined if no shard has. */
export function shardOfFolder(name: string): Shard | undefined {
  const [, place, all] = FOLDER_NAME.exec(name) ?? [];
  if (place === undefined || all === undefined) return undefined;
  const shard = { index: Number(place), count: Number(all) };
  return shard.index < shard.count && shardFolderName(shard) === name ? shard : undefined;
}
