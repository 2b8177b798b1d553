import { messagesOf } from "../../../client/endpoint/protocol/conversation_format.ts";
import type { BodyFields } from "../../../client/endpoint/protocol/body_format.ts";
import type { EndpointType } from "../../../client/endpoint/protocol/endpoint_type.ts";
import type {
  ChatTemplate,
  TemplateMessage,
  TemplateOverhead,
} from "../tokenizers/chat_template.ts";
import type { Tokenizer } from "../tokenizers/tokenizer.ts";

/** Counts the input tokens of ready bodies: of their texts, or with a chat template around them. */
export class InputCounter {
  readonly #type: EndpointType;
  readonly #tokenizer: Tokenizer;
  readonly #template: ChatTemplate | undefined;
  readonly #overhead: TemplateOverhead | undefined;

  constructor(type: EndpointType, tokenizer: Tokenizer, template: ChatTemplate | undefined) {
    this.#type = type;
    this.#tokenizer = tokenizer;
    this.#template = template;
    this.#overhead = template?.overhead(tokenizer, ["user"]);
  }

  /** Whether only texts are counted. */
  get isPlain(): boolean {
    return this.#template === undefined;
  }

  /** Tokens around a reply in a history; undefined without a template. */
  get replyOverhead(): number | undefined {
    return this.#overhead?.reply;
  }

  /** @param follows whether its messages come after others, which are counted apart */
  count(fields: Readonly<BodyFields>, follows: boolean): number {
    const template = this.#template;
    const messages = messagesOf(this.#type.conversation, fields);
    if (template === undefined || messages === undefined) {
      return this.#tokenizer.count(this.#type.inputTexts(fields).join(" "));
    }
    if (!follows) return this.#tokenizer.count(template.render(messages.map(plainMessage)));
    return messages.reduce<number>(
      (sum, message) =>
        sum + this.#tokenizer.count(plainMessage(message).content) + (this.#overhead?.later ?? 0),
      0,
    );
  }
}

/** A message whose content is one text, as every template takes it. */
function plainMessage(message: unknown): TemplateMessage {
  const { role, content, ...others } = (message ?? {}) as Record<string, unknown>;
  const parts = Array.isArray(content) ? content : [];
  return {
    ...others,
    role: String(role),
    content: typeof content === "string"
      ? content
      : parts.map((part) => (part as { text?: unknown } | null)?.text ?? "").join(""),
  };
}
