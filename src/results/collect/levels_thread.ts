/**
 * The thread that finds the levels and the gaps of a run that is over, while another one finds everything else.
 * It reads the run's folder and may do nothing else.
 */

import { workerScope } from "../../core/thread/worker_scope.ts";
import type { FromLevelsThread, ToLevelsThread } from "./levels_messages.ts";
import { levelsOfFolder } from "./levels_of_folder.ts";
import { openRunFolder } from "./run_folder.ts";

function post(message: FromLevelsThread): void {
  scope.postMessage(message);
}

const scope = workerScope();
scope.onmessage = async ({ data }: MessageEvent<ToLevelsThread>) => {
  try {
    post({ type: "found", found: levelsOfFolder(await openRunFolder(data.directory)) });
  } catch {
    // What is wrong with the folder, the thread that asks finds as well, and says it.
    post({ type: "found", found: undefined });
  }
};
post({ type: "ready" });
