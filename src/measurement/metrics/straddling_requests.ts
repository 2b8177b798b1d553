import { FloatColumn } from "../../core/statistics/float_column.ts";
import { isValid, latencyNs, type RequestRecord } from "./request_record.ts";

/**
 * Requests that started outside of the part of a run that a table holds. Valid ones that ended in it
 * count in its rates, and all of them in its load.
 */
export class StraddlingRequests {
  /** Starts, intended starts and ends of all of them. */
  readonly allStartNs = new FloatColumn();
  readonly intendedNs = new FloatColumn();
  readonly allEndNs = new FloatColumn();
  /** End of the content of each; NaN for failed requests. */
  readonly contentEndNs = new FloatColumn();
  readonly inputTokens = new FloatColumn();
  /** 1 for requests that met all objectives, else 0. */
  readonly good = new FloatColumn();

  /** Adds a request. */
  add(record: RequestRecord, isGood: boolean): void {
    this.allStartNs.push(record.startNs);
    this.intendedNs.push(record.intendedNs);
    this.allEndNs.push(record.endNs);
    this.contentEndNs.push(isValid(record) ? record.startNs + latencyNs(record) : NaN);
    this.inputTokens.push(record.inputTokens);
    this.good.push(isGood ? 1 : 0);
  }
}
