/** Compares the client's counts of tokens with the server's, and outputs with what was asked for. */

import { completionDiffPct, promptDiffPct, reasoningDiffPct } from "../metrics/record_metrics.ts";
import { outputSequenceLength, type RequestRecord } from "../metrics/request_record.ts";
import { isLengthMismatch, type Thresholds } from "../metrics/thresholds.ts";
import type { RunPlan } from "../plan/run_plan.ts";

/** What the check must know of the run to advise nothing that was done. */
export type TokenCheckPlan = Pick<RunPlan, "endpointType" | "body" | "tokenizer" | "thresholds">;

/** Gathers the valid requests of a run; then says what a reader of its token counts must know. */
export class TokenCheck {
  readonly #plan: TokenCheckPlan;
  readonly #firstEntry: { entry: number; isOnly: boolean } = { entry: NaN, isOnly: true };
  /** By how many tokens the server counts prompts longer. */
  #leastAdded = Infinity;
  #mostAdded = -Infinity;
  #promptsDiffer = false;
  #outputsDiffer = false;
  #tooShort = 0;
  #tooLong = 0;

  constructor(plan: TokenCheckPlan) {
    this.#plan = plan;
  }

  /** Takes in a valid request. */
  add(record: RequestRecord): void {
    const { thresholds } = this.#plan;
    const limit = thresholds.usageDiffPct;
    const first = this.#firstEntry;
    if (Number.isNaN(first.entry)) first.entry = record.entry;
    else if (first.entry !== record.entry) first.isOnly = false;
    const added = record.promptTokens - record.inputTokens;
    if (added < this.#leastAdded) this.#leastAdded = added;
    if (added > this.#mostAdded) this.#mostAdded = added;
    this.#promptsDiffer ||= promptDiffPct(record) > limit;
    this.#outputsDiffer ||= completionDiffPct(record) > limit || reasoningDiffPct(record) > limit;
    this.#checkLength(record, thresholds);
  }

  /** The server knows best how many tokens it generated. */
  #checkLength(record: RequestRecord, thresholds: Thresholds): void {
    const { completionTokens, requestedTokens } = record;
    const generated = Number.isNaN(completionTokens)
      ? outputSequenceLength(record)
      : completionTokens;
    if (!isLengthMismatch(generated, requestedTokens, thresholds)) return;
    if (generated < requestedTokens) this.#tooShort++;
    else this.#tooLong++;
  }

  /**
   * @param discrepant requests whose counts differ by more than the threshold
   * @param total valid requests
   */
  notes(discrepant: number, total: number): string[] {
    const notes: string[] = [];
    if (discrepant > 0) {
      notes.push(
        `Token counts of ${discrepant} of ${total} requests differ by more than ` +
          `${this.#plan.thresholds.usageDiffPct} % from the server's: ${this.#causes()}`,
      );
    }
    const mismatched = this.#tooShort + this.#tooLong;
    if (mismatched > 0) {
      notes.push(
        `${mismatched} of ${total} outputs are not as long as asked for: ${this.#lengthAdvice()}`,
      );
    }
    return notes;
  }

  #causes(): string {
    const { tokenizer } = this.#plan;
    // The same prompt again and again would be off by the same number for any reason.
    const isConstant = this.#leastAdded === this.#mostAdded && !this.#firstEntry.isOnly;
    const causes: string[] = [];
    if (this.#promptsDiffer && isConstant && this.#leastAdded > 0) {
      causes.push(this.#addedToPrompts());
    }
    const unexplained = this.#outputsDiffer || (this.#promptsDiffer && causes.length === 0);
    if (unexplained && tokenizer.kind === "builtin") {
      causes.push("give the model's tokenizer (--tokenizer) or --use-server-token-count");
    } else if (unexplained) {
      const what = causes.length > 0 || !this.#promptsDiffer
        ? "a text that is tokenized anew need not give the tokens that were generated"
        : "its tokenizer is not the one that was given, or it changes prompts";
      causes.push(`${what}; --use-server-token-count takes the server's counts`);
    }
    return causes.join("; ");
  }

  #addedToPrompts(): string {
    const added = this.#leastAdded;
    const tokens = `the server counts ${added} ${added === 1 ? "token" : "tokens"} more in every`;
    return this.#plan.endpointType === "chat"
      ? `${tokens} prompt, as a chat template adds them, which the client does not count`
      : `${tokens} prompt, as special tokens, which the client does not count`;
  }

  #lengthAdvice(): string {
    if (this.#tooShort === 0) return "they are longer";
    return asksToIgnoreEnd(this.#plan.body.extraInputs)
      ? "they end early although ignore_eos was asked for"
      : "to have the server honour the length, add --extra-inputs ignore_eos:true";
  }
}

/** Whether a body has `ignore_eos`, itself or, as Dynamo takes it, in one of its objects. */
function asksToIgnoreEnd(body: Readonly<Record<string, unknown>>): boolean {
  const isAsked = (fields: object): boolean =>
    Object.entries(fields).some(([name, value]) => name === "ignore_eos" && value === true);
  return isAsked(body) ||
    Object.values(body).some((value) =>
      typeof value === "object" && value !== null && isAsked(value)
    );
}
