import assert from "node:assert/strict";
import { InputSource } from "../../../../src/load/dataset/formats/input_source.ts";
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

Deno.test("weka-trace takes think_time as the gap where it is wanted and there is one", async () => {
  await withFolder(async (folder) => {
    await Deno.writeTextFile(`${folder}/t.json`, JSON.stringify(TRACE));
    const gapsOf = async (usesThinkTime: boolean): Promise<(number | undefined)[]> => {
      const source = await InputSource.open(`${folder}/t.json`);
      const settings = { blockSize: 64, outputTokens: undefined, usesThinkTime };
      const [session] = await Array.fromAsync(wekaTrace.read(source, settings).sessions());
      return session?.calls.map(({ edges }) => edges[0]?.gapMs) ?? [];
    };
    assert.deepEqual(await gapsOf(false), [undefined, 7000, 4000]);
    assert.deepEqual(await gapsOf(true), [undefined, 3000, 4000]);
  });
});
