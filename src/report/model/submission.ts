import type { ScenarioPlan } from "../../config/plan/agents_plan.ts";

/** Why a run with a scenario is no valid submission. */
export type SubmissionReason =
  | "unsafe_override"
  | "context_overflow_rate_exceeded"
  | "failed_request_rate_exceeded"
  | "duration_too_short"
  | "cut_short";

/** Whether a run meets the locks of its scenario that this version knows. */
export interface Submission {
  readonly scenario: ScenarioPlan;
  readonly isValid: boolean;
  readonly reasons: readonly SubmissionReason[];
}

/** Share of requests that may exceed the longest context, and that may fail. */
const MAX_OVERFLOWS = 0.01;
const MAX_FAILURES = 0.1;
/** Least duration of a valid run, in seconds. */
const LEAST_SECONDS = 900;
/** Texts with which servers refuse prompts that are too long. */
const OVERFLOW =
  /context[ _-]?(length|window)|maximum (context|model) length|max_model_len|too long/i;

/** Checks a run with a scenario. */
export function submissionOf(
  scenario: ScenarioPlan,
  { requests, errors, wasCancelled, seconds }: {
    readonly requests: { readonly sent: number };
    readonly errors: readonly { readonly message: string; readonly count: number }[];
    readonly wasCancelled: boolean;
    readonly seconds: number;
  },
): Submission {
  const overflows = errors.reduce(
    (count, group) => OVERFLOW.test(group.message) ? count + group.count : count,
    0,
  );
  const failed = errors.reduce((count, group) => count + group.count, 0);
  const checks: readonly (readonly [SubmissionReason, boolean])[] = [
    ["unsafe_override", scenario.isOverridden],
    ["context_overflow_rate_exceeded", overflows > MAX_OVERFLOWS * requests.sent],
    ["failed_request_rate_exceeded", failed > MAX_FAILURES * requests.sent],
    ["duration_too_short", seconds < LEAST_SECONDS],
    ["cut_short", wasCancelled],
  ];
  const reasons = checks.flatMap(([reason, applies]) => applies ? [reason] : []);
  return { scenario, isValid: reasons.length === 0, reasons };
}
