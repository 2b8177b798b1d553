import assert from "node:assert/strict";
import { JobCells } from "../../../../src/core/thread/job_cells.ts";
import { DistantTokenizer } from "../../../../src/load/dataset/tokenizers/distant_tokenizer.ts";

/** Code of a thread that answers by the number of characters, and never answers `never`. */
const ANSWERING = `
  import { JobCells, REFUSED } from ${
  JSON.stringify(
    new URL("../../../../src/core/thread/job_cells.ts", import.meta.url).href,
  )
};
  self.onmessage = ({ data: { port, buffer } }) => {
    const cells = new JobCells(buffer);
    port.onmessage = ({ data: { job, text } }) => {
      if (text === "never") cells.stop();
      else cells.answer(job, text === "refused" ? REFUSED : text.length);
    };
  };
`;

function distantTokenizer(): {
  readonly tokenizer: DistantTokenizer;
  readonly cells: JobCells;
  [Symbol.dispose](): void;
} {
  const cells = new JobCells();
  const { port1, port2 } = new MessageChannel();
  const url = URL.createObjectURL(new Blob([ANSWERING], { type: "application/typescript" }));
  const worker = new Worker(url, { type: "module" });
  worker.postMessage({ port: port1, buffer: cells.buffer }, [port1]);
  const tokenizer = new DistantTokenizer({
    ...{ kind: "thread", name: "far", port: port2, cells: cells.buffer },
  });
  return {
    ...{ tokenizer, cells },
    [Symbol.dispose]() {
      port2.close();
      worker.terminate();
      URL.revokeObjectURL(url);
    },
  };
}

Deno.test("DistantTokenizer waits for the counts of another thread, one after another", () => {
  using parts = distantTokenizer();
  for (let length = 0; length < 50; length++) {
    assert.equal(parts.tokenizer.count("x".repeat(length)), length);
  }
  assert.throws(() => parts.tokenizer.count("refused"), /cannot count/);
  assert.equal(parts.tokenizer.count("four"), 4);
  assert.deepEqual([parts.tokenizer.hasGivenUp, parts.cells.unanswered], [false, 0]);
});

Deno.test("DistantTokenizer gives up a count that takes long after an interrupt, and all others", () => {
  using parts = distantTokenizer();
  assert.ok(Number.isNaN(parts.tokenizer.count("never")));
  assert.ok(Number.isNaN(parts.tokenizer.count("four")));
  assert.deepEqual([parts.tokenizer.hasGivenUp, parts.cells.unanswered], [true, 2]);
});

Deno.test("DistantTokenizer counts what is counted soon after an interrupt", () => {
  using parts = distantTokenizer();
  parts.cells.stop();
  assert.equal(parts.tokenizer.count("four"), 4);
  assert.deepEqual([parts.tokenizer.hasGivenUp, parts.cells.unanswered], [false, 0]);
});
