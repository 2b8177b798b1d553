import { type Delta, isFields, stringOf } from "./delta.ts";
import { readMessage } from "./openai_message.ts";

/** Reads a line, or the only object, of a reply of Ollama's own API into `delta`. */
export function readOllamaLine(json: Record<string, unknown>, delta: Delta): void {
  const message = json["message"];
  if (isFields(message)) {
    readMessage(message, delta);
    delta.reasoning += stringOf(message["thinking"]);
  }
  delta.text += stringOf(json["response"]);
  if (json["done"] !== true) return;
  delta.finishReason = stringOf(json["done_reason"]) || "stop";
  const prompt = json["prompt_eval_count"];
  const output = json["eval_count"];
  if (typeof prompt === "number" || typeof output === "number") {
    delta.usage = {
      promptTokens: typeof prompt === "number" ? prompt : undefined,
      cachedTokens: undefined,
      completionTokens: typeof output === "number" ? output : undefined,
      totalTokens: undefined,
      reasoningTokens: undefined,
    };
  }
}
