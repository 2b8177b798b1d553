/** Messages between main and the threads that send results to other systems. */

import type { MlflowPlan, OtlpPlan, TextfilePlan } from "../../config/plan/systems_plan.ts";
import type { ProfileReport } from "../../report/model/profile_report.ts";
import type { ExportOutcome } from "../../report/model/export_outcome.ts";

/** What a thread is for: one system each. */
export type SystemOrders =
  | { readonly system: "textfile"; readonly plan: TextfilePlan }
  | ({ readonly system: "otlp"; readonly plan: OtlpPlan } & NetworkOrders)
  | ({ readonly system: "mlflow"; readonly plan: MlflowPlan } & NetworkOrders);

/** Orders to a thread that reaches a server. */
export interface NetworkOrders {
  /** The run's folder, which it may read. */
  readonly directory: string;
  readonly caCerts: readonly string[];
  /** Texts that no message to people may show. */
  readonly secrets: readonly string[];
}

/** Messages from main to such a thread. */
export type ToSystemThread =
  | { readonly type: "init"; readonly orders: SystemOrders }
  /** The run is over, its files are written. */
  | { readonly type: "finish"; readonly report: ProfileReport; readonly timeoutMs: number };

/** Messages from such a thread to main. */
export type FromSystemThread =
  | { readonly type: "ready" }
  /** The thread has its orders, and its code. */
  | { readonly type: "initialized" }
  | { readonly type: "done"; readonly outcome: ExportOutcome };
