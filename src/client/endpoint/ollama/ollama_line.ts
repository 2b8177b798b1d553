import { type Delta, isFields, stringOf, WHOLE_CALL } from "../protocol/delta.ts";
import { readMessage } from "../protocol/openai_message.ts";
import { readOllamaWork } from "../protocol/server_work.ts";
import { readUsage } from "../protocol/usage.ts";

/** Reads a line, or the only object, of a reply of Ollama's own API into `delta`. */
export function readOllamaLine(json: Record<string, unknown>, delta: Delta): void {
  const message = json["message"];
  if (isFields(message)) {
    readMessage(message, delta);
    readCallFields(message["tool_calls"], delta);
  }
  delta.text += stringOf(json["response"]);
  delta.reasoning += stringOf(json["thinking"]);
  if (json["done"] !== true) return;
  delta.finishReason = stringOf(json["done_reason"]) || "stop";
  delta.usage = readUsage({
    "prompt_tokens": json["prompt_eval_count"],
    "completion_tokens": json["eval_count"],
  });
  delta.work = readOllamaWork(json);
}

/** Arguments of calls are objects here, where OpenAI has texts; each call comes whole. */
function readCallFields(calls: unknown, delta: Delta): void {
  const known = delta.toolCalls.splice(0);
  (Array.isArray(calls) ? calls.filter(isFields) : []).forEach((call, place) => {
    const named = call["function"];
    const read = known[place];
    const argumentsText = isFields(named) && isFields(named["arguments"])
      ? JSON.stringify(named["arguments"])
      : "";
    delta.toolText += argumentsText;
    delta.toolCalls.push({
      index: WHOLE_CALL,
      id: read?.id ?? "",
      name: read?.name ?? "",
      argumentsText: argumentsText || (read?.argumentsText ?? ""),
    });
  });
}
