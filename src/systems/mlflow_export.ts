import type { ExportOutcome } from "../report/export_outcome.ts";
import type { ProfileReport } from "../report/profile_report.ts";
import type { SystemOrders } from "./messages.ts";
import type { SystemExport } from "./system_export.ts";
/** Orders. */
export type MlflowOrders = Extract<SystemOrders, { system: "mlflow" }>;
/** Export. */
export class MlflowExport implements SystemExport {
  static create(_orders: MlflowOrders): MlflowExport {
    return new MlflowExport();
  }
  finish(_report: ProfileReport, _timeoutMs: number): Promise<ExportOutcome> {
    return Promise.reject(new Error("unused"));
  }
}
