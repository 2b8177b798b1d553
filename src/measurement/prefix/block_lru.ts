const NONE = -1;

/**
 * A cache of a number of blocks that drops the least recently used ones. The blocks of a prompt are
 * kept while it is added; of those, the last ones are dropped first, as a prompt without its
 * beginning is of no use.
 */
export class BlockLru {
  readonly #capacity: number;
  readonly #before: Int32Array;
  readonly #after: Int32Array;
  /** 0 for blocks that are not in the cache, 1 for those that can be dropped, 2 for those held. */
  readonly #states: Uint8Array;
  #oldest = NONE;
  #newest = NONE;
  #size = 0;

  /**
   * @param capacity blocks that fit
   * @param blocks number of all blocks there are
   */
  constructor(capacity: number, blocks: number) {
    this.#capacity = capacity;
    this.#before = new Int32Array(blocks).fill(NONE);
    this.#after = new Int32Array(blocks).fill(NONE);
    this.#states = new Uint8Array(blocks);
  }

  /** Whether a block is in the cache. */
  has(block: number): boolean {
    return this.#states[block] !== 0;
  }

  /** Uses all blocks of a prompt. */
  add(blocks: Int32Array): void {
    for (const block of blocks) {
      if (this.has(block)) this.#unlink(block);
      else if (!this.#makeRoom()) continue;
      else this.#size++;
      this.#states[block] = 2;
    }
    for (let at = blocks.length - 1; at >= 0; at--) {
      const block = blocks[at] as number;
      if (this.#states[block] !== 2) continue;
      this.#states[block] = 1;
      this.#append(block);
    }
  }

  /** Drops a block if the cache is full; returns false if all blocks are held. */
  #makeRoom(): boolean {
    if (this.#size < this.#capacity) return true;
    const oldest = this.#oldest;
    if (oldest === NONE) return false;
    this.#unlink(oldest);
    this.#states[oldest] = 0;
    this.#size--;
    return true;
  }

  #append(block: number): void {
    this.#before[block] = this.#newest;
    this.#after[block] = NONE;
    if (this.#newest === NONE) this.#oldest = block;
    else this.#after[this.#newest] = block;
    this.#newest = block;
  }

  #unlink(block: number): void {
    if (this.#states[block] !== 1) return;
    const [before, after] = [this.#before[block] as number, this.#after[block] as number];
    if (before === NONE) this.#oldest = after;
    else this.#after[before] = after;
    if (after === NONE) this.#newest = before;
    else this.#before[after] = before;
  }
}
