import { FloatColumn } from "../../core/statistics/float_column.ts";
import { latencyNs, type RequestRecord } from "./request_record.ts";

/**
 * Valid requests that started outside of the part of a run that a table holds. Those that ended in it
 * count in its rates, and in nothing else.
 */
export class StraddlingRequests {
  readonly contentEndNs = new FloatColumn();
  readonly inputTokens = new FloatColumn();
  /** 1 for requests that met all objectives, else 0. */
  readonly good = new FloatColumn();

  /** Adds a valid request. */
  add(record: RequestRecord, isGood: boolean): void {
    this.contentEndNs.push(record.startNs + latencyNs(record));
    this.inputTokens.push(record.inputTokens);
    this.good.push(isGood ? 1 : 0);
  }
}
