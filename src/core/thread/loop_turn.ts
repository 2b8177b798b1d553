/**
 * Calls a function when what this thread was doing, and was told to do, is done. A timer would take
 * a millisecond; a message to oneself takes a few microseconds. While it is pending, the runtime
 * polls no socket.
 */
export class LoopTurn {
  readonly #channel = new MessageChannel();
  #waiting: (() => void) | undefined;

  constructor() {
    this.#channel.port1.onmessage = () => {
      const call = this.#waiting;
      this.#waiting = undefined;
      call?.();
    };
  }

  /** Calls `call` then; one call at a time. */
  next(call: () => void): void {
    this.#waiting = call;
    this.#channel.port2.postMessage(null);
  }

  /** Cancels pending calls. */
  close(): void {
    this.#channel.port1.close();
    this.#channel.port2.close();
  }
}
