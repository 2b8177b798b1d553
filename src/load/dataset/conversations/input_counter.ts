import {
  BODY_PARTS,
  type BodyPiece,
  hasAgentPieces,
} from "../../../client/endpoint/protocol/body_pieces.ts";
import type { BodyFields } from "../../../client/endpoint/protocol/body_format.ts";
import { messagesOf } from "../../../client/endpoint/protocol/conversation_format.ts";
import type { EndpointType } from "../../../client/endpoint/protocol/endpoint_type.ts";
import { isFields } from "../../../client/endpoint/protocol/json_fields.ts";
import type { TemplateOverhead } from "../tokenizers/chat_template.ts";
import type { Tokenizer } from "../tokenizers/tokenizer.ts";
import type { InputTemplate } from "./input_template.ts";
import { JoinedCount } from "./joined_count.ts";
import { templateMessages } from "./template_messages.ts";

/** Input tokens of a body. */
export interface InputCount {
  /** Tokens of the whole; of what comes after others, without definitions of tools. */
  readonly tokens: number;
  /**
   * Tokens of the texts of each of {@linkcode BODY_PARTS}; undefined for bodies without tools, calls of
   * them, results and reasoning. What is between the texts is in no part.
   */
  readonly parts: readonly number[] | undefined;
}

/** Two messages after which a message of a history is rendered. */
const BEFORE = [{ "role": "user", "content": "The" }, { "role": "assistant", "content": "quick" }];

/**
 * Counts the input tokens of ready bodies: of their texts joined by spaces (the rule `joined-text`), or
 * of what the chat template makes of messages and tools.
 */
export class InputCounter {
  readonly #type: EndpointType;
  readonly #tokenizer: Tokenizer;
  readonly #applied: InputTemplate | undefined;
  readonly #counts: JoinedCount;
  #overhead: TemplateOverhead | undefined;
  #jointTokens: number | undefined;
  /** Whether a body of the conversation had more than texts of users. */
  #isAgent = false;

  constructor(type: EndpointType, tokenizer: Tokenizer, applied: InputTemplate | undefined) {
    this.#type = type;
    this.#tokenizer = tokenizer;
    this.#counts = new JoinedCount(tokenizer);
    this.#applied = applied;
    if (applied?.isForAll) this.#overhead = this.#overheadOf(applied);
  }

  /** Whether only texts are counted, but for bodies with tools. */
  get isPlain(): boolean {
    return this.#applied?.isForAll !== true;
  }

  /** Tokens around a reply in a history; undefined without a template for all bodies. */
  get replyOverhead(): number | undefined {
    return this.isPlain ? undefined : this.#overhead?.reply;
  }

  /** The bodies that come next are turns of another conversation. */
  beginConversation(): void {
    this.#isAgent = false;
  }

  /** @param follows whether its messages come after others, which are counted apart */
  count(fields: Readonly<BodyFields>, follows: boolean): InputCount {
    const pieces = this.#type.inputPieces?.(fields);
    if (pieces === undefined) {
      return { tokens: this.#joined(this.#type.inputTexts(fields)), parts: undefined };
    }
    const isAgent = hasAgentPieces(pieces);
    this.#isAgent ||= isAgent;
    const parts = this.#isAgent ? this.#partsOf(pieces) : undefined;
    const messages = messagesOf(this.#type.conversation, fields);
    const applied = this.#applied;
    const hasTools = pieces.some(({ part }) => part === "tools");
    if (applied === undefined || messages === undefined || !(applied.isForAll || hasTools)) {
      return { tokens: this.#joinedTokens(pieces, follows), parts };
    }
    const tokens = follows
      ? this.#laterTokens(messages, pieces, applied)
      : this.#renderedTokens(fields, messages, pieces, applied);
    return { tokens, parts };
  }

  #joinedTokens(pieces: readonly BodyPiece[], follows: boolean): number {
    if (!follows) return this.#joined(pieces.map(({ text }) => text));
    // Another space is before the reply, which is counted without.
    const joints = this.#isAgent ? 2 * this.#joint : 0;
    return this.#joined(messageTexts(pieces)) + joints;
  }

  #renderedTokens(
    fields: Readonly<BodyFields>,
    messages: readonly unknown[],
    pieces: readonly BodyPiece[],
    { template }: InputTemplate,
  ): number {
    const { tools, chat_template_kwargs: variables } = fields;
    const text = template.render(templateMessages(messages, template), {
      tools: Array.isArray(tools) && tools.length > 0 ? tools : undefined,
      variables: isFields(variables) ? variables : undefined,
    });
    return this.#tokenizer.count(text) +
      (template.rendersTools ? 0 : this.#joined(toolTexts(pieces)));
  }

  /** Tokens of messages that follow a history and its last reply. */
  #laterTokens(
    messages: readonly unknown[],
    pieces: readonly BodyPiece[],
    applied: InputTemplate,
  ): number {
    const { template, isForAll } = applied;
    const overhead = this.#overhead ??= this.#overheadOf(applied);
    // With a template for all bodies, the table adds what is around each reply.
    const reply = isForAll ? 0 : overhead.reply;
    const ready = templateMessages(messages, template);
    if (!this.#isAgent) {
      return reply + ready.reduce(
        (sum, { content }) => sum + this.#tokenizer.count(String(content ?? "")) + overhead.later,
        0,
      );
    }
    const count = (more: typeof ready): number =>
      this.#tokenizer.count(template.render([...BEFORE, ...more]));
    try {
      const user = [{ "role": "user", "content": "The" }];
      const around = count(user) - count([]) - this.#tokenizer.count("The");
      return reply + count(ready) - count([]) + (overhead.later - around);
    } catch {
      // Templates may refuse such an order of roles.
      return reply + this.#joined(messageTexts(pieces)) + ready.length * overhead.later;
    }
  }

  #partsOf(pieces: readonly BodyPiece[]): number[] {
    const parts = BODY_PARTS.map(() => 0);
    for (const { part, text } of pieces) {
      const at = BODY_PARTS.indexOf(part);
      parts[at] = (parts[at] as number) + this.#counts.of(text);
    }
    return parts;
  }

  #joined(texts: readonly string[]): number {
    return this.#counts.ofJoined(texts);
  }

  /** Tokens that the space between two texts adds. */
  get #joint(): number {
    const count = (text: string): number => this.#tokenizer.count(text);
    return this.#jointTokens ??= count("fox the") - count("fox") - count("the");
  }

  #overheadOf({ template }: InputTemplate): TemplateOverhead {
    return template.overhead(this.#tokenizer, ["user"]);
  }
}

function messageTexts(pieces: readonly BodyPiece[]): string[] {
  return pieces.flatMap(({ part, text }) => part === "tools" ? [] : [text]);
}

function toolTexts(pieces: readonly BodyPiece[]): string[] {
  return pieces.flatMap(({ part, text }) => part === "tools" ? [text] : []);
}
