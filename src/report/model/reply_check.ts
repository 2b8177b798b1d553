import { isValid, type RequestRecord } from "../../measurement/metrics/request_record.ts";

/** Collects anomalies of a run's replies, and returns the notes about them. */
export class ReplyCheck {
  readonly #streaming: boolean;
  #valid = 0;
  #whole = 0;
  #refused = 0;

  /** @param streaming whether streams were asked for */
  constructor(streaming: boolean) {
    this.#streaming = streaming;
  }

  /** Adds a request. */
  add(record: RequestRecord): void {
    if (record.refusedCounts > 0) this.#refused++;
    if (!isValid(record)) return;
    this.#valid++;
    if (record.isWhole === 1) this.#whole++;
  }

  /** One sentence for each thing. */
  notes(): string[] {
    const notes: string[] = [];
    if (this.#streaming && this.#whole > 0) {
      notes.push(
        `${this.#whole} of ${this.#valid} replies were not streamed although a stream was asked ` +
          `for: their first token cannot be timed, so they have no TTFT`,
      );
    }
    if (this.#refused > 0) {
      notes.push(
        `The usage in ${this.#refused} replies has numbers that cannot be token counts ` +
          `(negative, fractional or absurdly large); these are ignored`,
      );
    }
    return notes;
  }
}
