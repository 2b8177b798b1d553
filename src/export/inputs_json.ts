import type { PayloadTable } from "../dataset/payload_table.ts";
import type { BodyFormat } from "../endpoint/body_format.ts";
import { bodyJson } from "./body_json.ts";

/**
 * `inputs.json`: the request bodies of the profiling phase, in a form that can be replayed with
 * `--input-file`. They are written as they are sent, on one line each; their fields
 * if they are sent in another format than JSON.
 */
export function* inputsJson(
  payloads: PayloadTable,
  format: BodyFormat,
): Generator<string | Uint8Array> {
  const { profilingEntries } = payloads.data;
  yield '{\n  "data": [';
  for (let entry = 0; entry < profilingEntries; entry++) {
    const sessionId = JSON.stringify(payloads.sessionIdOf(entry));
    yield `${entry === 0 ? "" : ","}\n    {"session_id": ${sessionId}, "payloads": [`;
    if (format.isJson) yield* payloads.bodyOf(entry);
    else yield bodyJson(payloads.wholeBodyOf(entry), format);
    yield "]}";
  }
  yield "\n  ]\n}\n";
}
