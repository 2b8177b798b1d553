/** Probes servers by connecting to them, as AIPerf does: each a beat, and a few more at the end. */

import type { NetworkSample, NetworkTarget } from "./network_sample.ts";

/** Probes that must have succeeded of each server, else more follow the load. */
const MIN_SAMPLES = 5;
/** Maximum time for these probes in total, in milliseconds. */
const TOP_UP_MS = 3000;
/** Maximum time for a connection, in milliseconds. */
const CONNECT_TIMEOUT_MS = 5000;

/** Context of a {@linkcode NetworkProbe}. */
export interface NetworkProbeContext {
  readonly targets: readonly NetworkTarget[];
  readonly intervalMs: number;
  /** The run's clock. */
  nowNs(): number;
  /** Connects, and ends the connection; rejects with the reason if none comes about. */
  connect(target: NetworkTarget): Promise<void>;
  /** Calls back after a time; returns what calls it off. */
  after(delayMs: number, call: () => void): () => void;
}

/** See the module's comment. */
export class NetworkProbe {
  readonly #context: NetworkProbeContext;
  readonly #samples: NetworkSample[] = [];
  readonly #succeeded: number[];
  #stopped = false;
  #wake: () => void = () => {};
  #loops: Promise<void>[] = [];

  constructor(context: NetworkProbeContext) {
    this.#context = context;
    this.#succeeded = context.targets.map(() => 0);
  }

  /** Starts probing each server, one connection at a time. */
  start(): void {
    const wakes: (() => void)[] = [];
    this.#wake = () => wakes.forEach((wake) => wake());
    this.#loops = this.#context.targets.map(async (_, target) => {
      while (!this.#stopped) {
        const startNs = this.#context.nowNs();
        await this.#probe(target);
        const spentMs = (this.#context.nowNs() - startNs) / 1e6;
        await new Promise<void>((resolve) => {
          if (this.#stopped) return resolve();
          const callOff = this.#context.after(
            Math.max(0, this.#context.intervalMs - spentMs),
            resolve,
          );
          wakes[target] = () => {
            callOff();
            resolve();
          };
        });
      }
    });
  }

  /**
   * Ends the probing.
   * @param topUp whether servers with too few probes get more
   * @param sinceNs from which on probes count
   * @returns all probes in the order of their times
   */
  async stop(topUp: boolean, sinceNs = -Infinity): Promise<readonly NetworkSample[]> {
    this.#stopped = true;
    this.#wake();
    if (topUp) {
      await Promise.all(this.#loops);
      this.#succeeded.forEach((_, target) => {
        this.#succeeded[target] = this.#samples.filter((sample) =>
          sample.target === target && sample.atNs >= sinceNs && sample.rttNs !== undefined
        ).length;
      });
      const endNs = this.#context.nowNs() + TOP_UP_MS * 1e6;
      await Promise.all(this.#context.targets.map((_, target) => this.#topUp(target, endNs)));
    }
    return this.#samples.filter(({ atNs }) => atNs >= sinceNs).sort((a, b) => a.atNs - b.atNs);
  }

  async #topUp(target: number, endNs: number): Promise<void> {
    for (let tries = 0; tries < 2 * MIN_SAMPLES; tries++) {
      const isEnough = (this.#succeeded[target] as number) >= MIN_SAMPLES;
      if (isEnough || this.#context.nowNs() >= endNs) return;
      await this.#probe(target);
    }
  }

  async #probe(target: number): Promise<void> {
    const { connect, after, nowNs, targets } = this.#context;
    const atNs = nowNs();
    let callOff: () => void = () => {};
    const late = new Promise<never>((_, reject) => {
      callOff = after(
        CONNECT_TIMEOUT_MS,
        () => reject(new Error(`No connection within ${CONNECT_TIMEOUT_MS / 1e3} s`)),
      );
    });
    try {
      await Promise.race([connect(targets[target] as NetworkTarget), late]);
      this.#samples.push({ atNs, target, rttNs: Math.round(nowNs() - atNs) });
      this.#succeeded[target] = (this.#succeeded[target] as number) + 1;
    } catch (error) {
      this.#samples.push({ atNs, target, rttNs: undefined, error: (error as Error).message });
    } finally {
      callOff();
    }
  }
}
