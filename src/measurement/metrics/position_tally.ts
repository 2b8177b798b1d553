import { ACCEPTED_AT_FIELDS } from "../../client/record/request_fields.ts";
import { isValid, type RequestRecord } from "./request_record.ts";

/** Adds up the drafts whose token at each position was accepted, as replies report them. */
export class PositionTally {
  readonly #accepted = new Float64Array(ACCEPTED_AT_FIELDS.length);
  /** Accepted tokens of replies with positions, and of all. */
  #withPositions = 0;
  #all = 0;

  /** Adds a request. */
  add(record: RequestRecord): void {
    if (!isValid(record) || !(record.acceptedTokens > 0)) return;
    this.#all += record.acceptedTokens;
    if (Number.isNaN(record.acceptedAt0)) return;
    this.#withPositions += record.acceptedTokens;
    ACCEPTED_AT_FIELDS.forEach((name, at) => {
      this.#accepted[at] = (this.#accepted[at] as number) + (record[name] || 0);
    });
  }

  /** Drafts by position, from the first; undefined if not all replies with drafts have them. */
  get acceptedAt(): readonly number[] | undefined {
    if (this.#all === 0 || this.#withPositions < this.#all) return undefined;
    const last = this.#accepted.findLastIndex((count) => count > 0);
    return [...this.#accepted.subarray(0, last + 1)];
  }
}
