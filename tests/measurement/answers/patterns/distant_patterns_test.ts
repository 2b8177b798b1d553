import assert from "node:assert/strict";
import { DistantPatterns } from "../../../../src/measurement/answers/patterns/distant_patterns.ts";
import { JobCells } from "../../../../src/core/thread/job_cells.ts";

const CELLS_URL = new URL(
  "../../../../src/core/thread/job_cells.ts",
  import.meta.url,
);
/**
 * Code of a thread that answers the pattern `never` only when it is told to end that job, and is late
 * with its start if told so: then it takes jobs once it has the pattern `late`.
 */
const ANSWERING = `
  import { JobCells, REFUSED } from ${JSON.stringify(CELLS_URL.href)};
  self.onmessage = ({ data: { port, buffer, end, isLate } }) => {
    const cells = new JobCells(buffer);
    if (end !== undefined) return cells.answer(end, 1);
    port.onmessage = ({ data: { job, pattern, flags, text } }) => {
      if (pattern === "late") {
        cells.answer(job, 1);
        return cells.begin();
      }
      if (pattern === "never") return;
      cells.answer(job, pattern === "(" ? REFUSED : Number(new RegExp(pattern, flags).test(text)));
    };
    if (!isLate) cells.begin();
  };
`;

function distantPatterns(mostMs: number, isLate = false) {
  const cells = new JobCells();
  const { port1, port2 } = new MessageChannel();
  const url = URL.createObjectURL(new Blob([ANSWERING], { type: "application/typescript" }));
  const worker = new Worker(url, { type: "module" });
  worker.postMessage({ port: port1, buffer: cells.buffer, isLate }, [port1]);
  return {
    cells,
    patterns: new DistantPatterns({ port: port2, cells: cells.buffer }, mostMs),
    /** Ends a job that was not answered. */
    end: (job: number) => worker.postMessage({ buffer: cells.buffer, end: job }),
    [Symbol.dispose]() {
      port2.close();
      worker.terminate();
      URL.revokeObjectURL(url);
    },
  };
}

Deno.test("DistantPatterns waits for the outcomes of another thread, one after another", () => {
  using parts = distantPatterns(60_000);
  for (let length = 0; length < 50; length++) {
    assert.equal(parts.patterns.test("^a*$", "", "a".repeat(length)), true);
    assert.equal(parts.patterns.test("^A+b$", "i", "a".repeat(length)), false);
  }
  assert.equal(parts.cells.unanswered, 0);
  assert.equal(parts.patterns.test("(", "", ""), undefined);
  assert.equal(parts.patterns.test("a", "", "a"), true);
  assert.equal(parts.cells.unanswered, 1);
});

Deno.test("DistantPatterns tests nothing while a pattern runs on, and goes on when it has ended", () => {
  using parts = distantPatterns(2000);
  assert.equal(parts.patterns.test("never", "", "a"), undefined);
  assert.equal(parts.patterns.test("a", "", "a"), undefined);
  assert.equal(parts.cells.unanswered, 2);
  parts.end(1);
  assert.equal(parts.cells.wait(1, () => 60_000), 1);
  assert.equal(parts.patterns.test("a", "", "a"), true);
});

Deno.test("DistantPatterns does not count the start of the other thread as time of a pattern", () => {
  using parts = distantPatterns(0, true);
  assert.equal(parts.patterns.test("late", "", "a"), true);
  assert.equal(parts.cells.unanswered, 0);
});
