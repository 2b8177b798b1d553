import { ERROR_KINDS } from "../../client/record/error_kind.ts";
import { VERDICT } from "../../client/record/verdict.ts";
import { isCancelled, type RequestRecord } from "../metrics/request_record.ts";
import { ANOMALY_KINDS, type AnomalyKind } from "./anomaly_kinds.ts";

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

/** Counts the anomalies and verdicts of the records of a phase. */
export class AnswerTally {
  #checked = 0;
  #replies = 0;
  readonly #byKind = ANOMALY_KINDS.map(() => 0);
  readonly #correct = new Map<number, number>();
  readonly #valid = new Map<number, number>();

  /** Adds a request. */
  add(record: RequestRecord): void {
    const { anomalies, correct, errorKind, valid } = record;
    if (!isCancelled(record)) {
      count(this.#correct, correct);
      count(this.#valid, valid);
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

  /** Replies compared with the form that their requests asked for; undefined if there are none. */
  get valid(): VerdictCounts | undefined {
    return verdictCounts(this.#valid);
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
