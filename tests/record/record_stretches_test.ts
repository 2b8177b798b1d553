import assert from "node:assert/strict";
import fc from "fast-check";
import type { StoredRecord } from "../../src/record/record_file.ts";
import { storedRecord } from "../../src/record/record_file_reader.ts";
import { mergedStretches } from "../../src/record/record_stretches.ts";
import { FIELD, RECORD_FIELD, RECORD_FIELD_COUNT } from "../../src/record/request_fields.ts";
import { partOf } from "../support/run_parts.ts";

function recordAt(placeNs: number, index: number): StoredRecord {
  const row = new Float64Array(RECORD_FIELD_COUNT).fill(NaN);
  row[FIELD.index] = index;
  row[FIELD.chunkCount] = 0;
  row[RECORD_FIELD.takenNs] = placeNs;
  return {
    ...{ row, chunkNs: new Float64Array(0), requestId: "", finishReason: null },
    error: undefined,
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
