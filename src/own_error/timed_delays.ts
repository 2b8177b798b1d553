import { orderOf } from "../statistics/order_of.ts";
import { percentile } from "../statistics/percentile.ts";
import type { WorkerDelays } from "./canary_delays.ts";

/** Time over which delays are taken to hang together. */
export const BLOCK_NS = 200e6;

/** Delays of canaries of a load worker. */
export interface WeightedDelays extends WorkerDelays {
  /** How many chunks each canary stands for. */
  readonly weight: Float64Array;
}

/** A mean delay of chunks, and the standard error of that mean. */
export interface MeanDelay {
  readonly meanNs: number;
  readonly standardErrorNs: number;
}

/** Delays of canaries with the stretch of time in which they were read. */
export class TimedDelays {
  readonly delayMs: Float64Array;
  /** How many chunks each stands for. */
  readonly weight: Float64Array;
  /** The stretch of time that each belongs to, in which delays are taken to hang together. */
  readonly blockOf: Uint32Array;
  readonly blockCount: number;
  /** The number of each of these stretches among all of the run. */
  readonly blockTimes: readonly number[];
  #order: Uint32Array | undefined;
  #medianMs: number | undefined;

  /**
   * @param mosts the most that chunks can have been late, in nanoseconds, ascending: delays of canaries
   * count no longer than that allows for
   */
  constructor(all: readonly WeightedDelays[], mosts?: Float64Array) {
    const count = all.reduce((sum, { delayNs }) => sum + delayNs.length, 0);
    this.delayMs = new Float64Array(count);
    this.weight = new Float64Array(count);
    this.blockOf = new Uint32Array(count);
    const blocks = new Map<number, number>();
    let row = 0;
    for (const { delayNs, readNs, weight } of all) {
      for (let i = 0; i < delayNs.length; i++) {
        const time = Math.floor((readNs[i] as number) / BLOCK_NS);
        let block = blocks.get(time);
        if (block === undefined) blocks.set(time, block = blocks.size);
        this.delayMs[row] = (delayNs[i] as number) / 1e6;
        this.weight[row] = weight[i] as number;
        this.blockOf[row++] = block;
      }
    }
    this.blockCount = blocks.size;
    this.blockTimes = [...blocks.keys()];
    if (mosts !== undefined && mosts.length > 0) this.#limit(mosts);
  }

  /** In the order of their delays, no chunk was later than the one at its place among the most. */
  #limit(mosts: Float64Array): void {
    const { delayMs, order, weight } = this;
    const total = weight.reduce((sum, each) => sum + each, 0);
    let below = 0;
    for (const row of order) {
      below += weight[row] as number;
      const place = Math.min(mosts.length, Math.max(1, Math.ceil(below / total * mosts.length)));
      delayMs[row] = Math.min(delayMs[row] as number, (mosts[place - 1] as number) / 1e6);
    }
  }

  /** Their places by ascending delay. */
  get order(): Uint32Array {
    return this.#order ??= orderOf(this.delayMs);
  }

  /** The median of the delays, whatever they stand for. */
  get medianMs(): number {
    const { delayMs, order } = this;
    return this.#medianMs ??= percentile(
      { length: order.length, at: (index) => delayMs[order[index] as number] },
      50,
    );
  }

  /**
   * By how much longer these are on average than others of the same run, by their weights. The error of
   * that is by blocks of time, of which the same ones make both longer.
   */
  longerThan(other: TimedDelays, count: number): MeanDelay {
    const sums = new Map<number, number>();
    let drawn = 0;
    const [own, others] = ([[this, 1], [other, -1]] as const).map(([delays, sign]) => {
      const meanMs = delays.meanOf(count).meanNs / 1e6;
      delays.delayMs.forEach((delay, row) => {
        const time = delays.blockTimes[delays.blockOf[row] as number] as number;
        const weight = delays.weight[row] as number;
        const off = delay - meanMs;
        sums.set(time, (sums.get(time) ?? 0) + sign * weight * off);
        drawn += weight * off ** 2;
      });
      return meanMs;
    });
    const squares = [...sums.values()].reduce((sum, each) => sum + each ** 2, 0);
    const variance = squares * sums.size / Math.max(1, sums.size - 1) + drawn;
    return {
      meanNs: ((own as number) - (others as number)) * 1e6,
      standardErrorNs: Math.sqrt(variance) / count * 1e6,
    };
  }

  /**
   * Mean of what delays are longer than some one, by their weights; its error by blocks of time, in
   * which delays hang together.
   * @param count of the chunks that they stand for
   */
  meanOf(count: number, beyondNs = 0): MeanDelay {
    const { blockOf, delayMs, weight } = this;
    const beyondMs = beyondNs / 1e6;
    let sum = 0;
    for (let row = 0; row < delayMs.length; row++) {
      sum += (weight[row] as number) * Math.max(0, (delayMs[row] as number) - beyondMs);
    }
    const meanMs = sum / count;
    const sums = new Float64Array(this.blockCount);
    // The chunks' own delays are a draw of those to be expected, the canaries' another one.
    let drawn = 0;
    for (let row = 0; row < delayMs.length; row++) {
      const off = Math.max(0, (delayMs[row] as number) - beyondMs) - meanMs;
      const block = blockOf[row] as number;
      sums[block] = (sums[block] as number) + (weight[row] as number) * off;
      drawn += (weight[row] as number) * off ** 2;
    }
    let squares = 0;
    for (let block = 0; block < sums.length; block++) squares += (sums[block] as number) ** 2;
    const correction = sums.length / Math.max(1, sums.length - 1);
    const variance = squares * correction + drawn;
    return { meanNs: meanMs * 1e6, standardErrorNs: Math.sqrt(variance) / count * 1e6 };
  }
}
