import assert from "node:assert/strict";
import { rowFacts, scanRows } from "../../../../src/load/sessions/index/scan_rows.ts";

async function* pieces(text: string, size: number): AsyncGenerator<Uint8Array> {
  const bytes = new TextEncoder().encode(text);
  for (let at = 0; at < bytes.length; at += size) {
    yield await Promise.resolve(bytes.slice(at, at + size));
  }
}

for (const size of [1, 3, 7, 1000]) {
  Deno.test(`scanRows finds each line and its place in pieces of ${size} bytes`, async () => {
    const text = '{"é": 1}\n\n  \r\n{"b": [1, 2]}\r\n{"c": ""}';
    const found: unknown[] = [];
    const source = { path: "file", bytes: () => pieces(text, size) };
    for await (const rows of scanRows(source)) {
      for (const { offset, length, line, bytes } of rows) {
        assert.equal(bytes.length, length);
        found.push([line, offset, new TextDecoder().decode(bytes).trim()]);
      }
    }
    assert.deepEqual(found, [[1, 0, '{"é": 1}'], [4, 15, '{"b": [1, 2]}'], [5, 30, '{"c": ""}']]);
  });
}

Deno.test("rowFacts leaves the long field out, and names the line of a row that is no object", () => {
  const row = (text: string) => {
    const bytes = new TextEncoder().encode(text);
    return { offset: 0, length: bytes.length, line: 7, bytes };
  };
  const grouping = {
    longField: "ids",
    factsOf: (fields: Readonly<Record<string, unknown>>) => ({
      sessions: [[JSON.stringify(fields)]],
    }),
  };
  const text = '{"a": "x", "ids": [1, 2, 3], "z": 4}';
  assert.deepEqual(rowFacts(row(text), "file", grouping)?.sessions, [['{"a":"x","ids":[],"z":4}']]);
  assert.throws(() => rowFacts(row("[1"), "file", grouping), /^DatasetError: file:7:/);
  assert.throws(() => rowFacts(row("5"), "file", grouping), /^DatasetError: file:7:1: Must be an/);
});
