import { ERROR_KINDS } from "../../client/record/error_kind.ts";
import type { FlawTexts } from "../../client/record/flaw_texts.ts";
import { VERDICT } from "../../client/record/verdict.ts";
import {
  isCancelled,
  outputSequenceLength,
  type RequestRecord,
} from "../metrics/request_record.ts";
import { ANOMALY_KINDS, type AnomalyKind } from "./anomaly_kinds.ts";
import { INVALID_REASONS, type InvalidReason } from "./invalid_reason.ts";

const NO_CONTENT = ERROR_KINDS.indexOf("no_content");
/** Replies that consist of nothing are no valid requests: their kind of error says it. */
const EMPTY = ANOMALY_KINDS.indexOf("empty");

/** Replies that were checked, and those with anomalies. */
export interface AnomalyCounts {
  /** Replies that were checked. */
  readonly checked: number;
  /** Replies with at least one anomaly. */
  readonly replies: number;
  /** Replies with an anomaly of each kind; a reply may have several. */
  readonly byKind: Readonly<Record<AnomalyKind, number>>;
}

/** Replies by the outcome of a check. */
export interface VerdictCounts {
  readonly yes: number;
  readonly no: number;
  /** Replies whose check could not be made. */
  readonly unchecked: number;
}

/** A reply that breaks a requirement of its own request. */
export interface InvalidReply {
  /** Number of the request in the profiling phase. */
  readonly request: number;
  readonly reason: InvalidReason;
  /** First place and rule that is broken; undefined if it is not known. */
  readonly flaw: string | undefined;
  /** Excerpts that show it; undefined if they are not known. */
  readonly texts?: FlawTexts | undefined;
}

/** Replies that break the requirements of their own requests. */
export interface InvalidCounts {
  /** Replies by the first reason. */
  readonly byReason: Readonly<Record<InvalidReason, number>>;
  /** Output and reasoning tokens of these replies, as far as known. */
  readonly tokens: number;
  /** The first of them. */
  readonly examples: readonly InvalidReply[];
}

/** A reply with another answer than its row expects. */
export interface WrongAnswer {
  /** Number of the request in the profiling phase. */
  readonly request: number;
  /** First difference; undefined if it is not known. */
  readonly flaw: string | undefined;
  /** Excerpts that show it; undefined if they are not known. */
  readonly texts?: FlawTexts | undefined;
}

/** Wrong answers and invalid replies that are kept as examples, at most. */
export const MAX_EXAMPLES = 10;

/** Counts the anomalies and verdicts of the records of a phase. */
export class AnswerTally {
  #checked = 0;
  #replies = 0;
  readonly #byKind = ANOMALY_KINDS.map(() => 0);
  readonly #correct = new Map<number, number>();
  readonly #valid = new Map<number, number>();
  readonly #invalid = INVALID_REASONS.map(() => 0);
  readonly #examples: InvalidReply[] = [];
  readonly #wrong: WrongAnswer[] = [];
  #invalidTokens = 0;
  #uncheckedForm: string | undefined;

  /**
   * Adds a request.
   * @param flaw place and reason of the first flaw of its reply; undefined for none
   * @param texts excerpts that show the flaw
   */
  add(record: RequestRecord, flaw?: string, texts?: FlawTexts): void {
    const { anomalies, correct, errorKind, valid } = record;
    if (!isCancelled(record)) {
      count(this.#correct, correct);
      count(this.#valid, valid);
      if (valid === VERDICT.no) this.#addInvalid(record, flaw, texts);
      if (correct === VERDICT.no && this.#wrong.length < MAX_EXAMPLES) {
        this.#wrong.push({ request: record.index, flaw, ...(texts && { texts }) });
      }
      if (valid === VERDICT.unchecked) this.#uncheckedForm ??= flaw;
    }
    if (errorKind === NO_CONTENT) {
      this.#checked++;
      this.#replies++;
      this.#note(EMPTY);
      return;
    }
    if (Number.isNaN(anomalies) || isCancelled(record)) return;
    this.#checked++;
    if (anomalies === 0) return;
    this.#replies++;
    for (let kind = 0; kind < ANOMALY_KINDS.length; kind++) {
      if ((anomalies >> kind & 1) === 1) this.#note(kind);
    }
  }

  /** Answers compared with expected ones; undefined if there are none. */
  get correct(): VerdictCounts | undefined {
    return verdictCounts(this.#correct);
  }

  /** The first wrong answers. */
  get wrong(): readonly WrongAnswer[] {
    return this.#wrong;
  }

  /** Replies compared with the form that their requests asked for; undefined if there are none. */
  get valid(): VerdictCounts | undefined {
    return verdictCounts(this.#valid);
  }

  /** Replies that break the requirements of their requests; undefined if none was checked. */
  get invalid(): InvalidCounts | undefined {
    if (this.#valid.size === 0) return undefined;
    const byReason = Object.fromEntries(
      INVALID_REASONS.map((reason, at) => [reason, this.#invalid[at] as number]),
    ) as Record<InvalidReason, number>;
    return { byReason, tokens: this.#invalidTokens, examples: this.#examples };
  }

  /** Why the first reply whose form was not checked was not; undefined if all were. */
  get uncheckedForm(): string | undefined {
    return this.#uncheckedForm;
  }

  #addInvalid(record: RequestRecord, flaw?: string, texts?: FlawTexts): void {
    const { index, invalidReason } = record;
    this.#invalidTokens += outputSequenceLength(record) || 0;
    this.#invalid[invalidReason] = (this.#invalid[invalidReason] as number) + 1;
    if (this.#examples.length === MAX_EXAMPLES) return;
    const reason = INVALID_REASONS[invalidReason] as InvalidReason;
    this.#examples.push({ request: index, reason, flaw, ...(texts && { texts }) });
  }

  #note(kind: number): void {
    this.#byKind[kind] = (this.#byKind[kind] as number) + 1;
  }

  /** The counts so far; undefined if no reply was checked. */
  get counts(): AnomalyCounts | undefined {
    if (this.#checked === 0) return undefined;
    const byKind = Object.fromEntries(
      ANOMALY_KINDS.map((kind, at) => [kind, this.#byKind[at] as number]),
    ) as Record<AnomalyKind, number>;
    return { checked: this.#checked, replies: this.#replies, byKind };
  }
}

function count(counts: Map<number, number>, outcome: number): void {
  if (!Number.isNaN(outcome)) counts.set(outcome, (counts.get(outcome) ?? 0) + 1);
}

function verdictCounts(counts: ReadonlyMap<number, number>): VerdictCounts | undefined {
  if (counts.size === 0) return undefined;
  const of = (outcome: number): number => counts.get(outcome) ?? 0;
  return { yes: of(VERDICT.yes), no: of(VERDICT.no), unchecked: of(VERDICT.unchecked) };
}
