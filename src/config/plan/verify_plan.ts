/** Checks of answers besides those of every reply. */
export interface VerifyPlan {
  /** Prompts that are sent without and under load. */
  readonly sample: number;
}
