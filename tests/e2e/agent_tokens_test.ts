/** Input tokens of bodies with tools: the client counts what the server counts, by part. */

import assert from "node:assert/strict";
import { withFolder } from "../support/artifacts.ts";
import { withMock } from "../support/local_mock.ts";
import { runProfile } from "../support/profile_run.ts";

const TOOLS = Array.from({ length: 10 }, (_, number) => ({
  "type": "function",
  "function": {
    "name": `tool_${number}`,
    "description": "Reads a file of the workspace and returns its lines. ".repeat(8),
    "parameters": { "type": "object", "properties": { "path": { "type": "string" } } },
  },
}));
const CALL = { "name": "tool_3", "arguments": '{"path":"src/main.ts"}' };

const BODY = {
  "model": "m",
  "messages": [
    { "role": "system", "content": "You are a coding agent." },
    { "role": "user", "content": "Find the fault." },
    {
      "role": "assistant",
      "content": null,
      "tool_calls": [{ "id": "call_1", "type": "function", "function": CALL }],
    },
    { "role": "tool", "tool_call_id": "call_1", "content": "line ".repeat(40) },
  ],
  "tools": TOOLS,
};

interface Distribution {
  readonly avg: number;
}

Deno.test("profile counts tools, calls and results of prompts as the server does, and by part", async () => {
  await withMock({}, async ({ url }) => {
    await withFolder(async (folder) => {
      await Deno.writeTextFile(`${folder}/agents.jsonl`, JSON.stringify(BODY));
      const run = await runProfile(`${folder}/run`, [
        ...["--url", url, "--input-file", `${folder}/agents.jsonl`, "--request-count", "4"],
        ...["--custom-dataset-type", "raw-payload", "--tokenizer", "builtin"],
      ]);
      assert.equal(run.code, 0, run.stderr);
      const metrics = run.artifacts.json as unknown as Readonly<Record<string, Distribution>>;
      const isl = metrics["input_sequence_length"]?.avg as number;
      assert.equal(isl, metrics["usage_prompt_tokens"]?.avg);
      const parts = Object.keys(metrics).filter((tag) => tag.startsWith("input_tokens_"));
      assert.equal(parts.length, 9);
      const sum = parts.reduce((total, tag) => total + (metrics[tag]?.avg as number), 0);
      assert.equal(sum, isl);
      assert.ok((metrics["input_tokens_tools"]?.avg as number) > 0.8 * isl);
      assert.ok((metrics["input_tokens_tool_results"]?.avg as number) >= 40);
    });
  });
});
