import assert from "node:assert/strict";
import { InputSource } from "../../../../src/load/dataset/formats/input_source.ts";
import { dynamoRequestTrace } from "../../../../src/load/sessions/formats/dynamo_request_trace.ts";
import { otelSpans } from "../../../../src/load/sessions/formats/otel_spans.ts";
import { IndexedFile } from "../../../../src/load/sessions/index/indexed_file.ts";
import type { RowGrouping } from "../../../../src/load/sessions/model/row_grouping.ts";
import type { SessionFormat } from "../../../../src/load/sessions/model/session_format.ts";
import { withFolder } from "../../../support/artifacts.ts";

const SETTINGS = { blockSize: 16, outputTokens: undefined };

/** Number of calls of each session of a file that is read by its index. */
async function callsOf(
  format: SessionFormat,
  rows: readonly unknown[],
): Promise<[session: string, calls: number][]> {
  const found: [string, number][] = [];
  await withFolder(async (folder) => {
    const path = `${folder}/rows.jsonl`;
    await Deno.writeTextFile(path, rows.map((row) => `${JSON.stringify(row)}\n`).join(""));
    const file = await IndexedFile.open(
      await InputSource.open(path),
      format.grouping?.() as RowGrouping,
      folder,
      new AbortController().signal,
    );
    try {
      for await (const { id, calls } of file.read(format, SETTINGS).sessions()) {
        found.push([id, calls.length]);
      }
    } finally {
      file.close();
    }
  });
  return found;
}

function request(session: string, receivedMs: number, blockSize: number): unknown {
  return {
    "event_type": "request_end",
    "agent_context": { "session_id": session },
    "request": {
      "request_id": `${session} ${receivedMs}`,
      "request_received_ms": receivedMs,
      "total_time_ms": 5,
      "replay": {
        "trace_block_size": blockSize,
        "input_length": 64,
        "input_sequence_hashes": [1],
      },
    },
  };
}

Deno.test("IndexedFile reads sessions in the order of their starts", async () => {
  const rows = [request("a", 30, 16), request("b", 20, 16), request("a", 40, 16)];
  assert.deepEqual(await callsOf(dynamoRequestTrace, rows), [["b", 1], ["a", 2]]);
});

Deno.test("IndexedFile refuses sessions whose blocks have different lengths", async () => {
  await assert.rejects(
    callsOf(dynamoRequestTrace, [request("a", 10, 16), request("b", 20, 32)]),
    /Has blocks of 32 tokens after blocks of 16/,
  );
});

Deno.test("IndexedFile reads a row once that has several traces of a conversation", async () => {
  const span = (trace: string, second: number, conversation: string) => ({
    "trace_id": trace,
    "span_id": `${trace} ${second}`,
    "name": "chat m",
    "start_time": `2026-09-21T14:13:2${second}.000Z`,
    "end_time": `2026-09-21T14:13:2${second}.900Z`,
    "attributes": {
      "gen_ai.operation.name": "chat",
      "gen_ai.conversation.id": conversation,
      "gen_ai.usage.input_tokens": 40,
      "gen_ai.usage.output_tokens": 5,
    },
  });
  const rows = [
    { "spans": [span("t1", 1, "one"), span("t2", 2, "one"), span("t3", 3, "two")] },
    { "spans": [span("t4", 4, "two")] },
  ];
  assert.deepEqual(await callsOf(otelSpans, rows), [["one", 2], ["two", 2]]);
});
