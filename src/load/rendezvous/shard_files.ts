/** The last file of a shard, by which the others are known to be all. */
const LAST = "shard.json";

/**
 * The files of a shard by their names below its folder: its last one last, and none that is hidden.
 */
export async function shardFileNames(folder: string, prefix = ""): Promise<string[]> {
  const names: string[] = [];
  for await (const { name, isDirectory, isFile } of Deno.readDir(`${folder}/${prefix}`)) {
    if (name.startsWith(".")) continue;
    if (isDirectory) names.push(...await shardFileNames(folder, `${prefix}${name}/`));
    else if (isFile) names.push(prefix + name);
  }
  return names.sort((a, b) => Number(a === LAST) - Number(b === LAST) || (a < b ? -1 : 1));
}
