/** A run as comparisons see it: its requests, from whichever files they were read. */

import type { AnswerVerdicts } from "../answers/answer_verdicts.ts";
import type { SampledSession } from "./sampled_session.ts";

/** The requests of a run's profiling phase, those left out that were cancelled, by start. */
export interface RunSample {
  /** How the run is called. */
  readonly name: string;
  /** The profiling phase's start, nanoseconds since 1970. */
  readonly startEpochNs: bigint;
  /** Price of an hour of the servers; undefined if it is not known. */
  readonly costPerHour?: number | undefined;
  /**
   * Whether requests by time are rates: not if all have one time because their start is unknown, or
   * if some are missing.
   */
  readonly hasRates: boolean;
  /** Time that rates are divided by: to the last end of any request, or the steady state. */
  readonly durationSeconds: number;
  /**
   * Completions and tokens per second of a steady state, counted inside of it whatever the start of their
   * requests; missing where rates follow from the requests of the sample.
   */
  readonly rates?: { readonly requests: number; readonly tokens: number } | undefined;
  /** Seconds from the first start to each one's start; ascending. */
  readonly startSeconds: Float64Array;
  /** Seconds from the first start to the end of each one's content; NaN for failed requests. */
  readonly endSeconds: Float64Array;
  /** Checked replies of the whole profiling phase; missing if none were checked. */
  readonly answers?: AnswerVerdicts | undefined;
  /** Completed sessions of the whole profiling phase; missing where they are single requests. */
  readonly sessions?: readonly SampledSession[] | undefined;
  /** Values of record metrics by tag; NaN where a request has none, or has failed. */
  readonly columns: ReadonlyMap<string, Float64Array>;
}

/** Contribution of a request to a sample, in any order. */
export interface SampledRequest {
  readonly startNs: number;
  /** End of its content; NaN for a failed request. */
  readonly endNs: number;
  /** End of the request, also of a failed one; missing for that of its content. */
  readonly lastNs?: number;
  value(tag: string): number;
}

/** The metrics that samples hold. */
export const SAMPLED_TAGS = [
  "time_to_first_token",
  "inter_token_latency",
  "request_latency",
  "output_sequence_length",
] as const;

/** Gathers requests in the order in which files have them. */
export class SampleBuilder {
  readonly #starts: number[] = [];
  readonly #ends: number[] = [];
  #lastNs = -Infinity;
  readonly #values = SAMPLED_TAGS.map((): number[] => []);

  add(request: SampledRequest): void {
    this.#starts.push(request.startNs);
    this.#ends.push(request.endNs);
    const { endNs, lastNs = endNs } = request;
    this.#lastNs = Math.max(this.#lastNs, Number.isNaN(endNs) ? lastNs || -Infinity : endNs);
    SAMPLED_TAGS.forEach((tag, i) => {
      const value = Number.isNaN(request.endNs) ? NaN : request.value(tag);
      (this.#values[i] as number[]).push(value);
    });
  }

  /**
   * The sample of what was gathered.
   * @param durationSeconds undefined for the time from the first start to the last end
   */
  build(name: string, startEpochNs: bigint, durationSeconds?: number): RunSample {
    const starts = this.#starts;
    const order = Uint32Array.from(starts.keys()).sort((a, b) =>
      (starts[a] as number) - (starts[b] as number)
    );
    const firstNs = starts[order[0] ?? 0] ?? 0;
    const seconds = (times: readonly number[]): Float64Array =>
      Float64Array.from(order, (i) => ((times[i] as number) - firstNs) / 1e9);
    const startSeconds = seconds(starts);
    return {
      name,
      startEpochNs,
      hasRates: starts.length < 2 || (startSeconds.at(-1) as number) > 0,
      durationSeconds: durationSeconds ?? Math.max(0, (this.#lastNs - firstNs) / 1e9),
      startSeconds,
      endSeconds: seconds(this.#ends),
      columns: new Map(SAMPLED_TAGS.map((tag, i) => [
        tag,
        Float64Array.from(order, (row) => this.#values[i]?.[row] as number),
      ])),
    };
  }
}
