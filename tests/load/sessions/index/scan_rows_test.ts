import assert from "node:assert/strict";
import { agenticMooncake } from "../../../../src/load/sessions/formats/agentic_mooncake.ts";
import { tracelab } from "../../../../src/load/sessions/formats/tracelab.ts";
import type { RowGrouping } from "../../../../src/load/sessions/model/row_grouping.ts";
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

function row(text: string) {
  const bytes = new TextEncoder().encode(text);
  return { offset: 0, length: bytes.length, line: 7, bytes };
}

Deno.test("rowFacts leaves the long field out, and names the line of a row that is no object", () => {
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

Deno.test("rowFacts reads a null as a missing field, and keeps the lists behind it", () => {
  const mooncake = agenticMooncake.grouping?.() as RowGrouping;
  const text = '{"request_id": "b", "hash_ids": null, "wait_for": ["a"], "dependencies": null}';
  assert.deepEqual(rowFacts(row(text), "file", mooncake)?.sessions, [["b", "a"]]);
  const other = '{"request_id": "b", "note": "hash_ids", "wait_for": ["a"], "hash_ids" : [1]}';
  assert.deepEqual(rowFacts(row(other), "file", mooncake)?.sessions, [["b", "a"]]);
  const none = '{"request_id": "b", "session_id": null, "wait_for": null, "hash_ids": [1]}';
  assert.deepEqual(rowFacts(row(none), "file", mooncake)?.sessions, [["b"]]);
});

Deno.test("rowFacts reads a row whose list of tools is null", () => {
  const grouping = tracelab.grouping?.() as RowGrouping;
  const text = '{"session_id": "s", "timing_events": [], "tools": null}';
  assert.deepEqual(rowFacts(row(text), "file", grouping)?.sessions, [["s"]]);
});

Deno.test("rowFacts names the line of a row with a field of another type", () => {
  const mooncake = agenticMooncake.grouping?.() as RowGrouping;
  const text = '{"request_id": "b", "hash_ids": [1], "wait_for": 5}';
  assert.throws(
    () => rowFacts(row(text), "file", mooncake),
    /^DatasetError: file:7: Has a field of/,
  );
});
