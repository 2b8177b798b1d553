/** The code of load workers of which one dies at its work; the URL tells which one, and when. */

import { begun } from "./dying_worker.ts";
import "../../src/load/worker/load_thread.ts";

// The worker has heard of the message when this does.
globalThis.addEventListener("message", (event) => {
  if ((event as MessageEvent<{ type: string }>).data.type === "phase") begun();
});
