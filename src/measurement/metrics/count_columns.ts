import type { StoredColumn } from "../../core/statistics/stored_column.ts";
import { isGood, type ResolvedObjective } from "./objectives.ts";
import {
  completionDiffPct,
  ERROR_ISL,
  promptDiffPct,
  reasoningDiffPct,
  type RecordMetric,
} from "./record_metrics.ts";
import {
  isCancelled,
  isCancelledOnPurpose,
  isValid,
  outputSequenceLength,
  type RequestRecord,
} from "./request_record.ts";
import type { RowsCursor } from "./rows_cursor.ts";
import { isLengthMismatch, type Thresholds } from "./thresholds.ts";

/** Columns of 0 and 1 that counts are sums of. */
export type CountColumn = "cancelled" | "good" | "usageDiscrepancy" | "oslMismatch";

/** Rules by which requests are evaluated. */
export interface CountRules {
  readonly objectives: readonly ResolvedObjective[];
  readonly thresholds: Thresholds;
}

/** How the requests of a table ended, and whether their replies are as they should be, by row. */
export class CountColumns {
  /** Input tokens of failed requests, NaN of others. */
  readonly errorIsl: StoredColumn;
  validCount = 0;
  /** Requests that count neither way, and those of them that were ended on purpose. */
  cancelledCount = 0;
  cancelledOnPurpose = 0;
  readonly #rules: CountRules;
  readonly #metrics: readonly RecordMetric[];
  readonly #columns: Record<CountColumn, StoredColumn>;
  readonly #counted: Record<CountColumn, number> = {
    cancelled: 0,
    good: 0,
    usageDiscrepancy: 0,
    oslMismatch: 0,
  };

  /**
   * @param metrics those of the run
   * @param column makes a column
   */
  constructor(rules: CountRules, metrics: readonly RecordMetric[], column: () => StoredColumn) {
    this.#rules = rules;
    this.#metrics = metrics;
    this.#columns = {
      ...{ cancelled: column(), good: column(), usageDiscrepancy: column(), oslMismatch: column() },
    };
    this.errorIsl = column();
  }

  /** A column of 0 and 1 by row. */
  values(name: CountColumn): Float64Array {
    return this.#columns[name].values;
  }

  /** How many rows have a 1 in it. */
  of(name: CountColumn): number {
    return this.#counted[name];
  }

  /** Counts a request. */
  add(record: RequestRecord, valid: boolean): void {
    if (valid) this.validCount++;
    this.#countEnd(record, valid);
    this.#countContent(record, valid);
  }

  /** Counts the requests of a cursor from one up to another, but not which of them are valid. */
  addRows(cursor: RowsCursor, start: number, end: number, areValid: boolean): void {
    const { record } = cursor;
    if (areValid) {
      this.errorIsl.pushSame(NaN, end - start);
      this.#columns.cancelled.pushSame(0, end - start);
    }
    if (areValid && this.#rules.objectives.length === 0) {
      this.#columns.good.pushSame(1, end - start);
      this.#counted.good += end - start;
      this.#countAll("usageDiscrepancy", cursor, start, end, (each) => this.#isDiscrepant(each));
      this.#countAll("oslMismatch", cursor, start, end, (each) => this.#isMismatch(each));
      return;
    }
    for (let at = start; at < end; at++) {
      cursor.at = at;
      const valid = areValid || isValid(record);
      if (!areValid) this.#countEnd(record, valid);
      this.#countContent(record, valid);
    }
  }

  /** Whether a valid request meets all objectives. */
  isGood(record: RequestRecord): boolean {
    return isGood(record, this.#rules.objectives, this.#metrics);
  }

  /** Counts how a request ended. */
  #countEnd(record: RequestRecord, valid: boolean): void {
    const cancelled = isCancelled(record);
    if (cancelled) this.cancelledCount++;
    if (isCancelledOnPurpose(record)) this.cancelledOnPurpose++;
    this.errorIsl.push(valid || cancelled ? NaN : ERROR_ISL.value(record));
    this.#count("cancelled", cancelled);
  }

  /** Counts whether its reply is as it should be. */
  #countContent(record: RequestRecord, valid: boolean): void {
    this.#count("good", valid && this.isGood(record));
    this.#count("usageDiscrepancy", valid && this.#isDiscrepant(record));
    this.#count("oslMismatch", valid && this.#isMismatch(record));
  }

  /** Counts of which requests something is so, all at once where it is the same of all. */
  #countAll(
    name: CountColumn,
    cursor: RowsCursor,
    start: number,
    end: number,
    isSo: (record: RequestRecord) => boolean,
  ): void {
    const same = cursor.same((record) => isSo(record) ? 1 : 0);
    if (same !== undefined) {
      this.#columns[name].pushSame(same, end - start);
      this.#counted[name] += same * (end - start);
      return;
    }
    for (let at = start; at < end; at++) {
      cursor.at = at;
      this.#count(name, isSo(cursor.record));
    }
  }

  #count(name: CountColumn, isSo: boolean): void {
    this.#columns[name].push(isSo ? 1 : 0);
    if (isSo) this.#counted[name]++;
  }

  #isDiscrepant(record: RequestRecord): boolean {
    const limit = this.#rules.thresholds.usageDiffPct;
    const prompt = promptDiffPct(record);
    const completion = completionDiffPct(record);
    if (Number.isNaN(prompt) || Number.isNaN(completion)) return false;
    return prompt > limit || completion > limit || reasoningDiffPct(record) > limit;
  }

  #isMismatch(record: RequestRecord): boolean {
    return isLengthMismatch(
      outputSequenceLength(record),
      record.requestedTokens,
      this.#rules.thresholds,
    );
  }
}
