import type { PayloadTable } from "../../../load/dataset/payloads/payload_table.ts";
import type { BodyFormat } from "../../../client/endpoint/protocol/body_format.ts";
import type { Redactor } from "../../../core/secrets/redactor.ts";
import { ModelSelector, type ModelSelectorSource } from "../../../load/workload/model_selector.ts";
import { bodyJson } from "./body_json.ts";
import { jsonText } from "../../../core/files/json_text.ts";

/**
 * Yields `inputs.json`: the request bodies of the profiling phase, in a form that can be replayed
 * with `--input-file`. Bodies are written as sent except for secrets, one per line; bodies in a
 * format other than JSON are written as their fields. With several models, a body names the model
 * of its first request when prompts are used in sequence. The turns of a conversation are the
 * payloads of one session, each without the turns before it.
 */
export function* inputsJson(
  payloads: PayloadTable,
  format: BodyFormat,
  redact: Redactor,
  selection?: Omit<ModelSelectorSource, "modelCount">,
): Generator<string> {
  const { profilingEntries, modelCount, conversations } = payloads.data;
  const models = new ModelSelector({ seed: 0, ...selection, modelCount }, "profiling");
  const count = conversations?.profilingConversations ?? profilingEntries;
  yield '{\n  "data": [';
  for (let conversation = 0; conversation < count; conversation++) {
    const start = conversations?.conversationStart[conversation] ?? conversation;
    const end = conversations?.conversationStart[conversation + 1] ?? conversation + 1;
    const sessionId = jsonText(payloads.sessionIdOf(start), 0);
    yield `${conversation === 0 ? "" : ","}\n    {"session_id": ${sessionId}, "payloads": [`;
    for (let entry = start; entry < end; entry++) {
      const body = payloads.wholeBodyOf(entry, models.modelOf(conversation, conversation));
      if (entry > start) yield ", ";
      yield bodyJson(body, format, redact);
    }
    yield "]}";
  }
  yield "\n  ]\n}\n";
}
