import { messagePieces, toolPieces } from "../../client/endpoint/protocol/body_pieces.ts";
import type { TokenCoder } from "../dataset/tokenizers/tokenizer.ts";
import type { PromptPart, TextPrompt } from "./model/agent_session.ts";

/** Tokens of unknown texts have larger numbers than those of a vocabulary. */
const FIRST_UNKNOWN = 2 ** 32;
/** Numbers kept for the tokens of one unknown text. */
const UNKNOWN_TOKENS = 2 ** 22;
/** Texts at whose ends a tokenizer shows whether texts can be encoded one by one. */
const SAMPLES = ["word", "End.", "12", '{"k":"v"}', "(x", "né", "Über", "一二"];
/** Texts that are remembered, in characters. */
const REMEMBERED = 32 * 1024 * 1024;

/**
 * Encodes prompts by the rule `joined-text`: the texts of tools and messages joined by one space.
 * Texts that prompts share are encoded once, as far as the tokenizer divides them from their
 * neighbours anyway.
 */
export class PromptEncoder {
  readonly #coder: TokenCoder;
  readonly #isDivided: boolean;
  readonly #known = new Map<string, readonly number[]>();
  #knownLength = 0;
  readonly #unknown = new Map<string, number>();

  constructor(coder: TokenCoder) {
    this.#coder = coder;
    this.#isDivided = SAMPLES.every((a) =>
      SAMPLES.every((b) => {
        const parts = [...coder.encode(a), ...coder.encode(` ${b}`)];
        const whole = coder.encode(`${a} ${b}`);
        return parts.length === whole.length && parts.every((id, place) => id === whole[place]);
      })
    );
  }

  /**
   * Returns the tokens of a prompt, followed by the parts of a reply if there are any. A space is
   * between both even if the prompt has no text.
   */
  encode(
    { tools, parts, isJoined }: Pick<TextPrompt, "tools" | "parts" | "isJoined">,
    reply: readonly PromptPart[] = [],
  ): number[] {
    const ids: number[] = [];
    let text = "";
    const finish = (): void => {
      if (text !== "") { for (const id of this.#ids(text)) ids.push(id); }
      text = "";
    };
    let isReply = false;
    const hasBefore = (): boolean => isReply || ids.length > 0 || text !== "";
    const add = (next: string): void => {
      const joint = isJoined && hasBefore() ? " " : "";
      if (text !== "" && this.#isDivided && isWord(text.at(-1)) && isWord(next[0])) finish();
      text += joint + next;
    };
    for (const { text } of toolPieces(tools)) add(text);
    const addPart = (part: PromptPart): void => {
      if (part.kind === "message") {
        for (const { text } of messagePieces(part.message)) add(text);
      } else if (part.to > part.from) {
        if (isJoined && hasBefore()) text += " ";
        finish();
        const first = this.#firstOf(part.key);
        for (let place = part.from; place < part.to; place++) ids.push(first + place);
      }
    };
    for (const part of parts) addPart(part);
    isReply = true;
    for (const part of reply) addPart(part);
    finish();
    return ids;
  }

  #ids(text: string): readonly number[] {
    const known = this.#known.get(text);
    if (known !== undefined) return known;
    const ids = this.#coder.encode(text);
    this.#knownLength += text.length;
    if (this.#knownLength > REMEMBERED) {
      this.#known.clear();
      this.#knownLength = text.length;
    }
    this.#known.set(text, ids);
    return ids;
  }

  #firstOf(key: string): number {
    const known = this.#unknown.get(key);
    if (known !== undefined) return known;
    const first = FIRST_UNKNOWN + this.#unknown.size * UNKNOWN_TOKENS;
    this.#unknown.set(key, first);
    return first;
  }
}

function isWord(character: string | undefined): boolean {
  return character !== undefined && /\S/.test(character);
}
