/**
 * Prefix cache in blocks of tokens, as inference servers have it: blocks of a prompt are found from its
 * beginning up to the first that is missing, and the blocks used longest ago make room for new ones.
 */
export class BlockCache {
  readonly #blockSize: number;
  readonly #maxBlocks: number;
  /** Keys of the cached blocks, the one used longest ago first. */
  readonly #blocks = new Set<string>();

  /**
   * @param blockSize tokens of a block
   * @param maxBlocks blocks that the cache holds
   */
  constructor(blockSize: number, maxBlocks: number) {
    this.#blockSize = blockSize;
    this.#maxBlocks = maxBlocks;
  }

  /**
   * Looks up a prompt, and keeps the blocks of it and its reply.
   * @param model whose blocks they are: models share none
   * @returns the number of prompt tokens that were cached; the last token is always computed
   */
  take(model: string, prompt: readonly number[], reply: readonly number[]): number {
    const size = this.#blockSize;
    const tokens = [...prompt, ...reply];
    const reusable = Math.floor((prompt.length - 1) / size);
    let key = model;
    let hits = 0;
    for (let block = 0; (block + 1) * size <= tokens.length; block++) {
      key = blockKey(key, tokens, block * size, size);
      const isKnown = this.#blocks.delete(key);
      if (isKnown && hits === block && block < reusable) hits++;
      this.#blocks.add(key);
    }
    for (const oldest of this.#blocks) {
      if (this.#blocks.size <= this.#maxBlocks) break;
      this.#blocks.delete(oldest);
    }
    return hits * size;
  }

  /** Forgets everything. */
  clear(): void {
    this.#blocks.clear();
  }
}

/** Hash of a block and of those before it, by two of 32 bits (cyrb53's). */
function blockKey(before: string, tokens: readonly number[], start: number, size: number): string {
  let [first, second] = [0xdeadbeef, 0x41c6ce57];
  const add = (value: number): void => {
    first = Math.imul(first ^ value, 2654435761);
    second = Math.imul(second ^ value, 1597334677);
    first ^= first >>> 15;
    second ^= second >>> 13;
  };
  for (let i = 0; i < before.length; i++) add(before.charCodeAt(i));
  for (let i = start; i < start + size; i++) add(tokens[i] as number);
  return `${(first >>> 0).toString(36)}.${(second >>> 0).toString(36)}`;
}
