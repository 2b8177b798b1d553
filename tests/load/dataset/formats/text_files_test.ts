import assert from "node:assert/strict";
import type { FileDatasetPlan } from "../../../../src/config/plan/run_plan.ts";
import { lines, type ReadFile, readFile, readText, textsOf } from "../../../support/input_files.ts";

/** Reads a file that has this name and text. */
async function readNamed(
  name: string,
  text: string,
  dataset: Partial<FileDatasetPlan> = {},
): Promise<ReadFile> {
  const folder = await Deno.makeTempDir();
  try {
    await Deno.writeTextFile(`${folder}/${name}`, text);
    return await readFile(`${folder}/${name}`, dataset);
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
}

const TEXTS: readonly (readonly [name: string, text: string, prompts: readonly string[]])[] = [
  ["lines", "a b\r\nc, d\n\n", ["a b", "c, d"]],
  ["lines and single blank lines", "a\n\nb\n\n\nc", ["a", "b", "c"]],
  ["one line", "a", ["a"]],
  ["paragraphs", "a\nb\n\nc\n \n\nd\ne\n", ["a\nb", "c", "d\ne"]],
  ["a stray blank line", `${"x\n".repeat(50)}\n${"y\n".repeat(50)}`, [
    ...new Array(50).fill("x"),
    ...new Array(50).fill("y"),
  ]],
  ["what begins like an array", "[INST] a [/INST]\n[1] b\n", ["[INST] a [/INST]", "[1] b"]],
  ["what begins like an object", "{a} b\nc\n", ["{a} b", "c"]],
];

for (const [name, text, prompts] of TEXTS) {
  Deno.test(`a .txt file is read as prompts: ${name}`, async () => {
    const { conversations } = await readNamed("prompts.txt", text, { outputTokensMean: 7 });
    assert.deepEqual(textsOf(conversations), prompts.map((prompt) => [prompt]));
    for (const { turns: [turn] } of conversations) {
      assert.equal(turn?.request.kind === "content" && turn.request.content.outputTokens, 7);
    }
  });
}

Deno.test("a .txt file with JSON lines is read as JSON, a text of another name where it is named", async () => {
  const { conversations } = await readNamed("prompts.txt", lines({ "text": "a" }));
  assert.deepEqual(textsOf(conversations), [["a"]]);
  await assert.rejects(readText("a\nb\n"), /No known format/);
  const named = await readText("{a\n\nb\nc\n", { format: "text_lines" });
  assert.deepEqual(textsOf(named.conversations), [["{a"], ["b"], ["c"]]);
  const blocks = await readText("{a\n\nb\nc\n", { format: "text-paragraphs" });
  assert.deepEqual(textsOf(blocks.conversations), [["{a"], ["b\nc"]]);
});

Deno.test("a table with a column of prompts is read, whatever separates its columns", async () => {
  const table = [["ID", "Prompt", "output_tokens"], ["1", "a", "5"], ["2", "b", ""]];
  for (const [name, delimiter] of [["p.csv", ","], ["p.tsv", "\t"], ["p.csv", ";"], ["p", ","]]) {
    const text = table.map((row) => row.join(delimiter)).join("\n");
    const { conversations, warnings } = await readNamed(name as string, text, {
      outputTokensMean: 9,
    });
    assert.deepEqual(textsOf(conversations), [["a"], ["b"]]);
    const limits = conversations.map(({ turns: [turn] }) =>
      turn?.request.kind === "content" && turn.request.content.outputTokens
    );
    assert.deepEqual(limits, [5, 9]);
    assert.match(warnings[0] as string, /not read or sent, .*: id \(2\); rows read: 2$/);
  }
});

Deno.test("a table's cells may be quoted, and its system prompts go before the prompts", async () => {
  const text = 'question,system\n"a, ""b""\nc",Be brief.\n,x\nd,\n';
  const { conversations, warnings } = await readNamed("q.csv", text);
  assert.deepEqual(textsOf(conversations), [['a, "b"\nc'], ["d"]]);
  const systems = conversations.map(({ turns: [turn] }) =>
    turn?.request.kind === "content" ? turn.request.system : ""
  );
  assert.deepEqual(systems, ["Be brief.", undefined]);
  assert.match(warnings[0] as string, /rows without a prompt, left out: 1/);
});

Deno.test("a table without a column of prompts, or with a wrong length, is refused", async () => {
  await assert.rejects(readNamed("p.csv", "a,b\n1,2\n"), /No known format: .*"a", "b"/);
  await assert.rejects(
    readNamed("p.csv", "a,b\n1,2\n", { format: "csv" }),
    /p\.csv:1: No column "prompt": got the columns a, b/,
  );
  await assert.rejects(
    readNamed("p.csv", "prompt,max_tokens\na,many\n"),
    /p\.csv:2:1: max_tokens: Must be a whole number from 1/,
  );
});
