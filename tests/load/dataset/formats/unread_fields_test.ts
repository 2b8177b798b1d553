import assert from "node:assert/strict";
import { openInput } from "../../../../src/load/dataset/formats/open_input.ts";
import { chat } from "../../../../src/client/endpoint/openai/chat.ts";
import { BUILTIN } from "../../../support/builtin.ts";
import { filePlan, FIXTURES, lines, readFile, readText } from "../../../support/input_files.ts";

const ROWS: readonly (readonly [name: string, rows: readonly unknown[], unread: string])[] = [
  ["single-turn", [
    { "text": "a", "max_tokens": 5, "temperature": 0.2, "extra": { "seed": 1 } },
    { "text": "b", "max_tokens": 5, "output_lenght": 5, "gone": null },
    { "text": "c", "extra_body": { "top_k": 1 } },
  ], "max_tokens (2), temperature (1), output_lenght (1), extra_body (1); rows read: 3"],
  ["single-turn", [
    { "text": "a", "x\u001b[2J\n": 1, [`${"y".repeat(70)}`]: 1, "z\u009b": 1 },
  ], `"x\\u001b[2J\\n" (1), ${"y".repeat(60)}... (1), "z\\u009b" (1); rows read: 1`],
  ["multi-turn", [
    { "turns": [{ "text": "a", "max_tokens": 1 }, { "text": "b", "max_tokens": 1 }], "x": 1 },
  ], "turns.max_tokens (1), x (1); rows read: 1"],
  ["mooncake-trace", [
    { "timestamp": 0, "input_length": 5, "output_length": 4, "hash_ids": [1], "nvext": { "a": 1 } },
  ], "nvext (1); rows read: 1"],
  ["messages", [
    { "messages": [{ "role": "user", "content": "a" }], "temperature": 1, "max_tokens": 3 },
  ], "temperature (1); rows read: 1"],
  ["custom", [{ "prompt": "a", "category": "x" }, { "prompt": "b" }], "category (1); rows read: 2"],
];

for (const [name, rows, unread] of ROWS) {
  Deno.test(`fields that ${name} does not read are reported once, with their counts`, async () => {
    const { warnings, notes } = await readText(lines(...rows));
    assert.match(notes[0] as string, new RegExp(`detected format ${name}`));
    const told = warnings.filter((text) => text.includes("not read or sent"));
    assert.equal(told.length, 1);
    assert.ok(told[0]?.endsWith(`with the number of rows: ${unread}`), told[0]);
  });
}

Deno.test("files of every format whose fields are all read are reported for none", async () => {
  for await (const { name, isFile } of Deno.readDir(FIXTURES)) {
    if (!isFile || name === "prompts.csv") continue;
    const { warnings } = await readFile(`${FIXTURES}${name}`);
    assert.deepEqual(warnings.filter((text) => text.includes("not read or sent")), [], name);
  }
});

Deno.test("unread fields are reported where a run needs only the first rows, and not again", async () => {
  const path = await Deno.makeTempFile({ suffix: ".jsonl" });
  await Deno.writeTextFile(path, lines(...[1, 2, 3].map((x) => ({ "text": `${x}`, "x": x }))));
  const warnings: string[] = [];
  const input = await openInput(filePlan(path), {
    folder: ".",
    ...{ seed: 1, type: chat, streaming: false, tokenizer: BUILTIN },
    interrupt: new AbortController().signal,
    warn: (text) => void warnings.push(text),
    note: () => {},
  });
  for (const _ of [1, 2]) {
    for await (const _conversation of input.conversations()) break;
  }
  await Deno.remove(path);
  assert.equal(warnings.length, 1);
  assert.match(warnings[0] as string, /: x \(1\); rows read: 1$/);
});
