import assert from "node:assert/strict";
import { analyzeTrace } from "../../../src/report/trace_analysis/analyze_trace.ts";
import { traceText } from "../../../src/report/trace_analysis/trace_text.ts";
import { withFolder } from "../../support/artifacts.ts";
import { BUILTIN } from "../../support/builtin.ts";
import { lines } from "../../support/input_files.ts";

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

Deno.test("traceText tells no rate of requests that all come at one time", async () => {
  await withFolder(async (folder) => {
    const path = `${folder}/trace.jsonl`;
    const textOf = async (...timestamps: number[]): Promise<string> => {
      const rows = timestamps.map((timestamp) => ({ timestamp, "input_length": 4, hash_ids: [1] }));
      await Deno.writeTextFile(path, lines(...rows));
      const analysis = await analyzeTrace({
        ...{ path, format: undefined, blockSize: 4, cacheTokens: [] },
        interrupt: new AbortController().signal,
        note() {},
      });
      return traceText(analysis, 80);
    };
    assert.match(await textOf(5), /: mooncake\S*, 1 request in 1 conversation\nall at one time\n/);
    assert.match(await textOf(0, 500, 2000), /\n2 s, 1\S* requests\/s on average, /);
  });
});

Deno.test("analyzeTrace refuses sessions that start each other and calls of one name", async () => {
  const turn = (spawns: readonly string[]) => ({
    "messages": [{ "role": "user", "content": "Go on." }],
    ...(spawns.length === 0 ? {} : { "spawns": spawns }),
  });
  const agent = (id: string, ...spawns: string[]) => ({
    "session_id": id,
    "turns": [turn(spawns)],
  });
  const call = { "request_id": "a", "input_length": 4, "output_length": 1, "hash_ids": [1] };
  const cases: readonly (readonly [text: string, message: RegExp])[] = [
    [lines(agent("a", "b"), agent("b", "a", "c"), agent("c")), /in a circle: a, b, a$/],
    [lines(agent("c"), agent("a", "b"), agent("b", "a")), /in a circle: a, b, a$/],
    [lines(call, call), /:2:15: request_id: Is there twice$/],
  ];
  await withFolder(async (folder) => {
    const path = `${folder}/sessions.jsonl`;
    for (const [text, message] of cases) {
      await Deno.writeTextFile(path, text);
      const analysis = analyzeTrace({
        ...{ path, format: undefined, blockSize: undefined, cacheTokens: [] },
        interrupt: new AbortController().signal,
        note() {},
      });
      await assert.rejects(() => analysis, { name: "DatasetError", message });
    }
  });
});
