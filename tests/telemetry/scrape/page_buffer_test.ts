import assert from "node:assert/strict";
import fc from "fast-check";
import { PageBuffer } from "../../../src/telemetry/scrape/page_buffer.ts";

Deno.test("PageBuffer gathers pieces of any size, page after page", () => {
  const pages = fc.array(fc.array(fc.uint8Array({ maxLength: 50_000 }), { maxLength: 8 }), {
    minLength: 1,
    maxLength: 5,
  });
  fc.assert(
    fc.property(pages, (pages) => {
      const buffer = new PageBuffer(1_000_000);
      for (const pieces of pages) {
        buffer.clear();
        for (const piece of pieces) assert.ok(buffer.append(piece, 0, piece.length));
        const expected = pieces.flatMap((piece) => [...piece]);
        assert.equal(buffer.length, expected.length);
        assert.deepEqual([...buffer.view], expected);
      }
    }),
    { numRuns: 40 },
  );
});

Deno.test("PageBuffer takes as much as it may and no more", () => {
  const buffer = new PageBuffer(100_000);
  const piece = new Uint8Array(99_999);
  assert.equal(buffer.append(piece, 0, piece.length), true);
  assert.equal(buffer.append(Uint8Array.of(1, 2, 3), 1, 2), true);
  assert.equal(buffer.length, 100_000);
  assert.equal(buffer.view.at(-1), 2);
  assert.equal(buffer.append(piece, 0, 1), false);
  buffer.clear();
  assert.equal(buffer.append(piece, 0, 1), true);
});

Deno.test("PageBuffer works with a limit below its usual size", () => {
  const buffer = new PageBuffer(10);
  assert.equal(buffer.append(new Uint8Array(10), 0, 10), true);
  assert.equal(buffer.append(new Uint8Array(1), 0, 1), false);
  buffer.clear();
  assert.equal(buffer.append(new Uint8Array(11), 0, 11), false);
});
