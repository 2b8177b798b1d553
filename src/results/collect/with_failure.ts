import { type EndReason, firstReason } from "../../core/run_end/end_reason.ts";

/**
 * Returns a summary or report with the code of a file that could not be written.
 * @param failure why it could not be written; undefined if all are there
 */
export function withFailure<T extends { readonly endReason?: EndReason | undefined }>(
  ended: T,
  failure: string | undefined,
): T {
  if (failure === undefined) return ended;
  return { ...ended, endReason: firstReason(ended.endReason, "disk") };
}
