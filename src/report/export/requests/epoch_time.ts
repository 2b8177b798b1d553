import type { JsonBytes } from "../json_bytes.ts";

const SECOND_NS = 1e9;

/** Times of a run's clock as nanoseconds since 1970, which are more digits than a number has. */
export class EpochTime {
  readonly #baseNs: bigint;
  readonly #baseSeconds: number;
  readonly #baseRestNs: number;
  /** The digits of a second, which many times have in common. */
  #second = NaN;
  #digits = "";

  /** @param baseNs the start of the run's clock, nanoseconds since 1970 */
  constructor(baseNs: bigint) {
    this.#baseNs = baseNs;
    this.#baseSeconds = Number(baseNs / BigInt(SECOND_NS));
    this.#baseRestNs = Number(baseNs % BigInt(SECOND_NS));
  }

  /** Writes a time, which is a whole number. */
  write(out: JsonBytes, ns: number): void {
    if (!(ns >= 0 && Number.isSafeInteger(ns) && this.#baseSeconds > 0)) {
      out.text(String(this.#baseNs + BigInt(ns)));
      return;
    }
    let seconds = this.#baseSeconds + Math.floor(ns / SECOND_NS);
    let restNs = this.#baseRestNs + ns % SECOND_NS;
    if (restNs >= SECOND_NS) {
      restNs -= SECOND_NS;
      seconds++;
    }
    if (seconds !== this.#second) {
      this.#second = seconds;
      this.#digits = String(seconds);
    }
    out.text(this.#digits);
    out.padded(restNs, 9);
  }
}
