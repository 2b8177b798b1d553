/**
 * Markup that servers remove from answers: of reasoning, of tool calls and of chat templates, as
 * models of the families DeepSeek, Gemma, GPT-OSS, Granite, Hermes, Kimi, Llama, Mistral, Phi and Qwen
 * write it.
 */
const MARKUP = [
  "</?(?:think|thinking|reasoning|tool_calls?|tool_response|function_calls|toolcall)>",
  "<\\|[a-z_]{2,40}\\|>",
  "<｜[^｜<>]{2,40}｜>",
  "</?(?:start_of_turn|end_of_turn|start_function_call|end_function_call)>",
  "\\[/?(?:INST|TOOL_CALLS|TOOL_RESULTS|AVAILABLE_TOOLS|THINK|SYSTEM_PROMPT)\\]",
  "<</?SYS>>",
  "<function=[\\w.-]{1,64}>",
].join("|");

const LEAK = new RegExp(MARKUP);

/** Whether an answer contains markup that the server should have removed. */
export function hasChannelLeak(text: string): boolean {
  return (text.includes("<") || text.includes("[")) && LEAK.test(text);
}
