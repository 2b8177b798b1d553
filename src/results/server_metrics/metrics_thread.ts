/**
 * The thread that takes in server metrics where there is no load: it computes, draws and writes. It
 * may write the artifact folder and do nothing else.
 */

import { FolderSink } from "../../report/export/file_sink.ts";
import { FolderGuard } from "../../report/export/folder_guard.ts";
import { giveRoomBack, releaseFolder } from "../../report/export/folder_claim.ts";
import { workerScope } from "../../core/thread/worker_scope.ts";
import { keyMetricsTables } from "../../report/console/server_metrics_tables.ts";
import { serverMetricsReportText } from "../../report/console/server_metrics_report_text.ts";
import type { FromMetricsWorker, ToMetricsWorker } from "./messages.ts";
import { MetricsResults } from "./metrics_results.ts";

function post(message: FromMetricsWorker): void {
  scope.postMessage(message);
}

const scope = workerScope();
let directory = "";
let sink: FolderSink | undefined;
let results: MetricsResults | undefined;
scope.onmessage = async (event: MessageEvent<ToMetricsWorker>) => {
  const message = event.data;
  switch (message.type) {
    case "init": {
      const { orders } = message;
      directory = orders.directory;
      sink = new FolderSink(directory, new FolderGuard(directory));
      results = new MetricsResults({
        ...orders,
        sink,
        onFailure: (text) => post({ type: "exportFailed", message: text }),
      });
      break;
    }
    case "live": {
      const report = results?.report({ window: message.window, wasCancelled: false });
      if (report === undefined) break;
      const fetches = report.endpoints.reduce((sum, { totalFetches }) => sum + totalFetches, 0);
      const tables = keyMetricsTables(report, message.width);
      post({ type: "live", fetches, tables });
      break;
    }
    case "abandon":
      await releaseFolder(directory);
      post({ type: "abandoned" });
      break;
    case "finish": {
      await giveRoomBack(directory);
      const finished = await results?.finish(message.summary);
      const lost = await sink?.release();
      if (finished === undefined) break;
      const { report, files, failure = lost } = finished;
      const { width, color } = message;
      const screenText = serverMetricsReportText(report, { width, color, directory, files });
      post({ type: "done", screenText, files, failure, metrics: report.metrics.length });
      break;
    }
  }
};
post({ type: "ready" });
