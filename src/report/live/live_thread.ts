/**
 * The thread that serves the state of a run to browsers and Prometheus. It has only the permission
 * to listen on one port.
 */

import { SYSTEM_TIMERS } from "../../core/thread/timers.ts";
import { lowerThreadPriority } from "../../core/thread/thread_priority.ts";
import { workerScope } from "../../core/thread/worker_scope.ts";
import { LiveHandler } from "./live_handler.ts";
import { LiveServer } from "./live_server.ts";
import type { FromLiveThread, ToLiveThread } from "./messages.ts";

const scope = workerScope();
const toMain = (message: FromLiveThread): void => scope.postMessage(message);
let handler: LiveHandler | undefined;
let server: LiveServer | undefined;

scope.onmessage = async ({ data: message }: MessageEvent<ToLiveThread>) => {
  switch (message.type) {
    case "init": {
      await lowerThreadPriority();
      const { hostname, port, token } = message;
      const live = handler = new LiveHandler(token);
      let failure: string | undefined;
      try {
        server = new LiveServer(
          Deno.listen({ hostname, port }),
          (request) => live.answer(request),
          SYSTEM_TIMERS,
        );
      } catch (error) {
        failure = error instanceof Error ? error.message : String(error);
      }
      toMain({ type: "listening", failure });
      break;
    }
    case "model":
      if (handler !== undefined) handler.model = message.model;
      break;
    case "close":
      await server?.close();
      toMain({ type: "closed" });
      break;
  }
};
toMain({ type: "ready" });
