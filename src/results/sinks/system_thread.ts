/**
 * A thread that sends the results of a run to one system. It may reach that system and nothing else,
 * and read the run's folder if it needs to.
 */

import { lowerThreadPriority } from "../../core/thread/thread_priority.ts";
import { workerScope } from "../../core/thread/worker_scope.ts";
import type { FromSystemThread, SystemOrders, ToSystemThread } from "./messages.ts";
import type { SystemExport } from "./system_export.ts";
import { TextfileExport } from "./textfile_export.ts";

function post(message: FromSystemThread): void {
  scope.postMessage(message);
}

/** Only what is needed is loaded. */
async function open(orders: SystemOrders): Promise<SystemExport> {
  switch (orders.system) {
    case "textfile":
      return new TextfileExport(orders.plan);
    case "otlp": {
      const { OtlpExport } = await import("./otlp_export.ts");
      return OtlpExport.start(orders);
    }
    case "mlflow": {
      const { MlflowExport } = await import("./mlflow_export.ts");
      return MlflowExport.create(orders);
    }
  }
}

const scope = workerScope();
let opened: Promise<SystemExport> | undefined;
scope.onmessage = async ({ data: message }: MessageEvent<ToSystemThread>) => {
  if (message.type === "init") {
    await lowerThreadPriority();
    opened = open(message.orders);
    await opened;
    post({ type: "initialized" });
  } else {
    const system = await opened;
    const outcome = await system?.finish(message.report, message.timeoutMs);
    if (outcome !== undefined) post({ type: "done", outcome });
  }
};
post({ type: "ready" });
