/** Compares the client's counts of tokens with the server's, and outputs with what was asked for. */

import { endpointType } from "../../client/endpoint/endpoint_types.ts";
import type { RunPlan } from "../../config/plan/run_plan.ts";
import {
  completionDiffPct,
  promptDiffPct,
  reasoningDiffPct,
} from "../../measurement/metrics/record_metrics.ts";
import { lengthMismatchText } from "./length_mismatch_text.ts";
import { PartDifference } from "./part_difference.ts";
import {
  outputSequenceLength,
  type RequestRecord,
} from "../../measurement/metrics/request_record.ts";
import { isLengthMismatch, type Thresholds } from "../../measurement/metrics/thresholds.ts";

/** Facts of the run with which the check advises nothing that was done. */
export type TokenCheckPlan =
  & Pick<RunPlan, "endpointType" | "body" | "tokenizer" | "thresholds">
  & Partial<Pick<RunPlan, "dataset">>;

/**
 * The share of prompts that must differ by the same number of tokens to distinguish an addition from
 * another tokenizer: where texts meet, tokens merge, so that a few differ otherwise.
 */
const CONSTANT_SHARE = 0.5;

/** Share of replies that may have other lengths than recorded: beyond, runs are not comparable. */
const MAX_MISMATCH_SHARE = 0.01;

/** Replies to calls of recorded sessions whose length the request forces. */
export interface LengthMismatch {
  /** Replies whose length the server reports. */
  readonly checked: number;
  /** Replies that are not as long as recorded. */
  readonly mismatched: number;
  readonly isComparable: boolean;
}

/** Gathers the valid requests of a run, then notes facts that a reader of its token counts needs. */
export class TokenCheck {
  readonly #plan: TokenCheckPlan;
  /** Whether replies may have any length below a limit that none is to reach. */
  readonly #areLengthsFree: boolean;
  /** Whether requests force replies to be as long as recorded. */
  readonly #areLengthsForced: boolean;
  /** By how many tokens the server counts prompts longer, and how many prompts. */
  readonly #added = new Map<number, number>();
  readonly #parts = new PartDifference();
  #lastAdded = NaN;
  #lastCount = 0;
  #entry = NaN;
  #hasOtherEntries = false;
  #promptsDiffer = false;
  #outputsDiffer = false;
  #tooShort = 0;
  #tooLong = 0;
  /** Replies whose length the request forces, as far as the server counts them, and other lengths. */
  #forced = 0;
  #otherLengths = 0;

  constructor(plan: TokenCheckPlan) {
    this.#plan = plan;
    const agents = plan.dataset?.source === "file" ? plan.dataset.agents : undefined;
    this.#areLengthsFree = agents?.scenario?.freeLengthTokens !== undefined;
    this.#areLengthsForced = agents?.history === "recorded" && !this.#areLengthsFree;
  }

  /** Adds a valid request. */
  add(record: RequestRecord): void {
    const { thresholds } = this.#plan;
    const limit = thresholds.usageDiffPct;
    if (Number.isNaN(this.#entry)) this.#entry = record.entry;
    this.#hasOtherEntries ||= record.entry !== this.#entry;
    this.#parts.add(record);
    const added = record.promptTokens - record.inputTokens;
    if (added === this.#lastAdded) this.#lastCount++;
    else if (!Number.isNaN(added)) this.#beginCount(added);
    this.#promptsDiffer ||= promptDiffPct(record) > limit;
    this.#outputsDiffer ||= completionDiffPct(record) > limit || reasoningDiffPct(record) > limit;
    this.#checkLength(record, thresholds);
  }

  /** Replies that are not as long as recorded; undefined if their lengths are free, or not known. */
  get lengthMismatch(): LengthMismatch | undefined {
    if (this.#forced === 0) return undefined;
    return {
      checked: this.#forced,
      mismatched: this.#otherLengths,
      isComparable: this.#otherLengths <= MAX_MISMATCH_SHARE * this.#forced,
    };
  }

  /** Most prompts differ by as many tokens as the one before. */
  #beginCount(added: number): void {
    if (this.#lastCount > 0) {
      const before = this.#added.get(this.#lastAdded) ?? 0;
      this.#added.set(this.#lastAdded, before + this.#lastCount);
    }
    this.#lastAdded = added;
    this.#lastCount = 1;
  }

  /** The server knows best how many tokens it generated. */
  #checkLength(record: RequestRecord, thresholds: Thresholds): void {
    const { completionTokens, requestedTokens } = record;
    if (this.#areLengthsForced && !Number.isNaN(completionTokens + requestedTokens)) {
      this.#forced++;
      if (completionTokens !== requestedTokens) this.#otherLengths++;
    }
    if (this.#areLengthsFree) return;
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
    const forced = this.lengthMismatch;
    if (forced?.isComparable === false) {
      notes.push(
        `Not comparable with other runs: ${lengthMismatchText(forced)}; check that the server ` +
          "supports min_tokens and ignore_eos",
      );
      return notes;
    }
    const mismatched = this.#tooShort + this.#tooLong;
    if (mismatched > 0) {
      notes.push(
        `${mismatched} of ${total} outputs do not have the requested length: ${this.#lengthAdvice()}`,
      );
    }
    return notes;
  }

  #causes(): string {
    const { tokenizer } = this.#plan;
    const added = this.#promptsDiffer ? this.#parts.text ?? this.#addedToPrompts() : undefined;
    const causes = added === undefined ? [] : [added];
    const promptsUnexplained = this.#promptsDiffer && added === undefined;
    if (!promptsUnexplained && !this.#outputsDiffer) return causes.join();
    if (tokenizer.kind === "builtin") {
      causes.push("give the model's tokenizer (--tokenizer) or --use-server-token-count");
    } else {
      causes.push(
        promptsUnexplained
          ? "it uses another tokenizer, or changes prompts"
          : "re-tokenizing text does not always reproduce the generated tokens",
        "--use-server-token-count takes the server's counts",
      );
    }
    return causes.join("; ");
  }

  /** The tokens that the server adds to prompts; undefined if they differ by more than that. */
  #addedToPrompts(): string | undefined {
    this.#beginCount(NaN);
    this.#lastCount = 0;
    const prompts = [...this.#added.values()].reduce((sum, count) => sum + count, 0);
    const [added, count] = [...this.#added].reduce((a, b) => b[1] > a[1] ? b : a, [0, 0]);
    // The same prompt again and again is off by the same number for any reason.
    if (added <= 0 || count < prompts * CONSTANT_SHARE || !this.#hasOtherEntries) return undefined;
    const tokens = added === 1 ? "1 token" : `${added} tokens`;
    const where = count === prompts ? "every prompt" : "most prompts";
    const source = endpointType(this.#plan.endpointType).usesChatTemplate
      ? "as chat templates add"
      : "as special tokens add";
    return `it counts ${tokens} more in ${where}, ${source}`;
  }

  #lengthAdvice(): string {
    if (this.#tooShort === 0) return "they are longer";
    return asksToIgnoreEnd(this.#plan.body.extraInputs)
      ? "they end early although ignore_eos was requested"
      : "add --extra-inputs ignore_eos:true to force the requested length";
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
