/** Garbage that is always left alone: to clean up costs time, too. */
const SPARE_BYTES = 6_000_000;
/** Largest growth of a heap, times its use after the last cleaning. */
const GROWTH = 1.25;

type Collect = () => void;

/**
 * Has a thread's heap cleaned before much garbage has gathered. By default the engine waits until a
 * heap is several times its live size, which suits threads with little time. Threads that handle
 * large scrapes have time, and must not take memory that a server needs.
 *
 * Does nothing unless the engine was started with `--expose-gc`.
 */
export class HeapTrimmer {
  readonly #collect = (globalThis as { gc?: Collect }).gc;
  readonly #maxBytes: number;
  // A thread that has just begun has little garbage.
  #limit = limitOver(usedBytes());

  /**
   * @param maxBytes a heap with more in it is left to the engine, which cleans up in passing: at one
   * go it would hold the thread up for a tenth of a second
   */
  constructor(maxBytes = Infinity) {
    this.#maxBytes = maxBytes;
  }

  /** To be called now and then, where little is in use. */
  check(): void {
    if (this.#collect === undefined) return;
    const used = usedBytes();
    if (used < this.#limit || used > this.#maxBytes) return;
    this.#collect();
    this.#limit = limitOver(usedBytes());
  }
}

/** The use at which a heap is cleaned again. */
function limitOver(used: number): number {
  return GROWTH * used + SPARE_BYTES;
}

function usedBytes(): number {
  return Deno.memoryUsage().heapUsed;
}
