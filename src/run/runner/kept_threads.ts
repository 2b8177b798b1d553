/**
 * Threads that one run of a command after another uses: to start a thread, to read its code and to
 * compile it takes longer than some runs do. A thread goes on as what it was born for, with the same
 * code and the same permissions.
 */

import type { ThreadPermissions } from "../../config/sandbox/permissions.ts";
import { startThread, type Thread, type ThreadStarter } from "../../config/sandbox/start_thread.ts";

/** See the module's comment. */
export class KeptThreads {
  readonly #start: ThreadStarter;
  /** What each thread was started with. */
  readonly #kinds = new Map<Thread, string>();
  /** Those that no run uses now. */
  readonly #idle = new Set<Thread>();

  /** @param start starts threads where there is none to go on; for tests */
  constructor(start: ThreadStarter = startThread) {
    this.#start = start;
  }

  /**
   * Gives a thread that has nothing to do, or starts one.
   * @throws as {@linkcode startThread} does
   */
  readonly take: ThreadStarter = (url, permissions, onDeath) => {
    const kind = kindOf(url, permissions);
    for (const thread of this.#idle) {
      if (this.#kinds.get(thread) !== kind) continue;
      this.#idle.delete(thread);
      thread.onDeath = onDeath;
      return thread;
    }
    const thread = this.#start(url, permissions, onDeath);
    this.#kinds.set(thread, kind);
    return thread;
  };

  /** Takes a thread back that has done all that it was asked to; nobody hears of it any more. */
  keep(thread: Thread): void {
    this.#idle.add(thread);
    thread.onDeath = () => this.#idle.delete(thread);
  }

  /** Ends those that no run uses. */
  close(): void {
    for (const { worker } of this.#idle) worker.terminate();
    this.#idle.clear();
  }
}

function kindOf(url: URL, permissions: ThreadPermissions): string {
  return JSON.stringify([url.href, permissions]);
}
