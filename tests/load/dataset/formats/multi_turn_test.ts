import assert from "node:assert/strict";
import { withFolder } from "../../../support/artifacts.ts";
import { withMock } from "../../../support/local_mock.ts";
import { runProfile } from "../../../support/profile_run.ts";

const TOOLS = [{ "type": "function", "function": { "name": "read_file" } }];
const ROW = {
  "session_id": "m1",
  "turns": [
    { "role": "system", "text": "You answer shortly." },
    { "text": "What is in a.txt?", "tools": TOOLS, "output_length": 4 },
    { "role": "tool", "tool_call_id": "call_0", "text": "a poem", "delay": 20 },
    {
      "tool_results": [{ "tool_call_id": "1", "content": "x" }, { "content": "y" }],
      "text": "Both?",
    },
    { "tool_results": [{ "tool_call_id": "2", "content": "z" }] },
  ],
};

/** Bodies of the session's requests to an endpoint type, in their order. */
async function bodiesOf(type: string): Promise<Record<string, unknown>[]> {
  let bodies: Record<string, unknown>[] = [];
  await withMock({}, async ({ url }) => {
    await withFolder(async (folder) => {
      await Deno.writeTextFile(`${folder}/a.jsonl`, JSON.stringify(ROW));
      const run = await runProfile(`${folder}/run`, [
        ...["--url", url, "--input-file", `${folder}/a.jsonl`, "--num-sessions", "1", "--osl", "3"],
        ...["--endpoint-type", type, "--export-level", "raw"],
      ]);
      assert.equal(run.code, 0, run.stderr);
      assert.equal(run.artifacts.records.length, 4);
      const lines = await Deno.readTextFile(`${folder}/run/sessions.jsonl`);
      const { critical_path: { calls, ...path }, duration, ...session } = JSON.parse(lines);
      assert.deepEqual(calls, [0, 1, 2, 3]);
      assert.deepEqual([session.status, session.calls.sent], ["completed", 4]);
      assert.ok(path.tool >= 20 && path.user === 0, JSON.stringify(path));
      const parts = Object.values(path as Record<string, number>).reduce((a, b) => a + b, 0);
      assert.ok(Math.abs(parts - duration) < 1e-6, `${parts} ${duration}`);
      const raw = await Deno.readTextFile(`${folder}/run/profile_export_raw.jsonl`);
      bodies = raw.trim().split("\n").map((line) => JSON.parse(line).payload);
    });
  });
  return bodies;
}

Deno.test("multi-turn sends results of tools, and their definitions until a turn has others", async () => {
  const bodies = await bodiesOf("chat");
  for (const { tools } of bodies) assert.deepEqual(tools, TOOLS);
  const messages = bodies.at(-1)?.["messages"] as { role: string }[];
  const roles = messages.map(({ role }) => role).join(" ");
  assert.equal(roles, "system user assistant tool assistant tool tool user assistant tool");
  assert.deepEqual(messages[3], { "role": "tool", "tool_call_id": "call_0", "content": "a poem" });
  assert.deepEqual(messages[6], { "role": "tool", "content": "y" });
});

Deno.test("multi-turn sends results of tools as each API has them", async () => {
  const anthropic = (await bodiesOf("messages")).at(-1)?.["messages"] as { content: unknown }[];
  assert.deepEqual(anthropic.at(-1), {
    "role": "user",
    "content": [{ "type": "tool_result", "tool_use_id": "2", "content": "z" }],
  });
  const responses = (await bodiesOf("responses")).at(-1)?.["input"] as unknown[];
  assert.deepEqual(responses.at(-1), {
    "type": "function_call_output",
    "call_id": "2",
    "output": "z",
  });
});
