/** Why a run with a scenario is no valid submission, in the order of the reports. */
export const SUBMISSION_REASONS = [
  "unsafe_override",
  "context_overflow_rate_exceeded",
  "failed_request_rate_exceeded",
  "duration_too_short",
  "length_mismatch",
  "output_length_outside_band",
  "corpus_wrapped",
  "dataset_not_approved",
  "own_error_exceeded",
  "cut_short",
] as const;

/** See {@linkcode SUBMISSION_REASONS}. */
export type SubmissionReason = typeof SUBMISSION_REASONS[number];
