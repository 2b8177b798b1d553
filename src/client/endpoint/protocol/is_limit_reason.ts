/** Reasons of OpenAI and most engines; of Anthropic and Gemini; of the responses API. */
const LIMIT_REASON = /^(length|max_length|max_(new_|output_|completion_)?tokens)$/i;

/** Whether a finish reason means that the reply reached its limit of tokens. */
export function isLimitReason(finishReason: string): boolean {
  return LIMIT_REASON.test(finishReason);
}
