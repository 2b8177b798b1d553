import { type Shard, shardFolderName } from "../../config/partition/shard.ts";

export { type Shard, shardFolderName };

const NAME = /^shard-(\d{4,})-of-(\d{4,})$/;

/** The shard whose folder has that name; undefined if it is none's. */
export function shardOfFolder(name: string): Shard | undefined {
  const [, place, all] = NAME.exec(name) ?? [];
  if (place === undefined || all === undefined) return undefined;
  const shard = { index: Number(place), count: Number(all) };
  return shard.index < shard.count && shardFolderName(shard) === name ? shard : undefined;
}
