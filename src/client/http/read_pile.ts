/**
 * Size of a read in bytes after which the server may have written more that did not fit into the
 * buffers.
 */
const LARGE_READ_BYTES = 16 * 1024;
/**
 * Time in nanoseconds within which those bytes arrive: the system may take 40 ms to report free
 * space.
 */
const LARGE_SETTLED_NS = 50e6;
/** Smaller reads needed to consider the buffer empty, if event-loop iterations do not show it. */
const MIN_SMALL_READS = 16;

/**
 * Reads of a reply that arrives faster than it is read. Its bytes then wait in the system's
 * buffers, for seconds if replies are large; canaries, which arrive singly, do not show that. After
 * a read that filled its buffer, and after a large one, the next reads may bring bytes that had
 * arrived when the first of them returned.
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
   * Adds a read that has returned.
   * @param isFull whether the read filled its buffer
   * @param isTold whether event-loop iterations show that no bytes were waiting before the read
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
