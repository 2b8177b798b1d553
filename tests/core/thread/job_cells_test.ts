import assert from "node:assert/strict";
import { JobCells, REFUSED } from "../../../src/core/thread/job_cells.ts";

Deno.test("JobCells gives up a job only when it is told to, and has the result of an answered one", () => {
  const cells = new JobCells();
  const left = [1, 1, 0];
  assert.equal(cells.wait(1, () => left.shift() as number), undefined);
  assert.deepEqual(left, []);
  cells.answer(1, 7);
  assert.equal(cells.wait(1, () => assert.fail("the job is answered")), 7);
  assert.equal(cells.done, 1);
});

Deno.test("JobCells answers the jobs of a port, and refuses those that fail", async () => {
  const cells = new JobCells();
  const other = new JobCells(cells.buffer);
  const { port1, port2 } = new MessageChannel();
  try {
    const asked: number[] = [];
    await new Promise<void>((resolve) => {
      other.answerJobs(
        port2,
        ({ job, value }: { readonly job: number; readonly value: number }) => {
          asked.push(cells.done);
          if (job === 2) queueMicrotask(resolve);
          if (value < 0) throw new RangeError("negative");
          return value * 2;
        },
      );
      port1.postMessage({ job: 1, value: 21 });
      port1.postMessage({ job: 2, value: -1 });
    });
    assert.deepEqual(asked, [0, 1]);
    assert.equal(cells.wait(2, () => 0), REFUSED);
  } finally {
    port1.close();
    port2.close();
  }
});
