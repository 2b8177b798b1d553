import assert from "node:assert/strict";
import fc from "fast-check";
import type { RecordRows } from "../../../src/client/record/record_rows.ts";
import {
  RECORD_FIELD,
  RECORD_FIELD_COUNT,
  type RecordField,
} from "../../../src/client/record/request_fields.ts";
import type { RecordTable } from "../../../src/measurement/metrics/record_table.ts";
import { RowsCursor } from "../../../src/measurement/metrics/rows_cursor.ts";
import { addRecords, recordTable } from "../../support/record_tables.ts";
import { recordWith } from "../../support/records.ts";

/**
 * Valid requests, of which some numbers are told; the others are 0.
 * @param chunks of each; one if that is not told
 */
function cursorOf(
  count: number,
  told: Partial<Record<RecordField, readonly number[]>>,
  chunks: readonly number[] = new Array(count).fill(1),
): RowsCursor {
  const ends = chunks.map((_, at) => chunks.slice(0, at + 1).reduce((sum, each) => sum + each, 0));
  const columns = Array.from({ length: RECORD_FIELD_COUNT }, () => new Float64Array(count));
  columns[RECORD_FIELD.errorKind]?.fill(-1);
  for (const [field, values] of Object.entries(told)) {
    columns[RECORD_FIELD[field as RecordField]]?.set(values);
  }
  const rows: Partial<RecordRows> = {
    columns,
    stampNs: Float64Array.from({ length: ends.at(-1) ?? 0 }, (_, at) => 100 + at * at),
    stampStarts: Uint32Array.of(0, ...ends),
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

/** All that a table says. */
function saidBy(table: RecordTable): unknown {
  const { allEndNs, allStartNs, chunkGaps, contentEndNs, errorIsl, errorKinds, models } = table;
  const { piled, receivingNs, sessionTurns, startNs, turns, waits, workers } = table;
  const columns = [
    ...[allEndNs, allStartNs, chunkGaps.ends, contentEndNs, errorIsl, errorKinds, models],
    ...[receivingNs, sessionTurns, startNs, turns, workers],
    ...Object.values(piled),
    ...Object.values(waits),
  ];
  const { cancelledCount, cancelledOnPurpose, hasTurns, length, validCount } = table;
  return {
    ...{ cancelledCount, cancelledOnPurpose, hasTurns, length, validCount },
    columns: columns.map(({ values }) => [...values]),
    counts: (["cancelled", "good", "usageDiscrepancy", "oslMismatch"] as const)
      .map((name) => [table.countOf(name), ...table.counts(name)]),
    dialects: table.itlDialects?.results(undefined),
    metrics: table.metrics.map(({ tag }) => [tag, ...table.column(tag) ?? []]),
  };
}

const valid = fc.record({
  errorKind: fc.constant(-1),
  turns: fc.constantFrom(1, 1, 1, 2),
  chunks: fc.integer({ min: 1, max: 4 }),
  startNs: fc.integer({ min: 0, max: 50 }),
  endNs: fc.integer({ min: 1000, max: 2000 }),
  inputTokens: fc.constantFrom(10, 20),
  promptTokens: fc.constantFrom(10, 20),
  outputTokens: fc.constantFrom(4, 100),
  completionTokens: fc.constantFrom(4, 100),
  requestedTokens: fc.constantFrom(4, 100),
  firstWaitNs: fc.constantFrom(1, NaN),
  secondPiledNs: fc.constantFrom(0, 7),
  worker: fc.constantFrom(0, 1),
});
/** Some of them were cancelled, on purpose or not, and some failed. */
const any = fc.tuple(valid, fc.constantFrom(-1, -1, 2, 9, 13))
  .map(([request, errorKind]) => ({ ...request, errorKind }));
const requests = fc.oneof(
  fc.array(valid, { minLength: 1, maxLength: 8 }),
  fc.array(any, { minLength: 1, maxLength: 8 }),
  // All of them say the same.
  valid.map((request) => [request, request, request]),
);

for (
  const [name, objectives, itlDialects] of [
    ["", {}, false],
    [", with objectives", { "time_to_first_token": 1e-4 }, false],
    [", with every definition of the time between tokens", {}, true],
  ] as const
) {
  Deno.test(`RecordTable takes in rows as it takes in one record after the other${name}`, () => {
    fc.assert(fc.property(requests, (rows) => {
      const context = { itlDialects, usageDiff: true, goodput: Object.keys(objectives).length > 0 };
      const told = Object.fromEntries(
        Object.keys(rows[0] ?? {}).filter((field) => field !== "chunks")
          .map((field) => [field, rows.map((row) => row[field as keyof typeof row])]),
      );
      const cursor = cursorOf(rows.length, told, rows.map(({ chunks }) => chunks));
      const byRows = recordTable(context, objectives);
      byRows.addRows(cursor, 0, rows.length);
      const byRecord = recordTable(context, objectives);
      rows.forEach((_, at) => {
        cursor.at = at;
        addRecords(byRecord, [cursor.record]);
      });
      assert.deepEqual(saidBy(byRows), saidBy(byRecord));
    }));
  });
}

Deno.test("RecordTable counts how requests ended", () => {
  const ends = ["cancelled", "cancelled_on_purpose", "timeout", undefined, "cancelled"] as const;
  const table = addRecords(
    recordTable(),
    ends.map((error) => recordWith(error === undefined ? {} : { error })),
  );
  const { cancelledCount, cancelledOnPurpose, validCount } = table;
  assert.deepEqual([cancelledCount, cancelledOnPurpose, validCount], [3, 1, 1]);
  assert.deepEqual([...table.counts("cancelled")], [1, 1, 0, 0, 1]);
  assert.deepEqual([...table.errorIsl.values], [NaN, NaN, 10, NaN, NaN]);
});
