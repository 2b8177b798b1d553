import { ERROR_KINDS } from "../../client/record/error_kind.ts";
import { isDecided, VERDICT } from "../../client/record/verdict.ts";
import { isCancelled, type RequestRecord } from "../metrics/request_record.ts";
import type { AnswerFingerprints } from "./drift_findings.ts";

/** Shares of replies that runs are compared by. */
export const ANSWER_SHARES = ["correct", "valid", "anomalous"] as const;

/** See {@linkcode ANSWER_SHARES}. */
export type AnswerShare = typeof ANSWER_SHARES[number];

/** Verdicts on a reply: 1 or 0, NaN if it was not checked. */
export type ReplyVerdicts = Readonly<Record<AnswerShare, number>>;

/** Checked replies of a run's profiling phase, and its sample, as comparisons see them. */
export interface AnswerVerdicts {
  /** Equal for runs whose prompts can be equal. */
  readonly workload: string;
  /** By request: a number of the prompt, the place in the order of turns, and the prompt's tokens. */
  readonly prompts: Float64Array;
  readonly places: Float64Array;
  readonly promptTokens: Float64Array;
  readonly verdicts: Readonly<Record<AnswerShare, Float64Array>>;
  /** Answers of the sample; undefined without --verify drift. */
  readonly sample: readonly AnswerFingerprints[] | undefined;
}

/** Turns of a session are fewer. */
const MAX_TURNS = 2 ** 16;
const NO_CONTENT = ERROR_KINDS.indexOf("no_content");

/** Verdicts on the reply of a record. */
export function verdictsOf(
  record: Pick<RequestRecord, "errorKind" | "anomalies" | "correct" | "valid">,
): ReplyVerdicts {
  if (isCancelled(record)) return { anomalous: NaN, correct: NaN, valid: NaN };
  const { anomalies, correct, errorKind, valid } = record;
  // Replies that consist of nothing are no valid requests: their kind of error says it.
  const anomalous = errorKind === NO_CONTENT ? 1 : Math.min(anomalies, 1);
  return { anomalous, correct: decided(correct), valid: decided(valid) };
}

function decided(outcome: number): number {
  return isDecided(outcome) ? Number(outcome === VERDICT.yes) : NaN;
}

/** Gathers the replies of a run in any order. */
export class AnswerVerdictsBuilder {
  readonly #prompts: number[] = [];
  readonly #places: number[] = [];
  readonly #tokens: number[] = [];
  readonly #verdicts: Record<AnswerShare, number[]> = { correct: [], valid: [], anomalous: [] };
  #hasAny = false;

  /** Adds a request, checked or not. */
  add(
    { prompt, session, turn, promptTokens }: {
      readonly prompt: number;
      readonly session: number;
      readonly turn: number;
      readonly promptTokens: number;
    },
    verdicts: ReplyVerdicts,
  ): void {
    this.#prompts.push(prompt);
    this.#places.push(session * MAX_TURNS + turn);
    this.#tokens.push(promptTokens);
    for (const share of ANSWER_SHARES) {
      this.#verdicts[share].push(verdicts[share]);
      if (!Number.isNaN(verdicts[share])) this.#hasAny = true;
    }
  }

  /** Returns the replies in columns; undefined if nothing was checked. */
  build(
    workload: string,
    sample: AnswerVerdicts["sample"],
  ): AnswerVerdicts | undefined {
    if (!this.#hasAny && sample === undefined) return undefined;
    const { correct, valid, anomalous } = this.#verdicts;
    return {
      ...{ workload, sample },
      prompts: Float64Array.from(this.#prompts),
      places: Float64Array.from(this.#places),
      promptTokens: Float64Array.from(this.#tokens),
      verdicts: {
        correct: Float64Array.from(correct),
        valid: Float64Array.from(valid),
        anomalous: Float64Array.from(anomalous),
      },
    };
  }
}
