import { FIELD } from "../../client/record/request_fields.ts";
import type { PayloadSource } from "../../load/dataset/payloads/payload_table.ts";

/**
 * Tokens that the requests of sessions carry besides their own: those of the turns before and of the
 * replies that were fed back, each counted once, when it came. The records of a session arrive in the
 * order of its turns, since one thread plays it.
 */
export class HistoryTokens {
  readonly #payloads: Pick<PayloadSource, "locate">;
  readonly #replyOverhead: number;
  /** Tokens so far of each session that goes on. */
  readonly #tokens = new Map<number, number>();
  #phase = NaN;

  /** @param replyOverhead tokens that a chat template puts around each reply */
  constructor(payloads: Pick<PayloadSource, "locate">, replyOverhead = 0) {
    this.#payloads = payloads;
    this.#replyOverhead = replyOverhead;
  }

  /**
   * Input tokens of a whole request.
   * @param request the row of its record
   * @param own tokens of what its turn added; NaN if they are not known
   */
  inputTokensOf(request: Float64Array, own: number): number {
    if (!this.#follows(request)) return own;
    return own + (this.#tokens.get(request[FIELD.session] as number) ?? NaN);
  }

  /**
   * Takes in a turn: the next one carries it.
   * @param own tokens of what it added; negative if they are not known
   * @param reply tokens of its reply without reasoning; NaN for none
   */
  add(request: Float64Array, own: number, reply: number): void {
    const [phase, session, turn, turns] = [FIELD.phase, FIELD.session, FIELD.turn, FIELD.turns]
      .map((field) => request[field] as number) as [number, number, number, number];
    if (phase !== this.#phase) {
      this.#phase = phase;
      this.#tokens.clear();
    }
    if (turn + 1 >= turns || (request[FIELD.errorKind] as number) >= 0) {
      this.#tokens.delete(session);
      return;
    }
    // A body without messages leaves nothing in the history.
    const isCarried = (this.#of(request, "messagesStart") ?? -1) >= 0;
    const added = isCarried ? (own < 0 ? NaN : own) + (reply || 0) + this.#replyOverhead : 0;
    this.#tokens.set(session, (turn === 0 ? 0 : this.#tokens.get(session) ?? NaN) + added);
  }

  #follows(request: Float64Array): boolean {
    return (request[FIELD.turn] as number) > 0 && this.#of(request, "followsHistory") === 1;
  }

  #of(
    request: Float64Array,
    column: "followsHistory" | "messagesStart",
  ): number | undefined {
    const { table, entry } = this.#payloads.locate(request[FIELD.entry] as number);
    return table.data.conversations?.[column][entry];
  }
}
