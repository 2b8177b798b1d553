import { isDescriptorLimit } from "../../client/http/descriptor_limit.ts";

/** Descriptors that a load worker needs besides its connections. */
const PER_WORKER = 8;
/** Descriptors for the other threads, results and standard streams that are not open yet. */
const OTHERS = 32;
/** Generous estimate of the descriptors that are open already. */
const OPEN_ALREADY = 64;

/**
 * Checks that a run can have this many connections open at once, by opening as many files for a
 * moment.
 * @returns how many descriptors the process needs if there are not enough; undefined if there are
 */
export function missingDescriptors(connections: number, workers: number): number | undefined {
  if (Deno.build.os === "windows") return undefined;
  const more = connections + workers * PER_WORKER + OTHERS;
  const open: Deno.FsFile[] = [];
  try {
    for (let i = 0; i < more; i++) open.push(Deno.openSync("/dev/null"));
    return undefined;
  } catch (error) {
    return isDescriptorLimit(String(error)) ? more + OPEN_ALREADY : undefined;
  } finally {
    for (const file of open) file.close();
  }
}
