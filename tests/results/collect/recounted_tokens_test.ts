import assert from "node:assert/strict";
import type { RecordBatch } from "../../../src/client/record/record_batch.ts";
import { RECORD_FIELD, RECORD_FIELD_COUNT } from "../../../src/client/record/request_fields.ts";
import { recountedTokens } from "../../../src/results/collect/recounted_tokens.ts";

/** Counts letters. */
const LETTERS = { name: "letters", count: (text: string) => text.length };

function event(delta: unknown, index = 0): unknown {
  const value = JSON.stringify({ choices: [{ index, delta, "finish_reason": null }] });
  return { "perf_ns": 1, packets: [{ name: "data", value }] };
}

function line(id: string, responses: readonly unknown[], payload: unknown): string {
  return JSON.stringify({ metadata: { "x_request_id": id }, status: 200, responses, payload });
}

/** The rows of a batch with these requests, all valid, of so many chunks and first bytes. */
function batchOf(ids: readonly string[], chunks: number, firstBytes: number): RecordBatch {
  const columns = Array.from({ length: RECORD_FIELD_COUNT }, () => new Float64Array(ids.length));
  (columns[RECORD_FIELD.errorKind] as Float64Array).fill(-1);
  (columns[RECORD_FIELD.chunkCount] as Float64Array).fill(chunks);
  (columns[RECORD_FIELD.firstChunkBytes] as Float64Array).fill(firstBytes);
  const overwrite: RecordBatch["overwrite"] = (column, valueOf) => {
    const values = columns[column] as Float64Array;
    values.forEach((before, at) => values[at] = valueOf(at, before));
  };
  return { columns, overwrite, requestId: (at: number) => ids[at] } as unknown as RecordBatch;
}

Deno.test("recountedTokens counts prompts, answers, reasoning, calls and choices of the raw export", async () => {
  const path = await Deno.makeTempFile();
  const prompt = { messages: [{ role: "user", content: "Hello" }] };
  const call = { index: 0, function: { name: "f", arguments: "{}" } };
  await Deno.writeTextFile(
    path,
    [
      line("a", [event({ content: "abcd" }), event({ content: "ef" })], prompt),
      line("b", [event({ "reasoning_content": "why" }), event({ "tool_calls": [call] })], prompt),
      line("c", [event({ content: "x" }), event({ content: "yz" }, 1)], { ...prompt, n: 2 }),
      line("d", [{ text: '{"choices":[{"message":{"content":"whole"}}]}' }], prompt),
    ].join("\n") + "\n",
  );
  const amend = await recountedTokens(path, "chat", LETTERS);
  const batch = batchOf(["a", "b", "c", "d", "unknown"], 2, 4);
  amend(batch);
  const values = (name: keyof typeof RECORD_FIELD): number[] => [
    ...batch.columns[RECORD_FIELD[name]] as Float64Array,
  ];
  assert.deepEqual(values("inputTokens"), [5, 5, 5, 5, 0]);
  assert.deepEqual(values("outputTokens"), [6, 3, 3, 5, 0]);
  assert.deepEqual(values("thoughtTokens"), [NaN, 3, NaN, NaN, 0]);
  assert.deepEqual(values("firstTokens").slice(0, 3), [4, NaN, NaN]);
  await Deno.writeTextFile(path, "");
  await assert.rejects(recountedTokens(path, "chat", LETTERS), /has no requests/);
  await Deno.remove(path);
});
