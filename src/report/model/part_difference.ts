import { INPUT_PART_FIELDS } from "../../client/record/request_fields.ts";
import type { RequestRecord } from "../../measurement/metrics/request_record.ts";

/** Upper bounds of differences that need no explanation: in tokens, and as a fraction of the prompt. */
const SMALL_TOKENS = 32;
const SMALL_SHARE = 0.1;

/** Share of the squared differences that a part may leave unexplained. */
const UNEXPLAINED = 0.01;

const NAMES: readonly string[] = [
  ...["system prompts", "messages of users", "messages of the assistant", "reasoning in prompts"],
  ...["tool calls", "tool results", "tool definitions", "markers"],
];

/**
 * Finds the part of prompts by which the server's counts of tokens differ from the client's: the one
 * to whose size the differences are proportional (least squares through the origin).
 */
export class PartDifference {
  #count = 0;
  #squares = 0;
  /** Sums over the requests for each part, and last for the whole prompt. */
  readonly #products = new Float64Array(INPUT_PART_FIELDS.length + 1);
  readonly #sizes = new Float64Array(INPUT_PART_FIELDS.length + 1);

  /** Adds a request; one that is not counted by part says nothing. */
  add(record: RequestRecord): void {
    const difference = record.promptTokens - record.inputTokens;
    if (Number.isNaN(difference) || Number.isNaN(record.toolTokens)) return;
    // Tokens that merge where texts meet are no part.
    const size = Math.abs(difference);
    if (size <= SMALL_TOKENS && size <= SMALL_SHARE * record.inputTokens) return;
    this.#count++;
    this.#squares += difference ** 2;
    [...INPUT_PART_FIELDS.map((field) => record[field]), record.inputTokens].forEach(
      (size, part) => {
        this.#products[part] = (this.#products[part] as number) + difference * size;
        this.#sizes[part] = (this.#sizes[part] as number) + size ** 2;
      },
    );
  }

  /** The part that the server counts differently, as a clause; undefined if none explains it. */
  get text(): string | undefined {
    if (this.#count === 0 || this.#squares === 0) return undefined;
    const left = NAMES.findIndex((_, part) => this.#unexplained(part, -1) < UNEXPLAINED);
    if (left >= 0) return `it does not count ${NAMES[left]}`;
    const shares = NAMES.map((_, part) => this.#unexplained(part, this.#slope(part)));
    const best = shares.reduce(
      (least, share, part) => share < (shares[least] as number) ? part : least,
      0,
    );
    const whole = this.#unexplained(NAMES.length, this.#slope(NAMES.length));
    const share = shares[best] as number;
    // Another tokenizer counts all parts differently.
    if (share >= UNEXPLAINED || whole < UNEXPLAINED) return undefined;
    const percent = Math.round(100 * this.#slope(best));
    return `it counts ${Math.abs(percent)} % ${percent < 0 ? "fewer" : "more"} tokens of ${
      NAMES[best]
    }`;
  }

  #slope(part: number): number {
    return (this.#products[part] as number) / (this.#sizes[part] as number);
  }

  /** Share of the squared differences that remains if each is `slope` times the size of a part. */
  #unexplained(part: number, slope: number): number {
    const size = this.#sizes[part] as number;
    if (size === 0) return Infinity;
    const rest = this.#squares - 2 * slope * (this.#products[part] as number) + slope ** 2 * size;
    return rest / this.#squares;
  }
}
