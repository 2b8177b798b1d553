/** Most numbers that are kept: of each block, when each replica had it first. */
const MAX_NUMBERS = 20_000_000;

/** Blocks of a prompt that a replica had not. */
export interface MissingBlocks {
  /** Blocks that it was still computing; NaN if the replica is not known. */
  readonly computing: number;
  /** Blocks that only others have computed; NaN if the replica is not known. */
  readonly elsewhere: number;
}

/** Blocks that each replica of a deployment has computed, as if its cache were infinite. */
export class ReplicaBlocks {
  readonly #blocks: number;
  /** When each replica had each block first; NaN for never. */
  readonly #ready = new Map<number, Float64Array>();
  #isKnown = true;

  /** @param blocks number of all blocks */
  constructor(blocks: number) {
    this.#blocks = blocks;
  }

  /**
   * Finds what the replica of a request had not when it was sent.
   * @param blocks of its prompt, of which some replica had the first `ideal`
   */
  missing(
    { startNs, worker }: { readonly startNs: number; readonly worker: number },
    blocks: Int32Array,
    ideal: number,
  ): MissingBlocks {
    if (!this.#isKnown || Number.isNaN(worker)) return { computing: NaN, elsewhere: NaN };
    const ready = this.#ready.get(worker);
    if (ready === undefined) return { computing: 0, elsewhere: ideal };
    let own = 0;
    while (own < ideal && !Number.isNaN(ready[blocks[own] as number] as number)) own++;
    let computed = 0;
    while (computed < own && (ready[blocks[computed] as number] as number) <= startNs) computed++;
    return { computing: own - computed, elsewhere: ideal - own };
  }

  /** Adds blocks that a replica computes. */
  fill(worker: number, blocks: Int32Array, readyNs: number): void {
    this.#isKnown &&= !Number.isNaN(worker) &&
      (this.#ready.size + 1) * this.#blocks <= MAX_NUMBERS;
    if (!this.#isKnown) return;
    const ready = this.#ready.get(worker) ?? new Float64Array(this.#blocks).fill(NaN);
    this.#ready.set(worker, ready);
    fillBlocks(ready, blocks, readyNs);
  }
}

/** Notes when blocks are first computed. */
export function fillBlocks(ready: Float64Array, blocks: Int32Array, readyNs: number): void {
  for (const block of blocks) {
    const before = ready[block] as number;
    if (!(before <= readyNs)) ready[block] = readyNs;
  }
}
