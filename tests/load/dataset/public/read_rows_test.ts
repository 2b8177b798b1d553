import assert from "node:assert/strict";
import { readRows } from "../../../../src/load/dataset/public/read_rows.ts";
import type { RowFile } from "../../../../src/load/dataset/public/row_file.ts";
import { parquetOf } from "../../../support/data_set_hub.ts";

/** A file in memory that counts what is read of it. */
class MemoryFile implements RowFile {
  readonly path: string;
  readonly #bytes: Uint8Array<ArrayBuffer>;
  readonly #pieceBytes: number;
  read = 0;

  constructor(path: string, content: string | Uint8Array<ArrayBuffer>, pieceBytes = 7) {
    this.path = path;
    this.#bytes = typeof content === "string" ? new TextEncoder().encode(content) : content;
    this.#pieceBytes = pieceBytes;
  }

  async *bytes(): AsyncGenerator<Uint8Array> {
    for (let at = 0; at < this.#bytes.length; at += this.#pieceBytes) {
      const piece = this.#bytes.subarray(at, at + this.#pieceBytes);
      this.read += piece.length;
      yield await Promise.resolve(piece);
    }
  }

  size(): Promise<number> {
    return Promise.resolve(this.#bytes.length);
  }

  slice(start: number, end: number): Promise<ArrayBuffer> {
    this.read += end - start;
    return Promise.resolve(this.#bytes.slice(start, end).buffer);
  }
}

async function fieldsOf(file: RowFile, columns: readonly string[] = ["a"]) {
  const rows = await Array.fromAsync(readRows(file, columns));
  return rows.map(({ fields }) => ({ ...fields }));
}

Deno.test("readRows reads each kind of file, wherever its bytes are divided", async () => {
  const wanted = [{ a: "one" }, { a: 'two,\n"2"' }, { a: "dreißig" }];
  const files: [string, string][] = [
    ["x.json", JSON.stringify(wanted)],
    ["x.json", `\uFEFF \n ${JSON.stringify(wanted, null, 2)}\n`],
    ["x.json", wanted.map((row) => JSON.stringify(row)).join("\n")],
    ["x.JSONL", wanted.map((row) => JSON.stringify(row)).join("\r\n")],
    ["x.ndjson", `${wanted.map((row) => JSON.stringify(row)).join("\n\n")}\n`],
    ["x.csv", 'a\none\n"two,\n""2"""\ndreißig\n'],
    ["https://h/x.csv?download=1", '\uFEFFa\r\none\r\n"two,\n""2"""\r\ndreißig'],
  ];
  for (const [path, text] of files) {
    for (const pieceBytes of [1, 5, 1000]) {
      assert.deepEqual(await fieldsOf(new MemoryFile(path, text, pieceBytes)), wanted, path);
    }
  }
  assert.deepEqual(await fieldsOf(new MemoryFile("x.tsv", 'a\tb\nsay "hi"\t2\n')), [
    { a: 'say "hi"', b: "2" },
  ]);
});

Deno.test("readRows reads of a Parquet file the groups and columns that are wanted", async () => {
  const a = Array.from({ length: 400 }, (_, i) => `row ${i}`);
  // More than what is read at once of the end, where a file says what is in it.
  const b = a.map((_, i) => Array.from({ length: 300 }, (_, j) => Math.sin(i * 300 + j)).join());
  const file = new MemoryFile("x.parquet", parquetOf({ a, b }, 100));
  assert.deepEqual(await fieldsOf(file), a.map((text) => ({ a: text })));
  const whole = await file.size();
  file.read = 0;
  for await (const { fields } of readRows(file, ["a"])) {
    assert.equal(fields["a"], "row 0");
    break;
  }
  assert.ok(whole > 1_500_000 && file.read < whole / 2, `${file.read} of ${whole} bytes`);
  const bytes = new Uint8Array([0xff, 0xd8, 0xff, 0]);
  const [row] = await fieldsOf(new MemoryFile("x.parquet", parquetOf({ a: [bytes] })));
  assert.deepEqual(row?.["a"], bytes, "bytes are no text");
});

Deno.test("readRows names file and place of what is wrong", async () => {
  const cases: [string, string | Uint8Array<ArrayBuffer>, RegExp][] = [
    ["x.txt", "a", /^x\.txt: Is none of the kinds of files that are read: parquet, json/],
    ["x.jsonl", '{"a":1}\n{"a":', /^x\.jsonl:2:6: Not valid JSON/],
    ["x.jsonl", '{"a":1}\n3\n', /^x\.jsonl:2:1: Must be a JSON object/],
    ["x.json", '[{"a":1}', /^x\.json:1/],
    ["x.csv", 'a,b\n1,2\n"open,2\n', /^x\.csv:\d+: Not valid CSV/],
    ["x.parquet", "PAR1 is not enough", /^x\.parquet: Not readable as Parquet/],
    ["x.parquet", parquetOf({ a: ["b"] }).slice(0, -3), /^x\.parquet: Not readable as Parquet/],
  ];
  for (const [path, content, message] of cases) {
    await assert.rejects(
      async () => await fieldsOf(new MemoryFile(path, content)),
      (error: Error) => {
        assert.equal(error.name, "DatasetError");
        assert.match(error.message, message);
        return true;
      },
    );
  }
});

Deno.test("readRows gives on why a file cannot be read", async () => {
  const reason = new Error("the hub is gone");
  const file: RowFile = {
    path: "x.parquet",
    // deno-lint-ignore require-yield
    async *bytes() {
      await Promise.reject(reason);
    },
    size: () => Promise.resolve(1000),
    slice: () => Promise.reject(reason),
  };
  for (const path of ["x.parquet", "x.csv", "x.json"]) {
    await assert.rejects(async () => await fieldsOf({ ...file, path }), reason, path);
  }
});
