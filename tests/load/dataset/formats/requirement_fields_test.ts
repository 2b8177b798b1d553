import assert from "node:assert/strict";
import { constraintOf } from "../../../../src/client/endpoint/constraint/constraint_of.ts";
import { withFolder } from "../../../support/artifacts.ts";
import { readFile } from "../../../support/input_files.ts";

const SCHEMA = { "type": "object" };

/** Fields of rows, and the kind of requirement on the text that they are in the body. */
const FIELDS: readonly (readonly [Record<string, unknown>, string | undefined])[] = [
  [{ "response_format": { "type": "json_object" } }, "json_object"],
  [{ "structured_outputs": { "regex": "a+" } }, "regex"],
  [{ "guided_json": SCHEMA }, "json_schema"],
  [{ "guided_json": JSON.stringify(SCHEMA) }, "json_schema"],
  [{ "guided_regex": "a+" }, "regex"],
  [{ "guided_choice": ["a", 1] }, "choice"],
  [{ "guided_grammar": "root ::= x" }, "unchecked"],
  [{ "json_schema": SCHEMA }, "json_schema"],
  [{ "ebnf": "root ::= x" }, "unchecked"],
  [{ "parallel_tool_calls": false }, undefined],
];

Deno.test("rows bring what their replies must be into the bodies, without extra", async () => {
  await withFolder(async (folder) => {
    const rows = FIELDS.map(([fields]) => ({ "text": "a", ...fields }));
    const layouts: readonly (readonly unknown[])[] = [
      rows,
      rows.map((row) => ({ "turns": [row] })),
    ];
    for (const [at, layout] of layouts.entries()) {
      const path = `${folder}/${at}.jsonl`;
      await Deno.writeTextFile(path, layout.map((row) => JSON.stringify(row)).join("\n"));
      const { conversations } = await readFile(path, {});
      const extras = conversations.map(({ turns: [turn] }) =>
        turn?.request.kind === "content" ? turn.request.content.extra ?? {} : {}
      );
      assert.deepEqual(extras, FIELDS.map(([fields]) => fields));
      const kinds = extras.map((extra) => constraintOf(extra)?.text?.kind);
      assert.deepEqual(kinds, FIELDS.map(([, kind]) => kind));
    }
  });
});
