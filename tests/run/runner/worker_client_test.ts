import assert from "node:assert/strict";
import { KeptThreads } from "../../../src/run/runner/kept_threads.ts";
import { WorkerClient } from "../../../src/run/runner/worker_client.ts";

type Message = { readonly type: string };

/** A thread that ends by an error instead of an answer. */
const DEATH = "death";

/** What becomes of a thread that is asked to rest, and answers so or with nothing. */
async function afterRest(answer: string | undefined) {
  const count = { started: 0, ended: 0 };
  const threads = new KeptThreads((_url, _permissions, onDeath) => {
    count.started++;
    const target = new EventTarget();
    const worker = Object.assign(target, {
      postMessage() {
        if (answer === undefined) return;
        const data = { type: answer };
        queueMicrotask(() => {
          if (answer === DEATH) onDeath("it was lost");
          else target.dispatchEvent(new MessageEvent("message", { data }));
        });
      },
      terminate: () => void count.ended++,
    }) as unknown as Worker;
    return { worker, ready: Promise.resolve(), onDeath };
  });
  const client = () =>
    new WorkerClient<Message, Message>(
      "test",
      new URL("file:///thread.ts"),
      { net: [], read: [], write: [], priority: false },
      {},
      threads,
    );
  await client().closeAfter({ type: "rest" }, "resting", answer === undefined ? 1 : 60_000);
  client();
  return count;
}

Deno.test({
  name:
    "WorkerClient leaves a thread to the next run that has answered that it rests, and ends others",
  // Nor does it leave a timer behind.
  sanitizeOps: true,
  fn: async () => {
    assert.deepEqual(await afterRest("resting"), { started: 1, ended: 0 });
    assert.deepEqual(await afterRest(undefined), { started: 2, ended: 1 });
    assert.deepEqual(await afterRest(DEATH), { started: 2, ended: 1 }, "nor does it fail");
  },
});
