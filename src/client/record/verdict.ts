/** Outcomes of a check of a reply, as records keep them; NaN if there was nothing to check. */
export const VERDICT = {
  /** The answer is wrong, or the reply is invalid. */
  no: 0,
  yes: 1,
  /** The check could not be made, as with a pattern that takes too long. */
  unchecked: 2,
} as const;

/** Whether the outcome of a check is yes or no. */
export function isDecided(outcome: number): boolean {
  return outcome === VERDICT.yes || outcome === VERDICT.no;
}
