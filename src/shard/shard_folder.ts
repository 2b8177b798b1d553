/** Place of a process among those that share one run. */
export interface Shard {
  /** From 0. */
  readonly index: number;
  readonly count: number;
}

const DIGITS = 4;
const NAME = /^shard-(\d{4,})-of-(\d{4,})$/;

/** The folder of a shard inside the artifact folder that all have: `shard-0003-of-0008`. */
export function shardFolderName({ index, count }: Shard): string {
  const [place, all] = [index, count].map((number) => String(number).padStart(DIGITS, "0"));
  return `shard-${place}-of-${all}`;
}

/** The shard whose folder has that name; undefined if it is none's. */
export function shardOfFolder(name: string): Shard | undefined {
  const [, place, all] = NAME.exec(name) ?? [];
  if (place === undefined || all === undefined) return undefined;
  const shard = { index: Number(place), count: Number(all) };
  return shard.index < shard.count && shardFolderName(shard) === name ? shard : undefined;
}
