import assert from "node:assert/strict";
import fc from "fast-check";
import { ResponseParser } from "../../../src/client/http/response_parser.ts";
import {
  CANARY_HEAD,
  canaryChunk,
  CanaryDecoder,
  canaryReply,
} from "../../../src/measurement/canary/canary_message.ts";

Deno.test("canaries come out of an HTTP reply as they went in, however it is split", () => {
  const time = fc.double({ noNaN: true, min: 0, max: 1e15 });
  fc.assert(fc.property(
    fc.array(fc.tuple(fc.integer({ min: 0, max: 2 }), time, time), { maxLength: 20 }),
    fc.array(fc.integer({ min: 1, max: 60 }), { minLength: 1 }),
    (canaries, sizes) => {
      const bytes = Uint8Array.from([
        ...CANARY_HEAD,
        ...canaries.flatMap(([kind, intendedNs, writtenNs]) => [
          ...canaryChunk(kind, intendedNs, () => writtenNs),
        ]),
      ]);
      const rows: number[] = [];
      const decoder = new CanaryDecoder();
      let status = 0;
      const parser = new ResponseParser({
        onHead: (head) => status = head.status,
        onBody: (body, start, end) => decoder.push(body, start, end, 42, rows),
        onEnd: () => assert.fail("canaries have no end"),
      });
      parser.expect();
      for (let start = 0, turn = 0; start < bytes.length; turn++) {
        const end = Math.min(bytes.length, start + (sizes[turn % sizes.length] as number));
        parser.push(bytes.slice(start, end), 0, end - start);
        start = end;
      }
      assert.equal(status, 200);
      assert.deepEqual(rows, canaries.flatMap((canary) => [...canary, 42]));
    },
  ));
});

Deno.test("canaryChunk takes the time when nothing but writing it is left to do", () => {
  let asked = 0;
  const chunk = canaryChunk(1, 2, () => ++asked);
  assert.equal(asked, 1);
  const rows: number[] = [];
  new CanaryDecoder().push(chunk, 4, chunk.length - 2, 9, rows);
  assert.deepEqual(rows, [1, 2, 1, 9]);
});

Deno.test("canaryReply is a whole reply whose first piece is no canary", () => {
  let asked = 0;
  const bytes = canaryReply(1, 2, () => ++asked);
  const rows: number[] = [];
  const pieces: number[] = [];
  let ends = 0;
  const decoder = new CanaryDecoder();
  const parser = new ResponseParser({
    onHead: ({ status }) => assert.equal(status, 200),
    onBody(body, start, end) {
      decoder.push(body, start, end, 9, rows);
      pieces.push(rows.length);
    },
    onEnd: () => ends++,
  });
  parser.expect();
  parser.push(bytes, 0, bytes.length);
  assert.equal(asked, 1);
  assert.deepEqual(rows, [1, 2, 1, 9]);
  assert.deepEqual(pieces, [0, 4]);
  assert.equal(ends, 1);
});
