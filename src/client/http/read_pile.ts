/** After a read of so many the server may have written more, for which there was no room on its way. */
const LARGE_READ_BYTES = 16 * 1024;
/** Such bytes come within this time: the system may take 40 ms to say that there is room again. */
const LARGE_SETTLED_NS = 50e6;
/** Where turns do not tell that there was nothing to read, so many smaller reads must have come since. */
const MIN_SMALL_READS = 16;

/**
 * The reads of a reply that comes faster than it is read. What the server has written lies in the
 * system's buffers then, behind what came before it, for seconds where replies are large: canaries,
 * which come alone, do not show that. After a read that had no room for more, and after a large one,
 * the next ones may bring what was there when the first of them returned.
 */
export class ReadPile {
  /** When the first of the reads returned that may each have left something, up to the last one. */
  sinceNs = NaN;
  /** Whether the last one may have: it had no room for more. */
  #isFull = false;
  #largeNs = -Infinity;
  /** Reads since the last large one. */
  #smallReads = MIN_SMALL_READS;

  /** A reply begins, before which there is nothing to read. */
  begin(): void {
    this.#isFull = false;
    this.#largeNs = -Infinity;
    this.#smallReads = MIN_SMALL_READS;
  }

  /**
   * A read has returned.
   * @param isFull whether it had no room for more
   * @param isTold whether turns of the event loop tell that there was nothing to read before it
   */
  add(stampNs: number, bytes: number, isFull: boolean, isTold: boolean): void {
    const isSettled = stampNs - this.#largeNs >= LARGE_SETTLED_NS;
    const wasEmpty = isTold || (!this.#isFull && this.#smallReads >= MIN_SMALL_READS);
    if (isSettled && wasEmpty) this.sinceNs = stampNs;
    this.#isFull = isFull;
    if (bytes >= LARGE_READ_BYTES) {
      this.#largeNs = stampNs;
      this.#smallReads = 0;
    } else {
      this.#smallReads++;
    }
  }
}
