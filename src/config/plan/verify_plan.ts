/** Checks of answers besides those of every reply. */
export interface VerifyPlan {
  /** Prompts that are sent without and under load; absent without `drift`. */
  readonly sample?: number;
  /** Whether answers are compared with expected ones. @default false */
  readonly answers?: boolean;
}
