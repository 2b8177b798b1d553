/**
 * A prefix cache of blocks as inference servers have one: it holds a number of blocks, and gives up
 * those that were used longest ago, of one prompt the last blocks first.
 */
export class PrefixCache {
  readonly #capacity: number;
  /** Blocks, the one that was used longest ago first. */
  readonly #blocks = new Set<number>();

  /** @param capacity number of blocks */
  constructor(capacity: number) {
    this.#capacity = capacity;
  }

  /**
   * Serves a prompt.
   * @param hashIds its blocks
   * @returns how many of its first blocks were there
   */
  serve(hashIds: readonly number[]): number {
    const blocks = this.#blocks;
    let hits = 0;
    while (hits < hashIds.length && blocks.has(hashIds[hits] as number)) hits++;
    // The last block is to be given up first, so it counts as used first.
    for (let i = hashIds.length - 1; i >= 0; i--) {
      const id = hashIds[i] as number;
      blocks.delete(id);
      blocks.add(id);
    }
    for (const id of blocks) {
      if (blocks.size <= this.#capacity) break;
      blocks.delete(id);
    }
    return hits;
  }
}
