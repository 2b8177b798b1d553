import assert from "node:assert/strict";
import { InputSource } from "../../../../src/load/dataset/formats/input_source.ts";
import type { AgentCall } from "../../../../src/load/sessions/model/agent_session.ts";
import { wekaTrace } from "../../../../src/load/sessions/formats/weka_trace.ts";
import { withFolder } from "../../../support/artifacts.ts";

const TRACE = {
  "id": "t",
  "models": ["m"],
  "block_size": 64,
  "hash_id_scope": "local",
  "requests": [
    { "t": 0, "type": "n", "in": 64, "out": 1, "hash_ids": [1], "api_time": 2 },
    {
      "t": 9,
      "type": "n",
      "in": 128,
      "out": 1,
      "hash_ids": [1, 2],
      "api_time": 1,
      "think_time": 3,
    },
    { "t": 14, "type": "n", "in": 192, "out": 1, "hash_ids": [1, 2, 3], "api_time": 1 },
  ],
};

/** Returns what starts the gaps before each call of a trace, and their milliseconds. */
async function gapsOf(
  trace: unknown,
  usesThinkTime: boolean,
): Promise<[on: string, gapMs: number | undefined][][]> {
  let calls: readonly AgentCall[] = [];
  await withFolder(async (folder) => {
    await Deno.writeTextFile(`${folder}/t.json`, JSON.stringify(trace));
    const source = await InputSource.open(`${folder}/t.json`);
    const settings = { blockSize: 64, outputTokens: undefined, usesThinkTime };
    const [session] = await Array.fromAsync(wekaTrace.read(source, settings).sessions());
    calls = session?.calls ?? [];
  });
  return calls.map(({ edges }) => edges.map(({ on, gapMs }) => [on, gapMs]));
}

Deno.test("weka-trace takes think_time as the gap where it is wanted and there is one", async () => {
  assert.deepEqual(await gapsOf(TRACE, false), [[], [["end", 7000]], [["end", 4000]]]);
  assert.deepEqual(await gapsOf(TRACE, true), [[], [["end", 3000]], [["end", 4000]]]);
});

Deno.test("weka-trace keeps the gap of a call that starts before the one that it follows has ended", async () => {
  const [first] = TRACE.requests;
  const inner = { "t": 0, "type": "n", "in": 64, "out": 1, "hash_ids": [7], "think_time": 3 };
  const subagent = { "t": 1, "type": "subagent", "agent_id": "a", "requests": [inner] };
  const trace = { ...TRACE, "requests": [first, subagent] };
  assert.deepEqual(await gapsOf(trace, true), [[], [["start", 1000]]]);
});
