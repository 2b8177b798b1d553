import { collectGarbage } from "./collect_garbage.ts";

/**
 * Maximum of unused shared memory in bytes. With 80 MB a trace of a gigabyte peaks at 459 MB, with
 * 128 MB at 563 MB; collecting after every fourth scrape delayed the reads of first tokens.
 */
const MAX_BYTES = 80 * 1024 * 1024;

/**
 * Has a thread's heap cleaned when it has let go of much shared memory. The engine does not count
 * that: megabytes are a small object to it, and stay until it has another reason to clean up.
 */
export class SharedGarbage {
  #bytes = 0;

  /** Records that this thread no longer needs `bytes` bytes; often none. */
  add(bytes: number): void {
    this.#bytes += bytes;
    if (this.#bytes < MAX_BYTES) return;
    this.#bytes = 0;
    collectGarbage();
  }
}
