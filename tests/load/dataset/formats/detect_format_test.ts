import assert from "node:assert/strict";
import { detectFormat } from "../../../../src/load/dataset/formats/detect_format.ts";
import { InputSource } from "../../../../src/load/dataset/formats/input_source.ts";
import { withFolder } from "../../../support/artifacts.ts";
import { lines, readText, textsOf } from "../../../support/input_files.ts";

const CASES: readonly (readonly [name: string, text: string, message: RegExp])[] = [
  ["nothing", " \n\n", /File has no rows$/],
  [
    "unknown fields",
    lines({ "words": "x", "id": 3 }),
    /: No known format: its first record has "words", "id"; rows of prompts need a field "prompt"/,
  ],
  [
    "fields of a trace",
    lines({ "chat_id": 3, "hash_ids": [], "list": 1 }),
    /; bailian-trace needs JSON lines with chat_id, timestamp, input_length and output_length/,
  ],
  ["an unknown table", "a,b\n1,2\n", /columns "a", "b"; a table of prompts needs a column/],
  ["a table of times", "Timestamp,b\n1,2\n", /burst-gpt-trace needs .* Timestamp, Request/],
  ["another document", '{\n"rows": []\n}', /it is an object with "rows"/],
  ["an array of texts", '["a"]', /an array whose first element is no object/],
  [
    "two formats",
    lines({ "text": "x", "input_length": 5 }),
    /May be single-turn \(.*"text"\) or mooncake-trace \(.*"input_length"\): name the format/,
  ],
];

for (const [name, text, message] of CASES) {
  Deno.test(`detectFormat refuses ${name} and says what is missing`, async () => {
    await assert.rejects(() => readText(text), { name: "DatasetError", message });
  });
}

Deno.test("detectFormat goes by the type that a row states, and by the user before that", async () => {
  const row = { "type": "multi_turn", "turns": [{ "text": "a" }], "text": "b" };
  const { notes } = await readText(lines(row));
  assert.match(notes[0] as string, /detected format multi-turn .*: its first record has the type/);
  const { conversations } = await readText(lines(row), { format: "single-turn" });
  assert.equal(conversations.length, 1);
});

Deno.test("detectFormat sees messages as conversations, with a model as bodies, with times as a trace", async () => {
  const messages = [{ "role": "user", "content": "a" }];
  const noted = async (row: unknown) => (await readText(lines(row))).notes[0] as string;
  for (const field of [{ "model": "m" }, { "stream": true }]) {
    assert.match(await noted({ messages, ...field }), /detected format raw-payload/);
  }
  for (const field of [{}, { "model": null }, { "max_tokens": 3 }, { "temperature": 0 }]) {
    assert.match(await noted({ messages, ...field }), /detected format messages/);
  }
  assert.match(await noted({ messages, "timestamp": 1 }), /detected format mooncake-trace/);
});

Deno.test("readInput warns of times that are not replayed", async () => {
  const trace = lines({ "timestamp": 1, "input_length": 3 });
  assert.match((await readText(trace)).warnings[0] as string, /--fixed-schedule replays them/);
  const schedule = { zeroMs: undefined, startMs: 0, endMs: Infinity };
  assert.deepEqual((await readText(trace, { schedule })).warnings, []);
});

Deno.test("detectFormat says of a file that is no text what it is", async () => {
  const rows = new Blob(['{"text":"a"}\n']);
  const packed = rows.stream().pipeThrough(new CompressionStream("gzip"));
  const files: readonly (readonly [Uint8Array, RegExp])[] = [
    [
      new Uint8Array(await new Response(packed).arrayBuffer()),
      /: File is compressed by gzip: unpack/,
    ],
    [new TextEncoder().encode("PAR1..."), /: File is a Parquet file: /],
    [Uint8Array.of(0xff, 0xfe, 0x7b, 0), /: File is UTF-16: save it as UTF-8/],
    [Uint8Array.of(0x7b, 0x22, 0, 1), /: File is no text/],
  ];
  await withFolder(async (folder) => {
    for (const [bytes, message] of files) {
      await Deno.writeFile(`${folder}/rows`, bytes);
      for (const named of [undefined, "single-turn"]) {
        const source = await InputSource.open(`${folder}/rows`);
        await assert.rejects(detectFormat(source, named), message);
        source.close();
      }
    }
  });
});

Deno.test("detectFormat finds times only where the format's rows may be sent at them", async () => {
  const turn = { "text": "x", "timestamp": 5 };
  const chat = { "conversations": [], "timestamp": 5 };
  const cases: [row: unknown, named: string | undefined, hasTimestamps: boolean][] = [
    [turn, undefined, true],
    [turn, "random-pool", false],
    [{ "turns": [turn] }, undefined, true],
    [{ "input_length": 5, "timestamp": 5 }, undefined, true],
    [{ "input_length": 5 }, undefined, false],
    [chat, undefined, false],
    [{ "prompt": "x", "timestamp": 5 }, undefined, false],
  ];
  await withFolder(async (folder) => {
    const path = `${folder}/rows.jsonl`;
    for (const [row, named, expected] of cases) {
      await Deno.writeTextFile(path, lines(row));
      const source = await InputSource.open(path);
      const { format, hasTimestamps } = await detectFormat(source, named);
      assert.equal(hasTimestamps, expected, format.name);
      source.close();
    }
  });
});

Deno.test("detectFormat takes rows of questions and arrays of prompts, unless they are bodies", async () => {
  const rows = [{ "id": 1, "question": "What?", "answer": "That." }, { "prompt": "Say it" }];
  for (const text of [lines(...rows), JSON.stringify(rows, null, 1)]) {
    const { conversations, warnings } = await readText(text);
    assert.deepEqual(textsOf(conversations), [["What?"], ["Say it"]]);
    // The answer is not sent, which is said.
    assert.match(warnings[0] as string, /answer \(1\)/);
  }
  await assert.rejects(readText(lines({ "question": "What?", "model": "m" })), /No known format/);
});

Deno.test("detectFormat finds the first element of an array behind a byte order mark, or of 1 MB", async () => {
  const row = { "prompt": "a", "note": "x".repeat(1024 * 1024) };
  const noted = async (text: string) => (await readText(text)).notes[0] as string;
  const detected = /detected format .*: its first record has "prompt"/;
  assert.match(await noted(JSON.stringify([row, row], undefined, 1)), detected);
  assert.match(await noted(`\uFEFF${JSON.stringify([{ "prompt": "a" }], undefined, 1)}`), detected);
  const broken = `[${JSON.stringify(row)}]]`;
  await assert.rejects(() => readText(broken), /Unexpected text after the array/);
});
