import { SUBMISSION_REASONS, type SubmissionReason } from "../../core/run_end/submission_reason.ts";
import type { ScenarioPlan } from "../../config/plan/agents_plan.ts";
import type { LengthMismatch } from "./token_check.ts";
import type { WindowName } from "./window_name.ts";

/** Whether a run meets the locks of its scenario that this version knows. */
export interface Submission {
  readonly scenario: ScenarioPlan;
  readonly isValid: boolean;
  readonly reasons: readonly SubmissionReason[];
  /** Window whose output lengths and client error are checked. */
  readonly window: WindowName;
}

/** Results by which a run with a scenario is checked. */
export interface SubmittedRun {
  readonly requests: { readonly sent: number };
  readonly errors: readonly { readonly message: string; readonly count: number }[];
  /** Whether it was interrupted, or ended before all that was planned. */
  readonly isCutShort: boolean;
  readonly seconds: number;
  /** Window of the results. */
  readonly window: WindowName;
  /** Replies that are not as long as recorded; undefined if lengths are free, or not known. */
  readonly lengthMismatch: LengthMismatch | undefined;
  /** Mean length of the replies, divided by that of the recorded ones; NaN if it is not known. */
  readonly outputShare: number;
  /** Whether a session was replayed more than once. */
  readonly hasWrapped: boolean;
  /** Whether the client's own error makes the results invalid. */
  readonly isOwnErrorExceeded: boolean;
}

/** Texts with which servers refuse prompts that are too long. */
const OVERFLOW =
  /context[ _-]?(length|window)|maximum (context|model) length|max_model_len|too long/i;

/** Checks a run with a scenario. */
export function submissionOf(scenario: ScenarioPlan, run: SubmittedRun): Submission {
  const { limits } = scenario;
  const { requests: { sent }, errors } = run;
  const countOf = (counted: readonly { readonly count: number }[]): number =>
    counted.reduce((sum, { count }) => sum + count, 0);
  const overflows = countOf(errors.filter(({ message }) => OVERFLOW.test(message)));
  const { maxOverflowShare = Infinity, maxFailedShare = Infinity, outputBand } = limits;
  const isOutside = outputBand !== undefined &&
    (run.outputShare < outputBand.min || run.outputShare > outputBand.max);
  const applies: Readonly<Record<SubmissionReason, boolean>> = {
    "unsafe_override": scenario.isOverridden,
    "context_overflow_rate_exceeded": overflows > maxOverflowShare * sent,
    "failed_request_rate_exceeded": countOf(errors) > maxFailedShare * sent,
    "duration_too_short": run.seconds < (limits.leastSeconds ?? 0),
    "length_mismatch": limits.hasExactLengths && run.lengthMismatch?.isComparable === false,
    "output_length_outside_band": isOutside,
    "corpus_wrapped": run.hasWrapped && !limits.mayWrap,
    "dataset_not_approved": !scenario.isDatasetApproved,
    "own_error_exceeded": run.isOwnErrorExceeded,
    "cut_short": run.isCutShort,
  };
  const reasons = SUBMISSION_REASONS.filter((reason) => applies[reason]);
  return { scenario, isValid: reasons.length === 0, reasons, window: run.window };
}
