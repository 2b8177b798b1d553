import assert from "node:assert/strict";
import { inSlices } from "../../../src/core/thread/in_slices.ts";

/** Work of some steps of 1 ms each, and the pauses it makes. */
async function pausesOf(
  steps: number,
  options: { sliceNs?: number; isUrgent?: () => boolean; abortAfter?: number } = {},
): Promise<{ pausedAfter: number[]; result: string | undefined }> {
  let [done, nowNs] = [0, 0];
  const pausedAfter: number[] = [];
  const abort = new AbortController();
  function* work(): Generator<void, string> {
    while (done < steps) {
      done++;
      nowNs += 1e6;
      yield;
    }
    return "done";
  }
  const { abortAfter, ...rest } = options;
  const result = await inSlices(work(), {
    timers: {
      once(_delayMs, call) {
        pausedAfter.push(done);
        if (pausedAfter.length === abortAfter) abort.abort();
        queueMicrotask(call);
        return () => {};
      },
    },
    nowNs: () => nowNs,
    signal: abort.signal,
    ...rest,
  });
  return { pausedAfter, result };
}

Deno.test("inSlices pauses after every slice, and returns what the work returns", async () => {
  assert.deepEqual(await pausesOf(10), { pausedAfter: [4, 8], result: "done" });
  assert.deepEqual(await pausesOf(5, { sliceNs: 2e6 }), { pausedAfter: [2, 4], result: "done" });
});

Deno.test("inSlices does not pause while the work is urgent", async () => {
  const urgent = { isUrgent: () => true };
  assert.deepEqual(await pausesOf(10, urgent), { pausedAfter: [], result: "done" });
});

Deno.test("inSlices ends early when it is aborted", async () => {
  const aborted = await pausesOf(10, { abortAfter: 1 });
  assert.deepEqual(aborted, { pausedAfter: [4], result: undefined });
});
