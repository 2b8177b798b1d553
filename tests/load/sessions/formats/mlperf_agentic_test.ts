import assert from "node:assert/strict";
import { InputSource } from "../../../../src/load/dataset/formats/input_source.ts";
import { mlperfAgentic } from "../../../../src/load/sessions/formats/mlperf_agentic.ts";
import { withFolder } from "../../../support/artifacts.ts";
import { lines } from "../../../support/input_files.ts";

Deno.test("mlperf-agentic takes an empty list of tools as none of the row's own", async () => {
  const toolOf = (name: string): object => ({ "type": "function", "function": { name } });
  const tools = [toolOf("read")];
  const other = [toolOf("write")];
  const row = { "conversation_id": "c", "role": "user", "content": "Go on." };
  await withFolder(async (folder) => {
    const path = `${folder}/rows.jsonl`;
    await Deno.writeTextFile(
      path,
      lines(
        { ...row, "turn": 1, tools },
        { ...row, "turn": 3, "tools": [] },
        { ...row, "turn": 5 },
        { ...row, "turn": 7, "tools": other },
      ),
    );
    const settings = { blockSize: 16, outputTokens: undefined, usesThinkTime: false };
    const source = await InputSource.open(path);
    const [session] = await Array.fromAsync(mlperfAgentic.read(source, settings).sessions());
    const found = session?.calls.map(({ prompt }) =>
      prompt.kind === "texts" ? prompt.tools : undefined
    );
    assert.deepEqual(found, [tools, tools, tools, other]);
  });
});
