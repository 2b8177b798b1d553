import type { BlockText } from "../dataset/corpus/block_text.ts";
import type { BlockId } from "./model/agent_session.ts";
import { sharedLength } from "./model/shared_length.ts";
import { textKey } from "./model/text_key.ts";

/** A prompt of blocks, and the prompt of an earlier call that it may share a beginning with. */
export interface WantedPrompt {
  readonly call: number;
  /** Name of the call within the file. */
  readonly name: string;
  readonly blocks: readonly BlockId[];
  readonly inputTokens: number;
  /** Earlier call; undefined for none. */
  readonly base: number | undefined;
}

/** Text of a prompt behind the characters that it shares with another one. */
export interface BlockPrompt {
  readonly text: string;
  /** Characters of the text of the base before it; 0 for a whole prompt. */
  readonly keptCharacters: number;
}

/** Ids of a prompt, and the characters of its text up to the end of each. */
interface KnownPrompt {
  readonly blocks: readonly BlockId[];
  readonly ends: Float64Array;
}

/** Texts of the prompts of one session that are ids of blocks: equal ids are equal texts. */
export class BlockPrompts {
  readonly #text: BlockText;
  readonly #blockSize: number;
  /** Part of the names of blocks; empty where ids mean the same in all sessions. */
  readonly #scope: string;
  readonly #prompts = new Map<number, KnownPrompt>();

  constructor(text: BlockText, blockSize: number, scope: string) {
    this.#text = text;
    this.#blockSize = blockSize;
    this.#scope = scope;
  }

  /** Returns the text of a prompt behind what it shares with its base, and keeps its lengths. */
  add({ call, name, blocks, inputTokens, base }: WantedPrompt): BlockPrompt {
    const before = base === undefined ? undefined : this.#prompts.get(base);
    const kept = before === undefined ? 0 : sharedLength(before.blocks, blocks);
    const ends = new Float64Array(blocks.length);
    if (before !== undefined) ends.set(before.ends.subarray(0, kept));
    const texts = this.#texts(
      blocks.slice(kept),
      inputTokens - blocks.length * this.#blockSize,
      name,
    );
    let end = kept === 0 ? -this.#text.leadingCharacters : ends[kept - 1] as number;
    for (let place = kept; place < blocks.length; place++) {
      end += (texts[place - kept] as string).length;
      ends[place] = end;
    }
    this.#prompts.set(call, { blocks, ends });
    return kept === 0
      ? { text: this.#text.prompt(texts), keptCharacters: 0 }
      : { text: texts.join(""), keptCharacters: ends[kept - 1] as number };
  }

  /** Returns the whole text of a prompt. */
  whole({ blocks, inputTokens, name }: WantedPrompt): string {
    const rest = inputTokens - blocks.length * this.#blockSize;
    return this.#text.prompt(this.#texts(blocks, rest, name));
  }

  /** Texts of blocks, and of the tokens behind the last whole block, which no other prompt has. */
  #texts(blocks: readonly BlockId[], rest: number, name: string): string[] {
    const texts = blocks.map((block) =>
      this.#text.text(textKey(`${this.#scope}${block}`), this.#blockSize)
    );
    if (rest > 0) texts.push(this.#text.text(textKey(name), rest, "rest"));
    return texts;
  }
}
