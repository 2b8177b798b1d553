import fc from "fast-check";
import { parquetMetadata, parquetReadObjects, type SchemaElement } from "hyparquet";
import { compressors } from "hyparquet-compressors";
import { ByteWriter, ParquetWriter } from "hyparquet-writer";
import assert from "node:assert/strict";
import {
  type ColumnContent,
  writeParquetChunk,
} from "../../../../src/report/export/server_metrics/parquet_chunk.ts";
import {
  NumberColumn,
  TextColumn,
} from "../../../../src/report/export/server_metrics/parquet_columns.ts";

/** A file of one row group. */
function fileOf(contents: readonly ColumnContent[]): Uint8Array<ArrayBuffer> {
  const writer = new ByteWriter();
  const leaves = contents.map(({ element }) => element);
  const schema = [{ name: "schema", num_children: leaves.length }, ...leaves];
  const parquet = new ParquetWriter({ writer, schema });
  const rows = BigInt(contents[0]?.rows ?? 0);
  parquet.num_rows = rows;
  parquet.row_groups.push({
    columns: contents.map((content) => writeParquetChunk(writer, content)),
    num_rows: rows,
    total_byte_size: 0n,
  });
  parquet.finish();
  return writer.getBytes().slice();
}

/** Runs of rows with the same cell: that is what columns are made for. */
function runsOf<T>(cell: fc.Arbitrary<T>): fc.Arbitrary<{ cell: T; length: number }[]> {
  const length = fc.oneof(fc.integer({ min: 1, max: 3 }), fc.integer({ min: 1, max: 60 }));
  return fc.array(fc.record({ cell, length }), { minLength: 1, maxLength: 80 });
}

const NUMBERS = fc.oneof(
  fc.constant(null),
  fc.constantFrom(0, -0, 1, -1.5, 1e308, 5e-324),
  fc.integer(),
  fc.double({ noNaN: true }),
);
const TEXTS = fc.oneof(
  fc.constant(null),
  fc.constantFrom("", "a", "ab", "\0", "ü€🚀", "\uFFFD", "x".repeat(300)),
  fc.string({ unit: "binary" }),
);

function cellsOf<T>(runs: readonly { cell: T; length: number }[]): T[] {
  return runs.flatMap(({ cell, length }) => Array<T>(length).fill(cell));
}

function doubles(): NumberColumn {
  const element = { name: "d", type: "DOUBLE", repetition_type: "OPTIONAL" } as const;
  return new NumberColumn(element, (values) => values);
}

/** What the package itself says of a column with these cells. */
function packageStatistics(
  element: SchemaElement,
  data: (number | bigint | string | null)[],
): unknown {
  const writer = new ByteWriter();
  const schema = [{ name: "schema", num_children: 1 }, element];
  const parquet = new ParquetWriter({ writer, schema });
  parquet.write({ columnData: [{ name: element.name, data }], rowGroupSize: data.length });
  parquet.finish();
  return statisticsOf(writer.getBytes().slice());
}

function statisticsOf(file: Uint8Array<ArrayBuffer>): unknown {
  return parquetMetadata(file.buffer).row_groups[0]?.columns[0]?.meta_data?.statistics;
}

/** Checks that a file of one column has these cells, and the package's own statistics of them. */
async function assertColumn(
  column: TextColumn | NumberColumn,
  cells: readonly (number | bigint | string | null)[],
): Promise<void> {
  const { element } = column;
  const file = fileOf([column.take(cells.length)]);
  const rows = await parquetReadObjects({ file: file.buffer, compressors });
  assert.equal(rows.length, cells.length);
  rows.forEach((row, at) =>
    assert.ok(Object.is(row[element.name] ?? null, cells[at]), `row ${at}`)
  );
  assert.deepEqual(statisticsOf(file), packageStatistics(element, [...cells]));
}

Deno.test("NumberColumn gives back every number, and no number where there is none", async () => {
  const column = doubles();
  await fc.assert(fc.asyncProperty(runsOf(NUMBERS), async (runs) => {
    let row = 0;
    for (const { cell, length } of runs) {
      // Rows without a number may be set so, or left out.
      if (cell !== null || length % 2 === 0) {
        column.set(row, new Float64Array(length).fill(cell ?? NaN));
      }
      row += length;
    }
    await assertColumn(column, cellsOf(runs));
  }));
});

Deno.test("NumberColumn tells zeros of both signs apart", async () => {
  const column = doubles();
  for (const cells of [[0, -0, 0], [-0, 0, 0], [-0, -0, -0], [0, 0, 0, 0, -0]]) {
    column.set(0, Float64Array.from(cells));
    await assertColumn(column, cells);
  }
});

Deno.test("NumberColumn stores numbers as its element has them", async () => {
  const base = 2n ** 62n + 1n;
  const column = new NumberColumn(
    { name: "t", type: "INT64", repetition_type: "REQUIRED" },
    (offsets) => BigInt64Array.from(offsets, (offset) => base + BigInt(offset)),
  );
  const offsets = fc.array(fc.integer({ min: -500, max: 500 }), { minLength: 1, maxLength: 3000 });
  await fc.assert(fc.asyncProperty(offsets, async (offsets) => {
    column.set(0, Float64Array.from(offsets));
    await assertColumn(column, offsets.map((offset) => base + BigInt(offset)));
  }));
});

Deno.test("TextColumn gives back every text, and none where there is none", async () => {
  const column = new TextColumn("s", "OPTIONAL");
  await fc.assert(fc.asyncProperty(runsOf(TEXTS), async (runs) => {
    let row = 0;
    for (const { cell, length } of runs) {
      if (cell !== null) column.set(row, row + length, cell);
      row += length;
    }
    await assertColumn(column, cellsOf(runs));
  }));
});

Deno.test("columns take little room where cells repeat", () => {
  const rows = 20_000;
  const texts = new TextColumn("s", "REQUIRED");
  texts.set(0, rows, "x".repeat(100));
  const numbers = doubles();
  numbers.set(0, Float64Array.from({ length: rows }, (_, row) => Math.floor(row / 200) / 7));
  for (const column of [texts, numbers]) {
    const { length } = fileOf([column.take(rows)]);
    assert.ok(length < 2500, `${column.element.name}: ${length} bytes`);
  }
});
