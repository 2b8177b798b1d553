import { collectGarbage } from "./collect_garbage.ts";

/**
 * Shared memory that may lie about unused. With 80 MB a trace of a gigabyte has its peak at 459 MB,
 * with 128 MB at 563; cleaning up after every fourth page let first tokens be read late.
 */
const MAX_BYTES = 80 * 1024 * 1024;

/**
 * Has a thread's heap cleaned when it has let go of much shared memory. The engine does not count
 * that: megabytes are a small object to it, and stay until it has another reason to clean up.
 */
export class SharedGarbage {
  #bytes = 0;

  /** Notes that this thread needs so many bytes no more; often none. */
  add(bytes: number): void {
    this.#bytes += bytes;
    if (this.#bytes < MAX_BYTES) return;
    this.#bytes = 0;
    collectGarbage();
  }
}
