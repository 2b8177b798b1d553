import type { RunEnd } from "../../core/run_end/end_reason.ts";

/** Minimum number of replies before the error rate is evaluated. */
const MIN_REPLIES = 20;

/**
 * Why a run should end because of its failures; undefined while it should not.
 * @param maxRate largest share of failures that is allowed; with 1 there is never one too many
 */
export function tooManyErrors(
  failed: number,
  replies: number,
  maxRate: number,
): RunEnd | undefined {
  if (replies < MIN_REPLIES || failed / replies <= maxRate) return undefined;
  return {
    reason: "error_rate",
    text: `${failed} of ${replies} requests failed, more than --max-error-rate ${maxRate} allows`,
  };
}
