/** Calls by a time and, among equal times, by their number: the earliest one first. */
export class CallHeap {
  readonly #times: number[] = [];
  readonly #calls: number[] = [];

  get size(): number {
    return this.#calls.length;
  }

  /** Time of the earliest call; Infinity if there is none. */
  get firstMs(): number {
    return this.#times[0] ?? Infinity;
  }

  /** The earliest call; undefined if there is none. */
  get first(): number | undefined {
    return this.#calls[0];
  }

  push(timeMs: number, call: number): void {
    let place = this.#calls.length;
    this.#times.push(timeMs);
    this.#calls.push(call);
    while (place > 0) {
      const parent = (place - 1) >> 1;
      if (!this.#isBefore(place, parent)) break;
      this.#swap(place, parent);
      place = parent;
    }
  }

  /** Removes and returns the earliest call. */
  pop(): number | undefined {
    const first = this.#calls[0];
    const lastCall = this.#calls.pop();
    const lastTime = this.#times.pop();
    if (this.#calls.length === 0 || lastCall === undefined || lastTime === undefined) return first;
    this.#calls[0] = lastCall;
    this.#times[0] = lastTime;
    for (let place = 0;;) {
      let child = 2 * place + 1;
      if (child >= this.#calls.length) break;
      if (child + 1 < this.#calls.length && this.#isBefore(child + 1, child)) child++;
      if (!this.#isBefore(child, place)) break;
      this.#swap(child, place);
      place = child;
    }
    return first;
  }

  #isBefore(a: number, b: number): boolean {
    const [first, second] = [this.#times[a] as number, this.#times[b] as number];
    return first < second ||
      (first === second && (this.#calls[a] as number) < (this.#calls[b] as number));
  }

  #swap(a: number, b: number): void {
    const [time, call] = [this.#times[a] as number, this.#calls[a] as number];
    this.#times[a] = this.#times[b] as number;
    this.#calls[a] = this.#calls[b] as number;
    this.#times[b] = time;
    this.#calls[b] = call;
  }
}
