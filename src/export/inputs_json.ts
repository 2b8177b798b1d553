import type { PayloadTable } from "../dataset/payload_table.ts";
import type { BodyFormat } from "../endpoint/body_format.ts";
import type { Redactor } from "../secrets/redactor.ts";
import { modelOf } from "../workload/model_of.ts";
import { bodyJson } from "./body_json.ts";
import { jsonText } from "./json_text.ts";

/**
 * `inputs.json`: the request bodies of the profiling phase, in a form that can be replayed with
 * `--input-file`. They are written as they are sent but for secrets, on one line each; their fields
 * if they are sent in another format than JSON. Where several models take turns, a body has the one
 * that its first request asks when prompts are used in sequence.
 */
export function* inputsJson(
  payloads: PayloadTable,
  format: BodyFormat,
  redact: Redactor,
): Generator<string> {
  const { profilingEntries, modelCount } = payloads.data;
  yield '{\n  "data": [';
  for (let entry = 0; entry < profilingEntries; entry++) {
    const sessionId = jsonText(payloads.sessionIdOf(entry), 0);
    yield `${entry === 0 ? "" : ","}\n    {"session_id": ${sessionId}, "payloads": [`;
    const body = payloads.wholeBodyOf(entry, modelOf(entry, modelCount));
    yield bodyJson(body, format, redact);
    yield "]}";
  }
  yield "\n  ]\n}\n";
}
