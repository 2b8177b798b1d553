import { orderOf } from "./order_of.ts";

const FIRST_ROOM = 1024;

/** Total time of a quantity at each of some levels. */
export class LevelTimes {
  #levels = new Float64Array(FIRST_ROOM);
  #times = new Float64Array(FIRST_ROOM);
  #length = 0;

  add(level: number, time: number): void {
    const last = this.#length - 1;
    if (last >= 0 && this.#levels[last] === level) {
      this.#times[last] = (this.#times[last] as number) + time;
      return;
    }
    if (this.#length === this.#levels.length) this.#makeRoom();
    this.#levels[this.#length] = level;
    this.#times[this.#length++] = time;
  }

  /** The lowest level up to which, with those below it, a time has passed; the highest if none is. */
  levelAt(time: number, before: number): number {
    this.#join();
    let passed = before;
    for (let at = 0; at < this.#length; at++) {
      passed += this.#times[at] as number;
      if (passed >= time) return this.#levels[at] as number;
    }
    return this.#length === 0 ? NaN : this.#levels[this.#length - 1] as number;
  }

  /** Levels that come again and again take no more room than others. */
  #makeRoom(): void {
    this.#join();
    if (this.#length <= this.#levels.length / 2) return;
    const [levels, times] = [this.#levels, this.#times];
    this.#levels = new Float64Array(2 * levels.length);
    this.#times = new Float64Array(2 * levels.length);
    this.#levels.set(levels);
    this.#times.set(times);
  }

  /** Puts the levels in order, and the times of equal ones together. */
  #join(): void {
    const [levels, times] = [this.#levels.slice(0, this.#length), this.#times.slice()];
    this.#length = 0;
    for (const at of orderOf(levels)) this.add(levels[at] as number, times[at] as number);
  }
}
