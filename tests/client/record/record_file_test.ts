import assert from "node:assert/strict";
import { blockFileHead } from "../../../src/core/block_file/block_file.ts";
import { isDeepStrictEqual } from "node:util";
import fc from "fast-check";
import { RecordFileWriter, type StoredRecord } from "../../../src/client/record/record_file.ts";
import type { RecordBatch } from "../../../src/client/record/record_batch.ts";
import { RecordFileReader } from "../../../src/client/record/record_file_reader.ts";
import {
  FIELD,
  RECORD_FIELD,
  RECORD_FIELD_COUNT,
  RECORD_FIELDS,
} from "../../../src/client/record/request_fields.ts";
import { byteSource } from "../../support/byte_source.ts";
import { headWithoutChecksums } from "../../support/head_without_checksums.ts";

const numbers = fc.oneof(
  fc.constant(NaN),
  fc.integer({ min: -5, max: 300 }),
  fc.integer({ min: 0, max: 2 ** 40 }),
  fc.double({ noNaN: true }),
);

const record: fc.Arbitrary<StoredRecord> = fc.record({
  numbers: fc.array(numbers, { minLength: RECORD_FIELD_COUNT, maxLength: RECORD_FIELD_COUNT }),
  startNs: fc.oneof(fc.constant(NaN), fc.integer({ min: 0, max: 2 ** 52 })),
  gaps: fc.array(fc.oneof(
    fc.integer({ min: 0, max: 10_000_000 }),
    fc.integer({ min: 2 ** 32 - 2, max: 2 ** 34 }),
    fc.constant(-3),
    fc.constant(0.25),
  )),
  requestId: fc.oneof(fc.uuid(), fc.string()),
  finishReason: fc.constantFrom(null, "stop", "length", "\u0000"),
  error: fc.option(fc.string(), { nil: undefined }),
}).map(({ numbers, startNs, gaps, ...texts }) => {
  const row = Float64Array.from(numbers);
  row[FIELD.startNs] = startNs;
  row[RECORD_FIELD.takenNs] = gaps.length;
  row[FIELD.chunkCount] = gaps.length;
  let stampNs = Number.isNaN(startNs) ? 0 : startNs;
  return { row, chunkNs: Float64Array.from(gaps, (gap) => stampNs += gap), ...texts };
});

function fileOf(records: readonly StoredRecord[], blockRecords: number): Uint8Array<ArrayBuffer> {
  const writer = new RecordFileWriter();
  const pieces = [RecordFileWriter.head()];
  const take = () => pieces.push(...writer.take().map((piece) => piece.slice()));
  for (const one of records) {
    writer.add(one);
    if (writer.isFull || writer.count === blockRecords) take();
  }
  if (writer.count > 0) take();
  return new Uint8Array(pieces.flatMap((piece) => [...piece]));
}

function read(file: Uint8Array<ArrayBuffer>): { records: StoredRecord[]; areMissing: boolean } {
  const reader = new RecordFileReader(byteSource(file));
  const records = [...reader.records()].map(({ row, chunkNs, ...texts }) => ({
    row: row.slice(),
    chunkNs: chunkNs.slice(),
    ...texts,
  }));
  return { records, areMissing: reader.lacksRecords };
}

Deno.test("RecordFileReader tells zeros with and without a sign apart", () => {
  const row = new Float64Array(RECORD_FIELD_COUNT).fill(NaN);
  row[FIELD.chunkCount] = 0;
  row[FIELD.endNs] = -0;
  row[RECORD_FIELD.takenNs] = 0;
  const stored = {
    ...{ row, chunkNs: new Float64Array(0), requestId: "", finishReason: null, error: undefined },
  };
  assert.deepEqual(read(fileOf([stored], 1)).records, [stored]);
});

Deno.test("RecordFileReader reads what RecordFileWriter wrote, bit for bit", () => {
  fc.assert(fc.property(
    fc.array(record, { maxLength: 20 }),
    fc.integer({ min: 1, max: 8 }),
    (records, blockRecords) => {
      assert.deepEqual(read(fileOf(records, blockRecords)), { records, areMissing: false });
    },
  ));
});

Deno.test("RecordFileReader that is told fields reads the same of them", () => {
  fc.assert(fc.property(
    fc.array(record, { minLength: 1, maxLength: 20 }),
    fc.subarray([...RECORD_FIELDS]),
    fc.nat(1000),
    (records, fields, shiftNs) => {
      const file = fileOf(records, 5);
      const all = new RecordFileReader(byteSource(file)).batches(shiftNs);
      for (const some of new RecordFileReader(byteSource(file)).batches(shiftNs, fields)) {
        const whole = all.next().value as RecordBatch;
        assert.equal(some.count, whole.count);
        for (const field of fields) {
          const [own, expected] = [some, whole].map(({ columns }) =>
            columns[RECORD_FIELD[field]]?.subarray(0, some.count)
          );
          assert.deepEqual(own, expected, field);
        }
        const stamps = whole.stampStarts[whole.count];
        assert.deepEqual(some.stampNs.subarray(0, stamps), whole.stampNs.subarray(0, stamps));
        assert.equal(some.requestId(0), whole.requestId(0));
      }
      assert.ok(all.next().done);
    },
  ));
});

