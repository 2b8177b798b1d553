import assert from "node:assert/strict";
import { withFolder } from "../../../support/artifacts.ts";
import { type ReadFile, readFile } from "../../../support/input_files.ts";

function read(
  folder: string,
  name: string,
  rows: readonly unknown[] | string,
  checksAnswers = true,
): Promise<ReadFile> {
  const path = `${folder}/${name}`;
  const text = typeof rows === "string" ? rows : rows.map((row) => JSON.stringify(row)).join("\n");
  Deno.writeTextFileSync(path, text);
  return readFile(path, {}, { checksAnswers });
}

/** Expected answers of all turns. */
function expectedOf({ conversations }: ReadFile): unknown[] {
  return conversations.flatMap(({ turns }) => turns.map(({ expected }) => expected));
}

Deno.test("rows of every format that can have them bring their expected answers", async () => {
  const number = { number: 4 };
  const FORMATS:
    readonly (readonly [name: string, rows: unknown[] | string, expected: unknown[]])[] = [
      ["single.jsonl", [{ text: "a", expected: "b" }, { text: "c" }], [{ exact: "b" }, undefined]],
      [
        "multi.jsonl",
        [{ turns: [{ text: "a", expected: number }, { text: "b", expected: { choice: "c" } }] }],
        [{ number: 4, tolerance: 0 }, { choice: "C" }],
      ],
      [
        "last.jsonl",
        [{ turns: [{ text: "a" }, { text: "b" }], expected: "c" }, { turns: [{ text: "d" }] }],
        [undefined, { exact: "c" }, undefined],
      ],
      ["custom.jsonl", [{ prompt: "a", expected: { json: { a: null } } }], [{ json: { a: null } }]],
      [
        "messages.jsonl",
        [{ messages: [{ role: "user", content: "a" }], expected: "b" }],
        [{ exact: "b" }],
      ],
      [
        "batch.jsonl",
        [{
          ...{ custom_id: "1", url: "/v1/chat/completions", expected: "b" },
          body: { model: "m", messages: [{ role: "user", content: "a" }] },
        }],
        [{ exact: "b" }],
      ],
      [
        "table.csv",
        'prompt,expected\na,b\nc,"{""number"": 4}"\nd,\n',
        [{ exact: "b" }, { number: 4, tolerance: 0 }, undefined],
      ],
    ];
  await withFolder(async (folder) => {
    for (const [name, rows, expected] of FORMATS) {
      const found = await read(folder, name, rows);
      assert.deepEqual(expectedOf(found), expected, name);
      assert.deepEqual(found.warnings, [], name);
    }
  });
});

Deno.test("recorded replies with tool calls are expected answers", async () => {
  const calls = [{ type: "function", function: { name: "f", arguments: '{"a": 1}' } }];
  await withFolder(async (folder) => {
    const rows = [{
      messages: [
        { role: "user", content: "a" },
        { role: "assistant", tool_calls: calls },
        { role: "tool", tool_call_id: "1", content: "b" },
        { role: "assistant", tool_calls: calls },
      ],
    }, {
      messages: [
        { role: "user", content: "a" },
        { role: "assistant", content: [{ type: "tool_use", name: "g", input: { b: 2 } }] },
      ],
    }, { messages: [{ role: "user", content: "a" }, { role: "assistant", content: "b" }] }];
    const expected = [
      { "tool_calls": [{ name: "f", arguments: { a: 1 } }] },
      { "tool_calls": [{ name: "g", arguments: { b: 2 } }] },
      undefined,
    ];
    assert.deepEqual(expectedOf(await read(folder, "calls.jsonl", rows)), expected);
    const unchecked = expectedOf(await read(folder, "calls.jsonl", rows, false));
    assert.deepEqual(unchecked, [undefined, undefined, undefined]);
  });
});

Deno.test("an expected answer of no known kind is refused with file, line and reason", async () => {
  await withFolder(async (folder) => {
    const rows = [{ text: "a", expected: "b" }, { text: "c", expected: { regex: "(" } }];
    await assert.rejects(read(folder, "bad.jsonl", rows), (error: Error) => {
      assert.match(error.message, /bad\.jsonl:2:\d+: expected: regex is not valid: .*/);
      return true;
    });
    const turns = [{ turns: [{ text: "a" }, { text: "b", expected: { exact: 1 } }] }];
    await assert.rejects(
      read(folder, "turns.jsonl", turns),
      /turns\.jsonl:1:\d+: turns\.1\.expected: exact must be a text/,
    );
    await assert.rejects(
      read(folder, "twice.jsonl", [{ turns: [{ text: "a", expected: "b" }], expected: "c" }]),
      /twice\.jsonl:1:\d+: expected: Its last turn has an expected answer already/,
    );
    await assert.rejects(
      read(folder, "bad.csv", 'prompt,expected\na,"{""number"": ""x""}"\n'),
      /bad\.csv:2.*number must be a number/,
    );
  });
});

Deno.test("expected answers that are not checked change nothing, and are noted once", async () => {
  await withFolder(async (folder) => {
    const rows = [1, 2, 3].map((n) => ({ text: `a${n}`, expected: { unknown: n } }));
    const found = await read(folder, "rows.jsonl", rows, false);
    assert.deepEqual(expectedOf(found), [undefined, undefined, undefined]);
    assert.deepEqual(found.warnings, [
      "Rows have expected answers, which are not checked; use --verify answers",
    ]);
  });
});
