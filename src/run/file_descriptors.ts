/** Files that the process needs besides its connections: threads, results, standard streams. */
const OTHER_DESCRIPTORS = 64;
/** Fewer connections than this are always possible. */
const ALWAYS_ENOUGH = 128;

/**
 * Checks that so many connections can be open at once, by opening as many files for a moment.
 * @returns how many descriptors are needed if there are not enough; undefined if there are
 */
export async function missingDescriptors(connections: number): Promise<number | undefined> {
  if (!(connections > ALWAYS_ENOUGH) || Deno.build.os === "windows") return undefined;
  const needed = connections + OTHER_DESCRIPTORS;
  const open: Deno.FsFile[] = [];
  try {
    for (let i = 0; i < needed; i++) open.push(await Deno.open("/dev/null"));
    return undefined;
  } catch (error) {
    return /os error (23|24)|too many open files/i.test(String(error)) ? needed : undefined;
  } finally {
    for (const file of open) file.close();
  }
}
