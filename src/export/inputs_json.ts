import type { PayloadTable } from "../dataset/payload_table.ts";

/**
 * `inputs.json`: the request bodies of the profiling phase, in a form that can be replayed with
 * `--input-file`. They are written as they are sent, on one line each.
 */
export function* inputsJson(payloads: PayloadTable): Generator<string | Uint8Array> {
  const { profilingEntries } = payloads.data;
  yield '{\n  "data": [';
  for (let entry = 0; entry < profilingEntries; entry++) {
    const sessionId = JSON.stringify(payloads.sessionIdOf(entry));
    yield `${entry === 0 ? "" : ","}\n    {"session_id": ${sessionId}, "payloads": [`;
    yield* payloads.bodyOf(entry);
    yield "]}";
  }
  yield "\n  ]\n}\n";
}
