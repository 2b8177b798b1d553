import { ERROR_KINDS, type ErrorKind } from "../../client/record/error_kind.ts";
import { firstTokenNs, type RequestRecord } from "./request_record.ts";

/** Kinds of failures by which the client ended a request that still waited for the server. */
const CENSORING: readonly ErrorKind[] = ["timeout", "cut_off"];
const KINDS: ReadonlySet<number> = new Set(CENSORING.map((kind) => ERROR_KINDS.indexOf(kind)));

/** A request whose latency is only known to be longer than it was observed. */
export interface CensoredRequest {
  /** Row of the table. */
  readonly row: number;
  readonly startNs: number;
  /** Time from start to the end by the client, in ms. */
  readonly observedMs: number;
  /** Time to first token in ms; NaN if none had come. */
  readonly ttftMs: number;
}

/**
 * Requests that the client ended, at its timeout or at the end of the run, while they waited for the
 * server. Left out, they would make latencies look shorter the longer a server hangs.
 */
export class CensoredRequests {
  readonly #all: CensoredRequest[] = [];

  /** Adds a request that failed, if it is one of them. */
  add(record: RequestRecord, row: number): void {
    const { endNs, errorKind, startNs } = record;
    if (!KINDS.has(errorKind) || !(endNs >= startNs)) return;
    const ttftMs = firstTokenNs(record) / 1e6;
    this.#all.push({ row, startNs, observedMs: (endNs - startNs) / 1e6, ttftMs });
  }

  /** Returns the requests that started in a time window. */
  within(startNs: number, endNs: number): CensoredRequest[] {
    return this.#all.filter((request) => request.startNs >= startNs && request.startNs < endNs);
  }
}