Deno.test("RecordFileReader reads times that no distance from the start leads back to", () => {
  const times = [-0, 0.1, 2 ** 60, -(2 ** 70), 1e300, Infinity];
  for (const startNs of [NaN, 0, 3, 2 ** 52 - 1]) {
    for (const timeNs of times) {
      const row = new Float64Array(RECORD_FIELD_COUNT).fill(timeNs);
      row[FIELD.startNs] = startNs;
      row[FIELD.chunkCount] = 0;
      const chunkNs = new Float64Array();
      const stored = { row, chunkNs, requestId: "a", finishReason: null, error: undefined };
      assert.deepEqual(read(fileOf([stored], 1)).records, [stored]);
    }
  }
});

Deno.test("RecordFileReader reads all whole blocks of a file that was cut anywhere", () => {
  fc.assert(fc.property(
    fc.array(record, { minLength: 1, maxLength: 8 }),
    fc.double({ min: 0, max: 1, noNaN: true }),
    (records, share) => {
      const file = fileOf(records, 1);
      const headLength = RecordFileWriter.head().length;
      const end = headLength + Math.floor((file.length - headLength) * share);
      const { records: found, areMissing } = read(file.slice(0, end));
      assert.deepEqual(found, records.slice(0, found.length));
      if (end === file.length) assert.equal(found.length, records.length);
      if (found.length === records.length) assert.equal(areMissing, end < file.length);
    },
  ));
});

Deno.test("RecordFileReader leaves out a block in which a byte has changed, and says so", () => {
  fc.assert(fc.property(
    fc.array(record, { minLength: 1, maxLength: 8 }),
    fc.double({ min: 0, max: 1, noNaN: true, maxExcluded: true }),
    fc.integer({ min: 1, max: 255 }),
    (records, share, change) => {
      const file = fileOf(records, 1);
      const ends = records.map((_, at) => fileOf(records.slice(0, at + 1), 1).length);
      const headLength = RecordFileWriter.head().length;
      const at = headLength + Math.floor((file.length - headLength) * share);
      file[at] = (file[at] as number) ^ change;
      const { records: found, areMissing } = read(file);
      const damaged = ends.findIndex((end) => at < end);
      const isInLength = at < (ends[damaged - 1] ?? headLength) + 4;
      assert.ok(areMissing);
      assert.deepEqual(found.slice(0, damaged), records.slice(0, damaged));
      const [rest, after] = [found.slice(damaged), records.slice(damaged + 1)];
      if (!isInLength) return assert.deepEqual(rest, after);
      // Where the next block begins is not known any more; it may be found by chance.
      let seen = 0;
      for (const one of after) if (isDeepStrictEqual(one, rest[seen])) seen++;
      assert.equal(seen, rest.length);
    },
  ));
});

Deno.test("RecordFileReader reads files of the version without checksums", () => {
  const [stored] = fc.sample(record, { numRuns: 1, seed: 1 }) as [StoredRecord];
  const head = RecordFileWriter.head();
  const block = fileOf([stored], 1).slice(head.length, -4);
  const file = Uint8Array.from([...headWithoutChecksums(head), ...block, ...block]);
  assert.deepEqual(read(file), { records: [stored, stored], areMissing: false });
});

Deno.test("a streamed reply of a hundred chunks takes about 500 bytes of the record file", () => {
  const records = Array.from({ length: 1000 }, (_, index): StoredRecord => {
    const startNs = index * 1_234_567;
    const row = new Float64Array(RECORD_FIELD_COUNT).fill(NaN);
    row[FIELD.index] = index;
    row[FIELD.startNs] = startNs;
    row[FIELD.chunkCount] = 100;
    for (let column = FIELD.blockedNs; column <= FIELD.lastEventNs; column++) {
      row[column] = startNs + column * 1_000_003 + (index * 7919) % 1_000_000;
    }
    return {
      row,
      chunkNs: Float64Array.from({ length: 100 }, (_, i) => startNs + i * 5_000_000 + i * i),
      requestId: crypto.randomUUID(),
      finishReason: "length",
      error: undefined,
    };
  });
  const bytes = fileOf(records, Infinity).length / records.length;
  assert.ok(bytes < 520, `${bytes} bytes`);
});

Deno.test("RecordFileReader finds columns by their names", () => {
  const row = new Float64Array(RECORD_FIELD_COUNT).fill(NaN);
  row[FIELD.index] = 7;
  row[FIELD.status] = 200;
  const texts = { requestId: "a", finishReason: null, error: undefined };
  const file = fileOf([{ row, chunkNs: new Float64Array(0), ...texts }], 1);
  // A program with other columns seals its own first line.
  const end = file.indexOf(10) + 1;
  const head = JSON.parse(new TextDecoder().decode(file.subarray(0, end)));
  const columns = head.columns.map((name: string) => name === "status" ? "sttaus" : name);
  const { format, version } = head;
  const other = Uint8Array.of(
    ...blockFileHead({ format, version, columns }),
    ...file.subarray(end),
  );
  const [found] = read(other.slice()).records;
  assert.equal(found?.row[FIELD.index], 7);
  assert.equal(found?.row[FIELD.status], NaN);
});

Deno.test("RecordFileReader finds the places of records in files that do not say them", () => {
  const records = [5, 3, NaN, 9, 9].map((endNs): StoredRecord => {
    const row = new Float64Array(RECORD_FIELD_COUNT).fill(NaN);
    row[FIELD.endNs] = endNs;
    row[FIELD.chunkCount] = 0;
    return {
      ...{ row, chunkNs: new Float64Array(0), requestId: "", finishReason: null },
      error: undefined,
    };
  });
  for (const blockRecords of [1, 2, 5]) {
    const places = read(fileOf(records, blockRecords)).records
      .map(({ row }) => row[RECORD_FIELD.takenNs]);
    assert.deepEqual(places, [5, 6, 7, 9, 10]);
  }
});
