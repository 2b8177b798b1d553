import { VERDICT } from "../../client/record/verdict.ts";

/** Outcome of a check of a reply. */
export interface Verdict {
  /** A value of {@linkcode VERDICT}. */
  readonly outcome: number;
  /** Place and reason of the first flaw, without text of the reply; undefined if there is none. */
  readonly flaw?: string | undefined;
}

/** Verdict on an answer without a flaw. */
export const FLAWLESS: Verdict = { outcome: VERDICT.yes };

/** Outcomes from the worst to the best. */
const ORDER: readonly number[] = [VERDICT.no, VERDICT.unchecked, VERDICT.yes];

/** The worse of two verdicts; the first one if both are equal. */
export function worseVerdict<V extends Verdict>(first: V | undefined, second: V): V {
  return first !== undefined && ORDER.indexOf(first.outcome) <= ORDER.indexOf(second.outcome)
    ? first
    : second;
}
