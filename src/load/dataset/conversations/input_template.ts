import type { ChatTemplate } from "../tokenizers/chat_template.ts";

/** A chat template with which input tokens are counted. */
export interface InputTemplate {
  readonly template: ChatTemplate;
  /** Whether all bodies are counted with it, or only those that define tools. */
  readonly isForAll: boolean;
}
