import { startThread, type Thread } from "../../config/sandbox/start_thread.ts";
import type { ThreadPermissions } from "../../config/sandbox/permissions.ts";
import type { KeptThreads } from "./kept_threads.ts";

/** Receiver of a thread's messages and its end. */
export interface WorkerClientHooks<From> {
  /** Called with each message but the first, which says that the thread is ready. */
  onMessage?(message: From): void;
  /** Called with the reason if the thread ends by an error that it did not catch. */
  onDeath?(reason: string): void;
}

/** Main's end of a thread: sends messages, waits for answers. */
export class WorkerClient<
  To extends { readonly type: string },
  From extends { readonly type: string },
> {
  readonly #thread: Thread;
  readonly #threads: KeptThreads | undefined;
  readonly #onMessage: (event: MessageEvent<From>) => void;
  #isClosed = false;
  readonly #waiting = new Map<
    string,
    { resolve: (message: From) => void; reject: (error: Error) => void }
  >();
  #death: Error | undefined;

  /**
   * Starts the thread.
   * @param name what it is called where its death is reported
   * @param threads where it comes from, and goes to if it is kept; undefined for a new one
   * @throws {MissingPermissionError} if this process does not have what the thread is to get
   */
  constructor(
    name: string,
    url: URL,
    permissions: ThreadPermissions,
    hooks: WorkerClientHooks<From>,
    threads?: KeptThreads,
  ) {
    this.#threads = threads;
    this.#thread = (threads?.take ?? startThread)(url, permissions, (reason) => {
      this.#death = new Error(`The ${name} thread died: ${reason}`);
      hooks.onDeath?.(reason);
      for (const { reject } of this.#waiting.values()) reject(this.#death);
      this.#waiting.clear();
    });
    this.#onMessage = (event) => {
      if (event.data.type === "ready") return;
      hooks.onMessage?.(event.data);
      const waiting = this.#waiting.get(event.data.type);
      this.#waiting.delete(event.data.type);
      waiting?.resolve(event.data);
    };
    this.#thread.worker.addEventListener("message", this.#onMessage);
  }

  /** Whether the thread has not died. */
  get isAlive(): boolean {
    return this.#death === undefined;
  }

  /** Resolves once the thread runs its code; rejects if it dies before. */
  get ready(): Promise<void> {
    return this.#thread.ready;
  }

  /** Sends a message; nothing happens if the thread has died. */
  post(message: To, transfer: Transferable[] = []): void {
    if (this.isAlive) this.#thread.worker.postMessage(message, transfer);
  }

  /** The next message of that type; rejects if the thread dies before it comes. */
  next<T extends From["type"]>(type: T): Promise<Extract<From, { type: T }>> {
    return new Promise((resolve, reject) => {
      if (this.#death !== undefined) return reject(this.#death);
      this.#waiting.set(type, { resolve: resolve as (message: From) => void, reject });
    });
  }

  /**
   * Asks the thread to leave what it does, and when it has, ends it or leaves it to the next run.
   * @param order what asks it
   * @param answer type of the message by which it says so
   * @param mostMs longest that is waited for that; then it is ended
   */
  async closeAfter(order: To, answer: From["type"], mostMs: number): Promise<void> {
    let hasAnswered = false;
    if (this.isAlive) {
      const answered = this.next(answer).then(() => hasAnswered = true, () => {});
      this.post(order);
      let timer: ReturnType<typeof setTimeout> | undefined;
      const late = new Promise((resolve) => timer = setTimeout(resolve, mostMs));
      await Promise.race([answered, late]);
      clearTimeout(timer);
    }
    this.close(hasAnswered);
  }

  /**
   * Ends the thread, or leaves it to the next run.
   * @param isIdle whether it has done all that it was asked to
   */
  close(isIdle = false): void {
    if (this.#isClosed) return;
    this.#isClosed = true;
    this.#thread.worker.removeEventListener("message", this.#onMessage);
    if (isIdle && this.isAlive && this.#threads !== undefined) this.#threads.keep(this.#thread);
    else this.#thread.worker.terminate();
  }
}
