import { summarize, type Summary } from "../core/statistics/summarize.ts";

/** Requests of which every time is kept, unless all are to be. */
const MAX_REQUESTS = 20_000;
/** Maximum number of values per distribution; later values are counted but not stored. */
const MAX_VALUES = 2_000_000;

/** Ground truth about one request, by the server's clock. */
export interface ServedRequest {
  readonly requestId: string;
  /** X-Correlation-ID of its session; absent if the request has none. */
  readonly session?: string;
  /** Epoch in milliseconds, with fractions: when the request was complete. */
  readonly receivedMs: number;
  /** Milliseconds from the arrival until the request was admitted. */
  readonly startedAfterMs: number;
  /** Milliseconds from there to the write of each content chunk. */
  readonly sentAfterMs: readonly number[];
  /** Milliseconds from the arrival to the end of the reply. */
  readonly endedAfterMs: number;
  readonly promptTokens: number;
  /** Prompt tokens that were cached; absent without a prefix cache. */
  readonly cachedTokens?: number | undefined;
  readonly outputTokens: number;
  /** Digest of its texts in their order; absent where prefixes are not remembered. */
  readonly inputDigest?: string;
  /** Way in which its answer was broken; absent if it was whole. */
  readonly corruption?: string;
  /** `stop`, `length`, or the fault that was injected. */
  readonly outcome: string;
}

/**
 * Record of what the mock server did and when, for tests to compare with the client's measurements.
 */
export class MockTruth {
  #requests = 0;
  #succeeded = 0;
  /** Broken answers by the way in which they are broken. */
  readonly #corrupted = new Map<string, number>();
  #events = 0;
  #ttftMs: number[] = [];
  #gapMs: number[] = [];
  #lateMs: number[] = [];
  readonly #served: ServedRequest[] = [];
  readonly #maxRequests: number;

  /** @param keepsAll whether the times of every request are kept, however many there are */
  constructor(keepsAll = false) {
    this.#maxRequests = keepsAll ? Infinity : MAX_REQUESTS;
  }

  /** A request has been read. */
  received(): void {
    this.#requests++;
  }

  /** An event with content was written `lateMs` after its time. */
  sent(lateMs: number): void {
    this.#events++;
    if (this.#lateMs.length < MAX_VALUES) this.#lateMs.push(lateMs);
  }

  /** A request has ended. */
  ended(request: ServedRequest, succeeded: boolean): void {
    if (succeeded) this.#succeeded++;
    const { corruption } = request;
    if (corruption !== undefined) {
      this.#corrupted.set(corruption, (this.#corrupted.get(corruption) ?? 0) + 1);
    }
    const { sentAfterMs } = request;
    if (sentAfterMs.length > 0 && this.#ttftMs.length < MAX_VALUES) {
      this.#ttftMs.push(sentAfterMs[0] as number);
    }
    for (let i = 1; i < sentAfterMs.length && this.#gapMs.length < MAX_VALUES; i++) {
      this.#gapMs.push((sentAfterMs[i] as number) - (sentAfterMs[i - 1] as number));
    }
    if (this.#served.length < this.#maxRequests) this.#served.push(request);
  }

  /** The requests that have ended since the last call; they are forgotten. */
  takeServed(): ServedRequest[] {
    return this.#served.splice(0);
  }

  /** Forgets everything. */
  reset(): void {
    this.#requests = 0;
    this.#succeeded = 0;
    this.#corrupted.clear();
    this.#events = 0;
    this.#ttftMs = [];
    this.#gapMs = [];
    this.#lateMs = [];
    this.#served.length = 0;
  }

  /**
   * Returns a line for each request that has ended: its X-Request-ID, then nanoseconds since 1970
   * of its arrival, its admission, and the write of each content chunk.
   */
  lines(): string {
    return this.#served.map(({ requestId, receivedMs, startedAfterMs, sentAfterMs }) => {
      const times = [0, startedAfterMs, ...sentAfterMs].map(clockOf(receivedMs));
      return `${requestId} ${times.join(" ")}\n`;
    }).join("");
  }

  /**
   * Returns a JSON object for each request that has ended, a line each: its X-Request-ID and session,
   * arrival, admission and end in nanoseconds since 1970, tokens, and outcome.
   */
  requestLines(): string {
    return this.#served.map((request) => {
      const { receivedMs, startedAfterMs, endedAfterMs } = request;
      const epochNs = clockOf(receivedMs);
      const fields = {
        "request_id": request.requestId,
        "session": request.session ?? null,
        "received_ns": Number(epochNs(0)),
        "started_ns": Number(epochNs(startedAfterMs)),
        "ended_ns": Number(epochNs(endedAfterMs)),
        "prompt_tokens": request.promptTokens,
        "cached_tokens": request.cachedTokens ?? null,
        "output_tokens": request.outputTokens,
        "outcome": request.outcome,
      };
      return `${JSON.stringify(fields)}\n`;
    }).join("");
  }

  /** How late chunks that had a time were written; their number may be 0. */
  get lateness(): Summary {
    return summarize(Float64Array.from(this.#lateMs));
  }

  /** Returns the statistics of `/mock/stats`. */
  stats(withRequests: boolean): Record<string, unknown> {
    return {
      "requests": this.#requests,
      "succeeded": this.#succeeded,
      "corrupted": Object.fromEntries(this.#corrupted),
      "content_events": this.#events,
      "ttft_ms": figures(summarize(Float64Array.from(this.#ttftMs))),
      "gap_ms": figures(summarize(Float64Array.from(this.#gapMs))),
      "write_lateness_ms": figures(this.lateness),
      ...(withRequests
        ? {
          "served": this.#served.map((request) => ({
            "request_id": request.requestId,
            "received_epoch_ms": request.receivedMs,
            "sent_after_ms": request.sentAfterMs,
            "session": request.session,
            "ended_after_ms": request.endedAfterMs,
            "prompt_tokens": request.promptTokens,
            "cached_tokens": request.cachedTokens,
            "output_tokens": request.outputTokens,
            "input_digest": request.inputDigest,
            "outcome": request.outcome,
            "corruption": request.corruption,
          })),
        }
        : {}),
    };
  }
}

/** Gives nanoseconds since 1970 of times after an arrival. */
function clockOf(receivedMs: number): (afterMs: number) => bigint {
  // A double holds today's epoch to a fraction of a microsecond.
  const receivedNs = BigInt(Math.round(receivedMs * 1e3)) * 1000n;
  return (afterMs) => receivedNs + BigInt(Math.round(afterMs * 1e6));
}

function figures(
  { count, avg, min, max, p50, p90, p99 }: Summary,
): Record<string, number> {
  return { count, avg, min, max, p50, p90, p99 };
}
