/**
 * Blocks of tokens of prompts: those that a prefix cache can share have the same number. A block
 * belongs to the first place of the trie at or after its end: all prompts through that place have it.
 */

import { countEnds, WORD_UNITS } from "./prompt_code.ts";
import type { PartCount } from "./prompt_tokens.ts";
import { type PromptTrie, ROOT } from "./prompt_trie.ts";

/** A prompt, and the place at its end. */
export interface PlacedPrompt {
  readonly node: number;
  readonly tokens: number;
}

/** See the module's comment. */
export class PromptBlocks {
  readonly #trie: PromptTrie;
  readonly #blockSize: number;
  /** Tokens up to the last whole word before each place. */
  readonly #depths: Float64Array;
  /** Tokens of the longest prompt that ends at each place; 0 for none. */
  readonly #ends: Float64Array;
  /** Number of the block 0 of each place, were all its blocks its own. */
  readonly #offsets: Int32Array;
  /** Number of all blocks. */
  readonly length: number;

  /** @param prompts returns all that were added to the trie */
  constructor(
    trie: PromptTrie,
    prompts: () => Iterable<PlacedPrompt>,
    counter: PartCount,
    blockSize: number,
  ) {
    this.#trie = trie;
    this.#blockSize = blockSize;
    this.#depths = new Float64Array(trie.length).fill(NaN);
    this.#ends = new Float64Array(trie.length);
    this.#offsets = new Int32Array(trie.length);
    this.#findDepths(prompts, counter);
    this.length = this.#numberBlocks();
  }

  /** The numbers of the full blocks of a prompt. */
  of({ node, tokens }: PlacedPrompt): Int32Array {
    const blocks = new Int32Array(Math.floor(tokens / this.#blockSize));
    const path = this.#trie.pathTo(node);
    let at = 0;
    for (let block = 0; block < blocks.length; block++) {
      const end = (block + 1) * this.#blockSize;
      while (at < path.length - 1 && (this.#depths[path[at] as number] as number) < end) at++;
      blocks[block] = (this.#offsets[path[at] ?? ROOT] as number) + block;
    }
    return blocks;
  }

  #findDepths(prompts: () => Iterable<PlacedPrompt>, counter: PartCount): void {
    const ends = this.#ends;
    for (const { node, tokens } of prompts()) ends[node] = Math.max(ends[node] as number, tokens);
    this.#depths[ROOT] = counter.frameTokens;
    for (const { node } of prompts()) {
      for (const place of this.#trie.pathTo(node)) {
        if (!Number.isNaN(this.#depths[place] as number)) continue;
        const parent = this.#trie.parentOf(place);
        const before = this.#depths[parent] as number;
        const known = ends[place] as number;
        if (!this.#trie.isInner(place)) {
          this.#depths[place] = Math.max(before, known);
          continue;
        }
        const end = this.#trie.endOf(place);
        const added = known > 0 && end === wholeWords(end)
          // A prompt that others continue: its count is known.
          ? known - counter.endTokens - before
          : tokensBetween(this.#trie.textOf(place), this.#trie.endOf(parent), end, counter);
        this.#depths[place] = Math.max(before, before + added);
      }
    }
  }

  /** Gives each place room for the blocks that end after the place before it. */
  #numberBlocks(): number {
    let next = 0;
    for (let place = 0; place < this.#trie.length; place++) {
      const parent = this.#trie.parentOf(place);
      const from = parent < 0 ? 0 : this.#depths[parent] as number;
      const first = Math.floor(from / this.#blockSize);
      const end = Math.max(this.#depths[place] as number, this.#ends[place] as number);
      const last = Math.floor(end / this.#blockSize);
      this.#offsets[place] = next - first;
      next += Math.max(0, last - first) + 1;
    }
    return next;
  }
}

/** Tokens between two places of a code, of whole words, with the frames of texts that end there. */
function tokensBetween(
  code: string,
  from: number,
  to: number,
  { count, endTokens, frameTokens }: PartCount,
): number {
  const [start, end] = [wholeWords(from), wholeWords(to)];
  return count(code, start, end) + countEnds(code, start, end) * (frameTokens + endTokens);
}

function wholeWords(end: number): number {
  return end - end % WORD_UNITS;
}
