import type { NextRequest } from "../../client/endpoint/protocol/reply_protocol.ts";
import type { OutgoingRequest, TraceMarks } from "../../client/http/transport.ts";

/** Counts that are those of all exchanges together. */
const SUMS = ["bytesSent", "bytesReceived", "writes", "reads", "retried"] as const;

/**
 * A request that takes several exchanges: a job is submitted, and asked for until it is done. It
 * starts with the first of them and ends with the last.
 */
export class JobCourse {
  readonly #submitted: OutgoingRequest;
  readonly #first: TraceMarks;
  readonly #sums: Record<typeof SUMS[number], number>;
  #last: TraceMarks | undefined;

  /** @param first what happened to the exchange that submitted it */
  constructor(submitted: OutgoingRequest, first: TraceMarks) {
    this.#submitted = submitted;
    this.#first = first;
    this.#sums = { bytesSent: 0, bytesReceived: 0, writes: 0, reads: 0, retried: 0 };
  }

  /** When the request started. */
  get startNs(): number {
    return this.#first.startNs;
  }

  /** Adds an exchange that has ended while its job continues. */
  add(trace: TraceMarks): void {
    this.#last = trace;
    for (const name of SUMS) this.#sums[name] += trace[name];
  }

  /** The request that asks for the job. */
  outgoing({ subpath }: NextRequest): OutgoingRequest {
    const [path, query] = this.#submitted.path.split(/(?=\?)/, 2) as [string, string?];
    return {
      ...this.#submitted,
      method: "GET",
      path: path.replace(/\/$/, "") + subpath + (query ?? ""),
      body: [],
    };
  }

  /** Returns the marks of the request as a whole, including its last exchange. */
  whole(last: TraceMarks): TraceMarks {
    const { lastBodyNs, endNs } = last;
    if (last !== this.#last) this.add(last);
    return { ...this.#first, lastBodyNs, endNs, ...this.#sums };
  }
}
