import type { ControlBlock } from "../../load/worker/control_block.ts";

/** Longest silence of a worker that does not count as dead. */
const LOST_AFTER_NS = 30e9;

/** Looks whether load workers show signs of life in the control block. */
export class Heartbeats {
  readonly #control: Pick<ControlBlock, "beats">;
  readonly #nowNs: () => number;
  readonly #onSilent: (worker: number) => void;
  readonly #seen: { beats: number; lastNs: number }[];

  /** @param onSilent called again and again while a worker that has begun is silent for too long */
  constructor(
    control: Pick<ControlBlock, "beats">,
    nowNs: () => number,
    workers: number,
    onSilent: (worker: number) => void,
  ) {
    this.#control = control;
    this.#nowNs = nowNs;
    this.#onSilent = onSilent;
    this.#seen = Array.from({ length: workers }, () => ({ beats: 0, lastNs: Infinity }));
  }

  /** A worker has its orders: its silence counts from now on. */
  begin(worker: number): void {
    const seen = this.#seen[worker];
    if (seen !== undefined) seen.lastNs = this.#nowNs();
  }

  /** When the whole process stood still, no worker could show a sign of life. */
  excuse(nowNs: number): void {
    for (const seen of this.#seen) seen.lastNs = nowNs;
  }

  look(): void {
    const nowNs = this.#nowNs();
    this.#seen.forEach((seen, worker) => {
      const beats = this.#control.beats(worker);
      if (beats !== seen.beats) {
        seen.beats = beats;
        seen.lastNs = nowNs;
      } else if (nowNs - seen.lastNs > LOST_AFTER_NS) this.#onSilent(worker);
    });
  }
}
