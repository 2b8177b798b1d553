/** Messages between main and the thread that asks the sample of `--verify drift`. */

import type { RunPlan } from "../../config/plan/run_plan.ts";
import type { PayloadData } from "../dataset/payloads/payload_table.ts";
import type { SampleAnswers } from "../../measurement/answers/drift_findings.ts";

/** Messages from main. */
export type ToVerifyThread =
  | { readonly type: "init"; readonly plan: RunPlan; readonly payloads: PayloadData }
  /** Sends the sample without load; the thread returns `asked`. */
  | { readonly type: "quiet" }
  /** The load begins after a delay: sends the sample once more, one prompt after another. */
  | { readonly type: "load"; readonly delayMs: number }
  /** The load is over: an answer that is not complete counts no more; answered by `asked`. */
  | { readonly type: "loadOver" }
  /** Answered by `answers`, which are undefined if the thread has no prompts. */
  | { readonly type: "finish" };

/** Messages to main. */
export type FromVerifyThread =
  | { readonly type: "ready" }
  | { readonly type: "asked" }
  | { readonly type: "answers"; readonly answers: SampleAnswers | undefined };
