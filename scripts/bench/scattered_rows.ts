/** Rows of recorded sessions in formats whose rows lie anywhere in a file. */

import { MODEL } from "./load_client.ts";

/** Calls of a session. */
const CALLS = 13;
/** Rows between two rows of one session. */
const SCATTER = 2000;
const START_MS = Date.UTC(2026, 8, 21);
/** A text with the escapes that JSON within JSON has. */
const SENTENCE = 'The test "parses an empty input" fails:\n\tcheck the caller.\n';

/** A format, and a row of it by its number. */
export interface ScatteredRows {
  readonly format: string;
  readonly row: (number: number) => unknown;
}

interface Place {
  readonly session: number;
  readonly call: number;
}

function placeOf(row: number): Place {
  return {
    session: row % SCATTER + SCATTER * Math.floor(row / (SCATTER * CALLS)),
    call: Math.floor(row / SCATTER) % CALLS,
  };
}

/** A row of Dynamo's request trace. */
export function dynamoRow(row: number): unknown {
  const { session, call } = placeOf(row);
  return {
    "timestamp": row,
    "event": {
      "schema": "dynamo.request.trace.v1",
      "event_type": "request_end",
      "event_time_unix_ms": START_MS + row,
      "agent_context": { "session_id": `run-${session}` },
      "request": {
        "request_id": `request-${row}`,
        "model": MODEL,
        "output_tokens": 2,
        "request_received_ms": START_MS + row - 10,
        "total_time_ms": 10,
        "replay": {
          "trace_block_size": 16,
          "input_length": 16 * (64 + call),
          "input_sequence_hashes": Array.from({ length: 64 + call }, (_, i) => session * 1e4 + i),
        },
      },
    },
  };
}

/** A span of OpenTelemetry whose messages are JSON within JSON. */
function otelRow(row: number): unknown {
  const { session, call } = placeOf(row);
  const attribute = (key: string, value: unknown) => ({ "key": key, "value": value });
  const text = (key: string, value: string) => attribute(key, { "stringValue": value });
  const messages = [{ "role": "user", "content": SENTENCE.repeat(8 + call) }];
  const span = {
    "traceId": `${session}`.padStart(32, "0"),
    "spanId": `${row}`.padStart(16, "0"),
    "name": "chat",
    "kind": 3,
    "startTimeUnixNano": `${START_MS + row}000000`,
    "endTimeUnixNano": `${START_MS + row + 10}000000`,
    "attributes": [
      text("gen_ai.operation.name", "chat"),
      text("gen_ai.request.model", MODEL),
      attribute("gen_ai.usage.input_tokens", { "intValue": "256" }),
      attribute("gen_ai.usage.output_tokens", { "intValue": "2" }),
      text("gen_ai.input.messages", JSON.stringify(messages)),
    ],
    "status": {},
  };
  return { "resourceSpans": [{ "scopeSpans": [{ "spans": [span] }] }] };
}

/** A round of TraceLab with two tools. */
function tracelabRow(row: number): unknown {
  const { session, call } = placeOf(row);
  const at = (ms: number) => new Date(START_MS + 1000 * row + ms).toISOString();
  const tool = (name: string, ms: number) => ({
    "tool_name": name,
    "emitted_at": at(300),
    "result_at": at(300 + ms),
    "tool_wall_latency_ms": ms,
  });
  return {
    "session_id": `claude:${session}`,
    "provider": "claude",
    "user": `user-${session % 50}`,
    "project": "project",
    "round_index": call,
    "model": MODEL,
    "input_tokens_total": 1000 + 100 * call,
    "prefix_tokens": 100 * call,
    "newly_append_tokens": 1000,
    "output_tokens": 2,
    "first_input_event_type": "user_message",
    "timing_events": [
      { "event_type": call === 0 ? "user_message" : "tool_result", "timestamp": at(0) },
      { "event_type": "text", "timestamp": at(200) },
      { "event_type": "tool_call", "timestamp": at(300) },
    ],
    "tools": [tool("Bash", 80), tool("Read", 20)],
  };
}

/** A small row of Dynamo's agentic Mooncake trace. */
function agenticMooncakeRow(row: number): unknown {
  const { session, call } = placeOf(row);
  return {
    "request_id": `${session}:${call}`,
    "session_id": `session-${session}`,
    "input_length": 64 * (8 + call),
    "output_length": 2,
    "hash_ids": Array.from({ length: 8 + call }, (_, i) => session * 100 + i),
    "timestamp": row,
    "wait_for": call === 0 ? [] : [`${session}:${call - 1}`],
    "delay": 10,
  };
}

/** Formats with rows of different kinds: long lists, long texts, many fields, and few. */
export const SCATTERED_ROWS: readonly ScatteredRows[] = [
  { format: "dynamo-request-trace", row: dynamoRow },
  { format: "otel-spans", row: otelRow },
  { format: "tracelab", row: tracelabRow },
  { format: "agentic-mooncake", row: agenticMooncakeRow },
];
