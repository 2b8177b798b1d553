/**
 * Calls a function after one turn of the event loop, in which everything that is ready is served.
 * A timer would take a millisecond; a message to oneself takes a few microseconds.
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

  /** Calls `call` after the turn; one call at a time. */
  next(call: () => void): void {
    this.#waiting = call;
    this.#channel.port2.postMessage(null);
  }
}
