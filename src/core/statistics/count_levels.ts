import type { LevelSummary } from "./level_summary.ts";

/** Summarizes counts that change in steps: only the total duration at each level is kept. */
export class CountLevels {
  #times = new Float64Array(1024);

  /** @param count a whole number, zero or above */
  add(count: number, duration: number): void {
    if (count >= this.#times.length) {
      const larger = new Float64Array(2 ** Math.ceil(Math.log2(count + 1)));
      larger.set(this.#times);
      this.#times = larger;
    }
    this.#times[count] = (this.#times[count] as number) + duration;
  }

  /** Adds the first `length` counts and the duration of each. */
  addAll(counts: Float64Array, durations: Float64Array, length: number): void {
    let times = this.#times;
    for (let at = 0; at < length; at++) {
      const count = counts[at] as number;
      if (count >= times.length) {
        this.add(count, durations[at] as number);
        times = this.#times;
      } else times[count] = (times[count] as number) + (durations[at] as number);
    }
  }

  /** Undefined if there was no time at all. */
  summarize(): LevelSummary | undefined {
    const times = this.#times;
    const min = times.findIndex((time) => time > 0);
    if (min < 0) return undefined;
    const max = times.findLastIndex((time) => time > 0);
    let total = 0;
    let area = 0;
    times.forEach((time, count) => {
      total += time;
      area += count * time;
    });
    const avg = Math.min(max, Math.max(min, area / total));
    const squares = times.reduce((sum, time, count) => sum + (count - avg) ** 2 * time, 0);
    const at = (share: number): number => {
      let time = 0;
      for (let count = min; count <= max; count++) {
        time += times[count] as number;
        if (time >= share * total) return count;
      }
      return max;
    };
    return {
      ...{ avg, min, max, std: Math.sqrt(squares / total) },
      ...{ p50: at(0.5), p90: at(0.9), p95: at(0.95), p99: at(0.99) },
    };
  }
}
