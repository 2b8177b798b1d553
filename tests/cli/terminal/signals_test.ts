import assert from "node:assert/strict";
import { whileBlocking } from "../../../src/core/thread/signal_pause.ts";
import { catchSignals } from "../../../src/cli/terminal/signals.ts";

const ignore = Deno.build.os === "windows";

/** A process that gets its signals, and its time, from the test. */
function signalledProcess() {
  const listeners = new Map<Deno.Signal, () => void>();
  const said: string[] = [];
  const exits: number[] = [];
  const process = {
    isFirst: false,
    ms: 1000,
    said,
    exits,
    get: (signal: Deno.Signal) => listeners.get(signal)?.(),
    onSignal: (signal: Deno.Signal, listener: () => void) => listeners.set(signal, listener),
    offSignal: (signal: Deno.Signal, _listener: () => void) => listeners.delete(signal),
    exit: (code: number) => exits.push(code),
    writeError: (text: string) => said.push(text),
    nowMs: () => process.ms,
  };
  return process;
}

for (const [signal, code] of [["SIGINT", 130], ["SIGTERM", 143]] as const) {
  Deno.test(`catchSignals asks for an end at the first ${signal}, and ends at the second`, {
    ignore,
  }, () => {
    const process = signalledProcess();
    const caught = catchSignals("ending\n", process);
    assert.deepEqual([caught.signal.aborted, caught.exitCode], [false, undefined]);
    process.get(signal);
    assert.deepEqual([caught.signal.aborted, caught.exitCode], [true, code]);
    assert.deepEqual([process.said, process.exits], [["ending\n"], []]);
    process.ms += 401;
    process.get(signal);
    assert.deepEqual([process.said, process.exits], [["ending\n"], [code]]);
  });
}

Deno.test("catchSignals does not take the echo of a signal for a second one", { ignore }, () => {
  const process = signalledProcess();
  const caught = catchSignals("", process);
  process.get("SIGINT");
  for (const signal of ["SIGINT", "SIGTERM", "SIGINT"] as const) {
    process.ms += 100;
    process.get(signal);
  }
  assert.deepEqual([process.exits, caught.exitCode], [[], 130]);
  process.ms += 101;
  process.get("SIGTERM");
  assert.deepEqual(process.exits, [143]);
});

Deno.test(
  "catchSignals leaves signals to the system while a step can block",
  { ignore },
  async () => {
    const process = signalledProcess();
    const caught = catchSignals("", process);
    await whileBlocking(async () => {
      await whileBlocking(() => Promise.resolve());
      process.get("SIGINT");
    });
    assert.equal(caught.signal.aborted, false);
    await assert.rejects(whileBlocking(() => Promise.reject(new Error("no"))), /no/);
    process.get("SIGINT");
    assert.equal(caught.signal.aborted, true);
  },
);

Deno.test("catchSignals always listens in a container's first process", { ignore }, async () => {
  const process = { ...signalledProcess(), isFirst: true };
  const caught = catchSignals("", process);
  await whileBlocking(() => Promise.resolve(process.get("SIGTERM")));
  assert.deepEqual([caught.signal.aborted, caught.exitCode], [true, 143]);
});
