/** Admits a fixed number of requests at once; the others wait in order. */
export class SlotQueue {
  readonly #slots: number;
  readonly #onWaiting: (waiting: number) => void;
  readonly #waiting: (() => void)[] = [];
  #taken = 0;

  /** @param onWaiting called with the number of waiting requests, whenever that changes */
  constructor(slots: number, onWaiting: (waiting: number) => void) {
    this.#slots = slots;
    this.#onWaiting = onWaiting;
  }

  /** Waits for a slot and takes it. */
  async enter(): Promise<void> {
    if (this.#taken < this.#slots) {
      this.#taken++;
      return;
    }
    await new Promise<void>((resolve) => {
      this.#waiting.push(resolve);
      this.#onWaiting(this.#waiting.length);
    });
  }

  /** Releases a slot, to the request that has waited longest. */
  leave(): void {
    const next = this.#waiting.shift();
    if (next === undefined) {
      this.#taken--;
      return;
    }
    this.#onWaiting(this.#waiting.length);
    next();
  }
}
