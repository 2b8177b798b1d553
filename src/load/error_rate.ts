/** Replies before which nothing is judged. */
const MIN_REPLIES = 20;
const WORDS = "more than --max-error-rate";

/**
 * Why a run should end because of its failures; undefined while it should not.
 * @param maxRate largest share of failures that is allowed; with 1 there is never one too many
 */
export function tooManyErrors(
  failed: number,
  replies: number,
  maxRate: number,
): string | undefined {
  if (replies < MIN_REPLIES || failed / replies <= maxRate) return undefined;
  return `${failed} of ${replies} requests failed, ${WORDS} ${maxRate} allows`;
}

/** Whether a run ended early because too many of its requests had failed. */
export function isErrorRateStop(reason: string | undefined): boolean {
  return reason?.includes(WORDS) ?? false;
}
