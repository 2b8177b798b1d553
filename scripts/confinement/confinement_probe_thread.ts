/**
 * A thread that makes the attempts of its orders: see `confinement_probe.ts`.
 */

import { workerScope } from "../../src/core/thread/worker_scope.ts";
import { makeAttempts } from "./confinement_attempts.ts";

const scope = workerScope();
scope.onmessage = async (event: MessageEvent<readonly string[]>) => {
  scope.postMessage(await makeAttempts(event.data));
};
// What a thread is refused must not end it.
globalThis.addEventListener("unhandledrejection", (event) => event.preventDefault());
scope.postMessage({ type: "ready" });
