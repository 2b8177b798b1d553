import assert from "node:assert/strict";
import { analyzeTrace } from "../../src/trace_analysis/analyze_trace.ts";
import { withFolder } from "../support/artifacts.ts";
import { BUILTIN } from "../support/builtin.ts";
import { lines } from "../support/input_files.ts";

Deno.test("analyzeTrace counts the texts of a trace that has them instead of lengths", async () => {
  const [text, said] = ["How many planets are there?", "Name the largest one of them."];
  const messages = [{ "role": "user", "content": said }];
  await withFolder(async (folder) => {
    const path = `${folder}/trace.jsonl`;
    await Deno.writeTextFile(
      path,
      lines(
        { "timestamp": 0, "text_input": text, "output_length": 7 },
        { "timestamp": 5, messages },
        { "timestamp": 9, "payload": { messages, "max_tokens": 3 } },
        { "timestamp": 12, "input_length": 40, "output_length": 2 },
      ),
    );
    const { input_length: input, output_length: output } = await analyzeTrace({
      ...{ path, format: undefined, blockSize: undefined, cacheTokens: [] },
      interrupt: new AbortController().signal,
      note() {},
    });
    const sum = BUILTIN.count(text) + 2 * BUILTIN.count(said) + 40;
    assert.equal(input?.avg, sum / 4);
    assert.deepEqual([output?.avg, output?.min, output?.max], [4, 2, 7]);
  });
});
