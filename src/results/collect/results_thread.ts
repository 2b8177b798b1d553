/**
 * The thread that holds the records, computes, and writes the files. It may write the artifact
 * folder and do nothing else.
 */

import { lowerThreadPriority } from "../../core/thread/thread_priority.ts";
import { workerScope } from "../../core/thread/worker_scope.ts";
import { FolderSink } from "../../report/export/file_sink.ts";
import { FolderGuard } from "../../report/export/folder_guard.ts";
import type { FromResultsWorker, ToResultsWorker } from "./messages.ts";
import { RunResults } from "./run_results.ts";

function post(message: FromResultsWorker): void {
  scope.postMessage(message);
}

const scope = workerScope();
let results: RunResults | undefined;
scope.onmessage = async (event: MessageEvent<ToResultsWorker>) => {
  const message = event.data;
  switch (message.type) {
    case "init":
      await lowerThreadPriority();
      results = await RunResults.create(
        message,
        new FolderSink(
          message.plan.output.directory,
          new FolderGuard(message.plan.output.directory),
        ),
        post,
      );
      post({ type: "initialized" });
      break;
    case "page":
      results?.addPage(message.page);
      break;
    case "servers":
      results?.setServers(message.servers);
      break;
    case "loadChanged":
      results?.addChange(message.change);
      break;
    case "phaseBegun":
      results?.beginPhase(message.phase, message.startNs, message.clockAheadMs);
      break;
    case "phaseOver":
      results?.endPhase(message);
      break;
    case "finish":
      await results?.finish(message);
      break;
    case "seal":
      post({ type: "sealed", failure: await results?.seal(message.facts) });
      break;
    case "discard":
      await results?.discard();
      post({ type: "discarded" });
      break;
    case "exported":
      await results?.noteExports(message.outcomes);
      post({ type: "exportsNoted" });
      break;
  }
};
post({ type: "ready" });
