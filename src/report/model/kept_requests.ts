/**
 * Some requests of a run in full, for the inspection of single requests: failures, the slowest, and
 * a fair sample of the others. The selection does not depend on the order of the records: the same
 * records keep the same requests.
 */

import { RECORD_FIELD } from "../../client/record/request_fields.ts";
import type { FullRecord } from "../../measurement/metrics/full_record.ts";
import {
  firstTokenNs,
  isValid,
  latencyNs,
  outputSequenceLength,
} from "../../measurement/metrics/request_record.ts";
import type { RowsCursor } from "../../measurement/metrics/rows_cursor.ts";
import { errorDetails } from "./error_details.ts";

/** Number of requests that are kept at most. */
export const MAX_KEPT_REQUESTS = 2000;
const MAX_FAILURES = 1500;
const MAX_SLOWEST = 250;
/** Most chunks of a request whose times are kept. */
const MAX_CHUNKS = 40;
const MAX_MESSAGE = 300;

/** A request that was kept. Times are nanoseconds of the run's clock; NaN for "did not happen". */
export interface KeptRequest {
  readonly index: number;
  readonly requestId: string;
  /** undefined for a valid request. */
  readonly error: {
    readonly kind: string;
    readonly status: number | null;
    readonly message: string;
  } | undefined;
  readonly startNs: number;
  /** The last content of a valid request; the failure of another one. */
  readonly endNs: number;
  readonly ttftNs: number;
  readonly inputTokens: number;
  readonly outputTokens: number;
  /** Waiting for its turn before it started: for a free slot, after its arrival. */
  readonly queuedNs: number;
  readonly blockedNs: number;
  readonly dnsNs: number;
  readonly connectingNs: number;
  readonly sendEndNs: number;
  readonly headNs: number;
  /** Some of the times at which content came, the first and the last among them. */
  readonly chunkNs: readonly number[];
  readonly chunks: number;
}

/** Requests with the largest of their ranks, up to a number of them. */
class Foremost {
  readonly #limit: number;
  #kept: { readonly rank: number; readonly index: number; readonly request: KeptRequest }[] = [];
  #least = -Infinity;

  constructor(limit: number) {
    this.#limit = limit;
  }

  offer(rank: number, index: number, request: () => KeptRequest): void {
    if (rank < this.#least) return;
    this.#kept.push({ rank, index, request: request() });
    // Now and then, not at each: the work is spread.
    if (this.#kept.length >= this.#limit * 2) this.#trim();
  }

  /** Below this rank, a request is not among them. */
  get least(): number {
    return this.#least;
  }

  get all(): KeptRequest[] {
    this.#trim();
    return this.#kept.map(({ request }) => request);
  }

  #trim(): void {
    this.#kept.sort((a, b) => b.rank - a.rank || a.index - b.index);
    this.#kept.length = Math.min(this.#kept.length, this.#limit);
    if (this.#kept.length === this.#limit) this.#least = this.#kept.at(-1)?.rank ?? -Infinity;
  }
}

/** See the module's comment. */
export class KeptRequests {
  readonly #failures = new Foremost(MAX_FAILURES);
  readonly #slowest = new Foremost(MAX_SLOWEST);
  readonly #sample = new Foremost(MAX_KEPT_REQUESTS);

  /** Adds a request of the profiling phase. */
  add(full: FullRecord): void {
    const { record } = full;
    // Those of a dead thread: nothing is known of them.
    if (Number.isNaN(record.startNs)) return;
    const latency = isValid(record) ? latencyNs(record) : undefined;
    this.offer(record.index, latency, () => keptRequest(full));
  }

  /** Adds the requests of a cursor in a range of rows. */
  addRows(cursor: RowsCursor, start: number, end: number): void {
    const { record, rows: { columns } } = cursor;
    const indexes = columns[RECORD_FIELD.index] as Float64Array;
    const kinds = columns[RECORD_FIELD.errorKind] as Float64Array;
    for (let at = start; at < end; at++) {
      cursor.at = at;
      // Nearly all are none of those that are kept.
      const isOne = lot(indexes[at] as number) >= this.#sample.least ||
        !((kinds[at] as number) < 0) || latencyNs(record) >= this.#slowest.least;
      if (isOne) this.add(cursor);
    }
  }

  /**
   * Offers a request; its details are built only if it is kept.
   * @param latency of a valid request; undefined for another one
   */
  offer(index: number, latency: number | undefined, make: () => KeptRequest): void {
    const request = once(make);
    if (latency !== undefined) this.#slowest.offer(latency, index, request);
    else this.#failures.offer(lot(index), index, request);
    this.#sample.offer(lot(index), index, request);
  }

  /** The requests that are kept, by the times of their starts. */
  get all(): KeptRequest[] {
    const kept = new Set([...this.#failures.all, ...this.#slowest.all]);
    for (const request of this.#sample.all) {
      if (kept.size >= MAX_KEPT_REQUESTS) break;
      kept.add(request);
    }
    return [...kept].sort((a, b) =>
      a.startNs - b.startNs || a.index - b.index || a.endNs - b.endNs
    );
  }
}

/** A number between 0 and 1 that is drawn by the request's own number: the same one each time. */
function lot(index: number): number {
  let mixed = Math.imul(index ^ 0x9e3779b9, 0x85ebca6b);
  mixed = Math.imul(mixed ^ (mixed >>> 13), 0xc2b2ae35);
  return ((mixed ^ (mixed >>> 16)) >>> 0) / 2 ** 32;
}

function once<T>(make: () => T): () => T {
  let made: T | undefined;
  return () => made ??= make();
}

function keptRequest({ record, requestId, error }: FullRecord): KeptRequest {
  const valid = isValid(record);
  const details = error === undefined
    ? undefined
    : errorDetails(record.errorKind, record.status, error);
  return {
    index: record.index,
    requestId,
    error: details && {
      kind: details.kind,
      status: details.status,
      message: details.message.slice(0, MAX_MESSAGE),
    },
    startNs: record.startNs,
    endNs: valid ? record.startNs + latencyNs(record) : record.endNs,
    ttftNs: firstTokenNs(record),
    inputTokens: record.inputTokens,
    outputTokens: outputSequenceLength(record),
    queuedNs: record.claimedNs - record.intendedNs,
    blockedNs: record.blockedNs,
    dnsNs: record.dnsNs,
    connectingNs: record.connectingNs,
    sendEndNs: record.sendEndNs,
    headNs: record.headNs,
    chunkNs: someChunks(record.chunkNs),
    chunks: record.chunkNs.length,
  };
}

/** Some of the times at which content came, the first and the last among them. */
export function someChunks(chunkNs: ArrayLike<number>): number[] {
  const last = chunkNs.length - 1;
  const kept = Math.min(chunkNs.length, MAX_CHUNKS);
  const times: number[] = [];
  for (let i = 0; i < kept; i++) {
    times.push(chunkNs[kept === 1 ? last : Math.round(i * last / (kept - 1))] as number);
  }
  return times;
}
