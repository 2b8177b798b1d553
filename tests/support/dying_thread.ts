/**
 * The code of a load worker that dies at its work. Which worker, and on which of its requests,
 * stands in the URL: `?worker=0&request=5`.
 */

import "../../src/load/load_thread.ts";

const parameters = new URL(import.meta.url).searchParams;
let left = Infinity;

globalThis.addEventListener("message", (event) => {
  const { type, worker } = (event as MessageEvent<{ type?: string; worker?: number }>).data;
  if (type === "init" && worker === Number(parameters.get("worker"))) {
    left = Number(parameters.get("request"));
  }
});

// Each request gets an id when it starts.
const randomUUID = crypto.randomUUID.bind(crypto);
crypto.randomUUID = () => {
  if (--left === 0) {
    queueMicrotask(() => {
      throw new Error("Broken on purpose");
    });
  }
  return randomUUID();
};
