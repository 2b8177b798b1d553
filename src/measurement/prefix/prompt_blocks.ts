/**
 * Blocks of tokens of prompts: those that a prefix cache can share have the same number. A block
 * belongs to the first place of the trie at or after its end: all prompts through that place have it.
 */

import { PART_END, type PartCount } from "./prompt_tokens.ts";
import { type PromptTrie, ROOT } from "./prompt_trie.ts";

/** Characters of shared texts that are counted; tokens of others are estimated from these. */
const MAX_COUNTED_CHARACTERS = 8_000_000;

/** A prompt, and the place at its end. */
export interface PlacedPrompt {
  readonly node: number;
  readonly tokens: number;
}

/** See the module's comment. */
export class PromptBlocks {
  readonly #trie: PromptTrie;
  readonly #blockSize: number;
  /** Tokens up to each place, and up to the last whole word before it. */
  readonly #depths: Float64Array;
  readonly #cuts: Int32Array;
  /** Tokens of the longest prompt that ends at each place; 0 for none. */
  readonly #ends: Float64Array;
  /** Number of the block 0 of each place, were all its blocks its own. */
  readonly #offsets: Int32Array;
  /** Number of all blocks. */
  readonly length: number;

  /** @param prompts all that were added to the trie */
  constructor(
    trie: PromptTrie,
    prompts: readonly PlacedPrompt[],
    counter: PartCount,
    blockSize: number,
  ) {
    this.#trie = trie;
    this.#blockSize = blockSize;
    this.#depths = new Float64Array(trie.length).fill(NaN);
    this.#cuts = new Int32Array(trie.length);
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

  #findDepths(prompts: readonly PlacedPrompt[], counter: PartCount): void {
    const ends = this.#ends;
    for (const { node, tokens } of prompts) ends[node] = Math.max(ends[node] as number, tokens);
    this.#depths[ROOT] = counter.frameTokens;
    let counted = 0;
    let [characters, tokens] = [0, 0];
    for (const { node } of prompts) {
      for (const place of this.#trie.pathTo(node)) {
        if (!Number.isNaN(this.#depths[place] as number)) continue;
        const parent = this.#trie.parentOf(place);
        const before = this.#depths[parent] as number;
        const known = ends[place] as number;
        if (!this.#trie.isInner(place)) {
          this.#depths[place] = Math.max(before, known);
          continue;
        }
        const start = this.#cuts[parent] as number;
        const end = this.#cutOf(place, start);
        this.#cuts[place] = end;
        const text = this.#trie.textOf(place).slice(start, end);
        // A prompt that others continue: its count is known.
        const isWhole = end === this.#trie.endOf(place);
        let added = known > 0 && isWhole ? known - counter.endTokens - before : NaN;
        if (Number.isNaN(added)) {
          added = counted < MAX_COUNTED_CHARACTERS
            ? tokensOf(text, counter)
            : text.length * tokens / Math.max(1, characters);
          counted += text.length;
        }
        characters += text.length;
        tokens += Math.max(0, added);
        this.#depths[place] = Math.max(before, before + added);
      }
    }
  }

  /** The end of the last whole word up to a place. */
  #cutOf(place: number, start: number): number {
    const text = this.#trie.textOf(place);
    let end = this.#trie.endOf(place);
    const codes = [...this.#trie.nextCodes(place)];
    if (isBoundary(text.charCodeAt(end - 1)) || codes.every(isBoundary)) return end;
    while (end > start && !isBoundary(text.charCodeAt(end - 1))) end--;
    return end;
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

function tokensOf(text: string, { count, endTokens, frameTokens }: PartCount): number {
  const parts = text.split(PART_END);
  const frames = (parts.length - 1) * (frameTokens + endTokens);
  return parts.reduce((sum, part) => sum + (part === "" ? 0 : count(part)), frames);
}

function isBoundary(code: number): boolean {
  return code === 32 || (code >= 9 && code <= 13) || code === PART_END.charCodeAt(0);
}
