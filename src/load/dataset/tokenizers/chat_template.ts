import { Template } from "npm:@huggingface/jinja@0.5.11";
import { DatasetError } from "../../../core/files/dataset_error.ts";
import type { TokenizerFiles } from "./file_tokenizer.ts";
import type { Tokenizer } from "./tokenizer.ts";

/** A message as templates take it: its role, its content, tool calls. */
export type TemplateMessage = Readonly<Record<string, unknown>>;

/** Inputs of a template apart from the messages. */
export interface TemplateExtras {
  /** Definitions of tools; absent for none. */
  readonly tools?: readonly unknown[] | undefined;
  /** `chat_template_kwargs` of the request: variables of the template. */
  readonly variables?: Readonly<Record<string, unknown>> | undefined;
}

/** Tokens that a template puts around the texts of messages. */
export interface TemplateOverhead {
  /** Around the messages of a first request: those of these roles, and what ends the prompt. */
  readonly first: number;
  /** Tokens of these around a prompt that is the only message. */
  readonly single: number;
  /** Around a message of the user that follows a reply. */
  readonly later: number;
  /** Around a reply in the history. */
  readonly reply: number;
}

const SAMPLE = "The quick brown fox";

/**
 * Chat template of a tokenizer: how a server of that model turns messages into one text.
 *
 * Templates are Jinja; they are in `chat_template.jinja` next to the tokenizer, or in
 * `tokenizer_config.json`. The latter may contain several named templates; `default` is used.
 */
export class ChatTemplate {
  readonly #template: Template;
  readonly #files: TokenizerFiles;
  readonly #tokens: Readonly<Record<string, string>>;

  /** Whether it renders definitions of tools. */
  readonly rendersTools: boolean;
  /** Whether it reads contents that are lists of parts; other templates take only texts. */
  readonly readsParts: boolean;

  /** @throws {DatasetError} if there is no template, or it cannot be read */
  constructor(files: TokenizerFiles) {
    this.#files = files;
    const config = JSON.parse(files.config) as Record<string, unknown>;
    const source = files.chatTemplate ?? templateOf(config["chat_template"]);
    if (source === undefined) this.#fail("The tokenizer has no chat template");
    this.rendersTools = /\btools\b/.test(source as string);
    // Templates read parts in a loop over the content.
    this.readsParts = /\bin\s+\w+(?:\.content|\[['"]content['"]\])/.test(source as string);
    try {
      this.#template = new Template(source as string);
    } catch (error) {
      this.#fail(`Chat template cannot be read: ${(error as Error).message}`);
    }
    this.#tokens = Object.fromEntries(
      ["bos_token", "eos_token", "unk_token", "pad_token"].map((name) => [
        name,
        textOf(config[name]),
      ]),
    );
  }

  /** Whether a tokenizer has a template. */
  static isIn(files: TokenizerFiles): boolean {
    if (files.chatTemplate !== undefined) return true;
    return templateOf((JSON.parse(files.config) as Record<string, unknown>)["chat_template"]) !==
      undefined;
  }

  /**
   * The text of messages, with what makes the model answer.
   * @throws {DatasetError} if the template refuses them
   */
  render(messages: readonly TemplateMessage[], { tools, variables }: TemplateExtras = {}): string {
    try {
      return this.#template.render({
        ...this.#tokens,
        ...variables,
        "messages": messages,
        ...(tools === undefined ? {} : { "tools": tools }),
        "add_generation_prompt": true,
      });
    } catch (error) {
      return this.#fail(`Chat template cannot be applied: ${(error as Error).message}`);
    }
  }

  /**
   * Returns the tokens that the template adds, measured with sample texts.
   * @param roles of the messages of a first request
   */
  overhead(tokenizer: Tokenizer, roles: readonly string[]): TemplateOverhead {
    const sample = tokenizer.count(SAMPLE);
    const around = (names: readonly string[]): number => {
      const messages = names.map((role) => ({ role, content: SAMPLE }));
      return tokenizer.count(this.render(messages)) - names.length * sample;
    };
    const single = around(["user"]);
    const pair = around(["user", "assistant", "user"]) - single;
    const later = Math.ceil(pair / 2);
    return { first: around(roles), single, later, reply: pair - later };
  }

  #fail(message: string): never {
    throw new DatasetError(this.#files.name, undefined, message);
  }
}

function templateOf(value: unknown): string | undefined {
  if (typeof value === "string") return value;
  if (!Array.isArray(value)) return undefined;
  const named = value as readonly { readonly name?: unknown; readonly template?: unknown }[];
  const { template } = named.find(({ name }) => name === "default") ?? named[0] ?? {};
  return typeof template === "string" ? template : undefined;
}

/** A special token: its text, or an object that has it. */
function textOf(token: unknown): string {
  if (typeof token === "string") return token;
  const { content } = (token ?? {}) as { content?: unknown };
  return typeof content === "string" ? content : "";
}
