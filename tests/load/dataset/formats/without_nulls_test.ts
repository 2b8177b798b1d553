import assert from "node:assert/strict";
import { withoutNulls } from "../../../../src/load/dataset/formats/without_nulls.ts";
import { readText, tableOf } from "../../../support/input_files.ts";

Deno.test("withoutNulls takes nulls for fields that are missing, but in bodies", () => {
  const body = { "messages": [{ "content": null }], "stop": null };
  const record = { "a": 1, "b": null, "body": body, "turns": [{ "text": "x", "delay": null }] };
  assert.deepEqual(withoutNulls(record), { "a": 1, body, "turns": [{ "text": "x" }] });
  const whole = { "a": [null] };
  assert.equal(withoutNulls(whole), whole);
  assert.equal(withoutNulls(null), null);
});

Deno.test("readInput tells and reads rows whose optional fields are null", async () => {
  const rows = [
    { "text": "a", "images": null, "output_length": null, "session_id": null, "role": null },
    { "session_id": null, "turns": [{ "text": "b", "delay": null, "image": null }] },
    { "input_length": 5, "text_input": null, "hash_ids": null, "messages": null, "payload": null },
    { "chat_id": 1, "parent_chat_id": null, "timestamp": 0, "input_length": 3, "output_length": 1 },
  ];
  for (const row of rows) {
    const hashes = "chat_id" in row ? { "hash_ids": [1] } : {};
    const { conversations } = await readText(JSON.stringify({ ...row, ...hashes }));
    assert.equal((await tableOf(conversations)).payloads.data.profilingEntries, 1);
  }
});
