import type { FileDatasetPlan } from "../../../config/plan/run_plan.ts";
import type { InputFormat } from "./input_format.ts";
import type { InputSource } from "./input_source.ts";

/** Maximum number of bytes of a file that are searched, which takes less than a second. */
const LOOKED_THROUGH_BYTES = 64 * 1024 * 1024;
/** Fields of rows that need the whole file, or other files. */
const FIELDS = /"(timestamp|session_id|images?)"\s*:\s*([-+\d.eE]*)/g;
/** A field that two reads divide is shorter. */
const OVERLAP = 64;

/**
 * Why the conversations of a file cannot be sent while it is read; undefined if the beginning of the
 * file has no reason. What comes behind it is found when it is read.
 */
export async function pagingObstacle(
  source: InputSource,
  { name, paging }: InputFormat,
  { schedule, synthesis }: FileDatasetPlan,
): Promise<string | undefined> {
  if (source.isFolder) return "it is a folder";
  if (paging === undefined) return `a file of ${name} has to be read as a whole`;
  if (synthesis.prefixLength !== 1 || synthesis.promptLength !== 1) {
    return "--synthesis-prefix-len-multiplier and --synthesis-prompt-len-multiplier need all rows";
  }
  if (source.isStream) return undefined;
  const decoder = new TextDecoder("latin1");
  let rest = "";
  let length = 0;
  let last = -Infinity;
  for await (const bytes of source.bytes()) {
    const text = rest + decoder.decode(bytes);
    const end = text.length - OVERLAP;
    for (const { 1: field, 2: value, index } of text.matchAll(FIELDS)) {
      // It comes again with what is read next.
      if (index >= end) break;
      if (field === "session_id") {
        if (paging === "without sessions") return "rows of one session_id may lie anywhere in it";
      } else if (field !== "timestamp") {
        return "its images have to be read before the run";
      } else if (schedule !== undefined && value !== undefined && value !== "") {
        if (Number(value) < last) return "its times are not in order";
        last = Number(value);
      }
    }
    rest = text.slice(Math.max(0, end));
    length += bytes.length;
    if (length >= LOOKED_THROUGH_BYTES) break;
  }
  return undefined;
}
