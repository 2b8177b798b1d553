import assert from "node:assert/strict";
import { RowsCursor } from "../../src/metrics/rows_cursor.ts";
import type { RecordRows } from "../../src/record/record_rows.ts";
import {
  RECORD_FIELD,
  RECORD_FIELD_COUNT,
  type RecordField,
} from "../../src/record/request_fields.ts";
import { addRecords, recordTable } from "../support/record_tables.ts";
import { recordWith } from "../support/records.ts";

/** Valid requests with one chunk each, of which some numbers are told; the others are 0. */
function cursorOf(
  count: number,
  told: Partial<Record<RecordField, readonly number[]>>,
): RowsCursor {
  const columns = Array.from({ length: RECORD_FIELD_COUNT }, () => new Float64Array(count));
  columns[RECORD_FIELD.errorKind]?.fill(-1);
  for (const [field, values] of Object.entries(told)) {
    columns[RECORD_FIELD[field as RecordField]]?.set(values);
  }
  const rows: Partial<RecordRows> = {
    columns,
    stampNs: new Float64Array(count).fill(100),
    stampStarts: Uint32Array.from({ length: count + 1 }, (_, at) => at),
    same: (column) => {
      const [first, ...others] = columns[column] as Float64Array;
      return others.every((value) => Object.is(value, first)) ? first : undefined;
    },
  };
  const cursor = new RowsCursor();
  cursor.setRows({ batch: rows as RecordRows, start: 0, end: count });
  return cursor;
}

Deno.test("RecordTable knows how long replies in one piece were received, and not of streams", () => {
  const table = recordTable();
  const body = { firstBodyNs: [10, 10, NaN], lastBodyNs: [10, 25, NaN] };
  table.addRows(cursorOf(3, { isWhole: [1, 1, 1], ...body }), 0, 3);
  table.addRows(cursorOf(3, { isWhole: [0, 0, 0], ...body }), 0, 3);
  // All rows say the same.
  table.addRows(
    cursorOf(2, { isWhole: [1, 1], firstBodyNs: [10, 10], lastBodyNs: [17, 17] }),
    0,
    2,
  );
  assert.deepEqual([...table.receivingNs.values], [0, 15, 0, 0, 0, 0, 7, 7]);
});

Deno.test("RecordTable does not take the course of a job for a reply that is received", () => {
  const table = recordTable({ takesJobs: true });
  const job = { isWhole: [1, 1], firstBodyNs: [10, 10], lastBodyNs: [17, 800] };
  table.addRows(cursorOf(2, job), 0, 2);
  addRecords(table, [recordWith({ isWhole: 1, firstBodyNs: 10, lastBodyNs: 800 })]);
  assert.deepEqual([...table.receivingNs.values], [0, 0, 0]);
});
