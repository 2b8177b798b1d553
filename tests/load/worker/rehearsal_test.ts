import assert from "node:assert/strict";
import { chat } from "../../../src/client/endpoint/openai/chat.ts";
import { resolvePlan } from "../../../src/config/plan/resolve/resolve_plan.ts";
import { workerClock } from "../../../src/core/thread/run_clock.ts";
import { rehearse } from "../../../src/load/worker/rehearsal.ts";

Deno.test("rehearse hands records on, sends itself a message, and cleans up at the end", async () => {
  const plan = await resolvePlan({ url: ["http://127.0.0.1:1"], model: "m", streaming: true }, {
    ...{ cores: 2, cliCommand: "test" },
    findModel: () => Promise.resolve("m"),
  });
  const scope = globalThis as { gc?: (options?: { readonly type?: string }) => void };
  const { gc } = scope;
  const { structuredClone } = globalThis;
  const { postMessage } = MessagePort.prototype;
  const done: string[] = [];
  try {
    scope.gc = (options) => void done.push(`${options?.type} collection`);
    Object.assign(globalThis, {
      structuredClone: (
        message: { readonly type: string },
        { transfer }: StructuredSerializeOptions,
      ) => {
        done.push(`${message.type}, ${transfer?.length} transferred`);
        return structuredClone(message, { transfer: transfer ?? [] });
      },
    });
    MessagePort.prototype.postMessage = function (message: unknown) {
      if (message === null) done.push("message");
      postMessage.call(this, message);
    };
    await rehearse(plan, chat, workerClock);
  } finally {
    if (gc === undefined) delete scope.gc;
    else scope.gc = gc;
    Object.assign(globalThis, { structuredClone });
    MessagePort.prototype.postMessage = postMessage;
  }
  assert.match(done[0] ?? "", /^records, [1-9]\d* transferred$/);
  assert.deepEqual(done.slice(-2), ["message", "minor collection"]);
});
