import assert from "node:assert/strict";
import fc from "fast-check";
import type { StoredRecord } from "../../../src/client/record/record_file.ts";
import { storedRecord } from "../../../src/client/record/record_file_reader.ts";
import { joinedRows } from "../../../src/client/record/joined_rows.ts";
import { mergedStretches } from "../../../src/client/record/record_stretches.ts";
import type { RecordRows } from "../../../src/client/record/record_rows.ts";
import {
  FIELD,
  RECORD_FIELD,
  RECORD_FIELD_COUNT,
} from "../../../src/client/record/request_fields.ts";
import { partOf } from "../../support/run_parts.ts";

function recordAt(placeNs: number, index: number): StoredRecord {
  const row = new Float64Array(RECORD_FIELD_COUNT).fill(NaN);
  const chunkNs = Float64Array.from({ length: index % 4 }, (_, chunk) => placeNs + chunk);
  row[FIELD.index] = index;
  row[FIELD.startNs] = placeNs;
  row[FIELD.chunkCount] = chunkNs.length;
  // The same in all records, in those of some blocks, and in most of them.
  row[FIELD.worker] = 3;
  row[FIELD.target] = Math.floor(index / 1024);
  row[FIELD.model] = Math.floor(index / 1500) % 2;
  row[FIELD.status] = index === 700 ? 500 : 200;
  row[RECORD_FIELD.takenNs] = placeNs;
  return {
    ...{ row, chunkNs, requestId: `${placeNs} ${index}` },
    finishReason: index % 3 === 0 ? "stop" : null,
    error: index % 5 === 0 ? `failed at ${index}` : undefined,
  };
}

Deno.test("mergedStretches puts the records of any files in the order of their places", () => {
  fc.assert(fc.property(
    fc.array(fc.array(fc.nat(1000), { maxLength: 3000 }), { maxLength: 12 }),
    (places) => {
      const files = places.map((places) => places.toSorted((a, b) => a - b));
      const expected = files
        .flatMap((places, file) => places.map((place, index) => ({ place, file, index })))
        .sort((a, b) => a.place - b.place || a.file - b.file || a.index - b.index);
      const found: typeof expected = [];
      const parts = files.map((places) => partOf(places.map(recordAt)));
      for (
        const { source, batch, start, end } of mergedStretches(parts.map((p) => p.batches()))
      ) {
        assert.ok(end > start);
        for (let at = start; at < end; at++) {
          const { row } = storedRecord(batch, at);
          found.push({
            place: row[RECORD_FIELD.takenNs] as number,
            file: source,
            index: row[FIELD.index] as number,
          });
        }
      }
      assert.deepEqual(found, expected);
    },
  ));
});

Deno.test("joinedRows puts the same records together as mergedStretches, whole", () => {
  // Close together, far apart, and no whole numbers at all.
  const place = fc.oneof(
    fc.nat(50),
    fc.nat(1000).map((step) => step * 1e9),
    fc.nat(1000).map((step) => step / 8),
  );
  fc.assert(fc.property(
    fc.array(fc.array(place, { maxLength: 3000 }), { maxLength: 8 }),
    (places) => assertJoined(places.map((places) => places.toSorted((a, b) => a - b))),
  ));
});

Deno.test("joinedRows puts together what lies in the blocks of many files at once", () =>
  assertJoined(
    Array.from(
      { length: 12 },
      (_, file) => Array.from({ length: 2000 }, (_, index) => 12 * index + file),
    ),
  ));

Deno.test("joinedRows know what the files that are left have all over", () => {
  const late = (index: number): number => 1e6 + index;
  const files = [
    Array.from({ length: 10 }, (_, index) => recordAt(index, index)),
    ...[0, 1].map(() => Array.from({ length: 3000 }, (_, index) => recordAt(late(index), 0))),
  ];
  const rows = [...joinedRows(files.map((records) => partOf(records).batches()))].at(-1);
  assert.equal(rows?.same(FIELD.status), 200);
  assert.equal(rows?.same(FIELD.index), 0);
});

/** @param files places of each file's records, ascending */
function assertJoined(files: readonly (readonly number[])[]): void {
  const parts = files.map((places) => partOf(places.map(recordAt)));
  const expected: StoredRecord[] = [];
  for (const { batch, start, end } of mergedStretches(parts.map((p) => p.batches()))) {
    for (let at = start; at < end; at++) expected.push(storedRecord(batch, at));
  }
  const found: StoredRecord[] = [];
  for (const rows of joinedRows(parts.map((p) => p.batches()))) {
    for (let at = 0; at < rows.count; at++) found.push(recordOf(rows, at));
  }
  assert.deepEqual(found, expected);
}

function recordOf(rows: RecordRows, at: number): StoredRecord {
  rows.columns.forEach((column, place) => {
    const same = rows.same(place);
    if (same !== undefined) assert.ok(Object.is(column[at], same));
  });
  return {
    row: Float64Array.from(rows.columns, (column) => column[at] as number),
    chunkNs: rows.stampNs.slice(rows.stampStarts[at], rows.stampStarts[at + 1]),
    requestId: rows.requestId(at),
    finishReason: rows.finishReason(at),
    error: rows.error(at),
  };
}
