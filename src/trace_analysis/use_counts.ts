/** Shards of a count; a single map of the runtime holds 16 million keys at most. */
const SHARDS = 64;

/** How often each block was used. */
export class UseCounts {
  readonly #shards = Array.from({ length: SHARDS }, () => new Map<number, number>());

  /** Different blocks. */
  get size(): number {
    return this.#shards.reduce((sum, { size }) => sum + size, 0);
  }

  /** Whether a block was used. */
  has(id: number): boolean {
    return this.#shardOf(id).has(id);
  }

  /** Counts a use. */
  add(id: number): void {
    const shard = this.#shardOf(id);
    shard.set(id, (shard.get(id) ?? 0) + 1);
  }

  /** Uses of each block, in no order. */
  *counts(): Generator<number> {
    for (const shard of this.#shards) yield* shard.values();
  }

  #shardOf(id: number): Map<number, number> {
    return this.#shards[id % SHARDS] as Map<number, number>;
  }
}
