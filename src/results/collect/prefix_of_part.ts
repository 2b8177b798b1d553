import {
  type PrefixIdeal,
  type RequestHits,
  summedHits,
} from "../../measurement/prefix/ideal_hits.ts";
import { readPrefixFile } from "../../measurement/prefix/prefix_file.ts";
import { RUN_FILES } from "./run_files.ts";

const NOT_KEPT = "the run did not keep what caches could have had of each request";

/**
 * Finds what caches could have had in a part of a run, after all requests of the run before it.
 * @param directory of the run; undefined if it is not in a folder
 * @param whole of the run
 * @param includes whether a request that was sent then is in the part
 */
export function prefixOfPart(
  directory: string | undefined,
  whole: PrefixIdeal | undefined,
  includes: (startNs: number) => boolean,
): PrefixIdeal | undefined {
  if (whole === undefined || "none" in whole) return whole;
  if (directory === undefined) return { none: NOT_KEPT };
  const [plain, replies]: [RequestHits[], RequestHits[]] = [[], []];
  try {
    using source = Deno.openSync(`${directory}/${RUN_FILES.prefixHits}`);
    const { rows, size } = readPrefixFile(source);
    for (const { hits, withReplies } of rows()) {
      const inside = hits.filter(({ startNs }) => includes(startNs));
      (withReplies ? replies : plain).push(...inside);
    }
    if (plain.length === 0) return { none: "no request was served" };
    return {
      ...{ ...size, ...summedHits(plain) },
      ...(replies.length === 0 ? {} : { withReplies: summedHits(replies) }),
    };
  } catch {
    // A copy of the run may not have the file, and a damaged one is of no use.
    return { none: NOT_KEPT };
  }
}
