/** Most numbers that are kept: of each block, when each replica had it first. */
const MAX_NUMBERS = 20_000_000;

/** A request of which caches could have had some blocks. */
interface ReplicaRequest {
  /** Number of the replica that served it; NaN if that is not known. */
  readonly worker: number;
  readonly startNs: number;
}

/** Sums in blocks. */
export interface ReplicaSums {
  /** Blocks that the same replica was still computing, and those of them that were missed. */
  readonly concurrent: number;
  readonly missedConcurrent: number;
  /** Blocks that only other replicas have computed, and those of them that were missed. */
  readonly elsewhere: number;
  readonly missedElsewhere: number;
}

/** Finds which of the ideal hits are in caches of other replicas, were each of them infinite. */
export class ReplicaHits {
  readonly #blocks: number;
  /** When each replica had each block first; NaN for never. */
  readonly #ready = new Map<number, Float64Array>();
  #isKnown = true;
  readonly #sums = { concurrent: 0, missedConcurrent: 0, elsewhere: 0, missedElsewhere: 0 };

  /** @param blocks number of all blocks */
  constructor(blocks: number) {
    this.#blocks = blocks;
  }

  /** undefined if the replica of a request is not known, or there is only one. */
  get sums(): ReplicaSums | undefined {
    return this.#isKnown && this.#ready.size > 1 ? this.#sums : undefined;
  }

  /**
   * Adds a request before its blocks are computed.
   * @param blocks of its prompt, of which some caches could have had the first `ideal`
   * @param missed those of them that the server did not have; NaN if that is not known
   */
  add(
    { startNs, worker }: ReplicaRequest,
    blocks: Int32Array,
    ideal: number,
    missed: number,
  ): void {
    if (!this.#isKnown) return;
    const ready = this.#of(worker);
    let own = 0;
    while (own < ideal && !Number.isNaN(ready[blocks[own] as number] as number)) own++;
    let computed = 0;
    while (computed < own && (ready[blocks[computed] as number] as number) <= startNs) computed++;
    const [concurrent, elsewhere] = [own - computed, ideal - own];
    this.#sums.concurrent += concurrent;
    this.#sums.elsewhere += elsewhere;
    this.#sums.missedConcurrent += Math.min(missed, concurrent);
    this.#sums.missedElsewhere += Math.min(Math.max(0, missed - concurrent), elsewhere);
  }

  /** Adds blocks that a replica computes. */
  fill(worker: number, blocks: Int32Array, readyNs: number): void {
    this.#isKnown &&= !Number.isNaN(worker) &&
      (this.#ready.size + 1) * this.#blocks <= MAX_NUMBERS;
    if (this.#isKnown) fillBlocks(this.#of(worker), blocks, readyNs);
  }

  #of(worker: number): Float64Array {
    const known = this.#ready.get(worker);
    if (known !== undefined) return known;
    const none = new Float64Array(this.#blocks).fill(NaN);
    this.#ready.set(worker, none);
    return none;
  }
}

/** Notes when blocks are first computed. */
export function fillBlocks(ready: Float64Array, blocks: Int32Array, readyNs: number): void {
  for (const block of blocks) {
    const before = ready[block] as number;
    if (!(before <= readyNs)) ready[block] = readyNs;
  }
}
