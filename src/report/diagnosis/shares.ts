import type { Evidence } from "./evidence.ts";

/** Shares that several rules look at; undefined where one of both parts is not known. */
export interface Shares {
  /** Queueing of TTFT. */
  readonly queue: number | undefined;
  /** Prefill, decode and TTFT of latency. */
  readonly prefill: number | undefined;
  readonly decode: number | undefined;
  readonly ttft: number | undefined;
}

/** The shares of a run. */
export function sharesOf({ decodeMs, latencyMs, prefillMs, queueMs, ttftMs }: Evidence): Shares {
  return {
    queue: shareOf(queueMs, ttftMs),
    prefill: shareOf(prefillMs, latencyMs),
    decode: shareOf(decodeMs, latencyMs),
    ttft: shareOf(ttftMs, latencyMs),
  };
}

/** A part of a whole; undefined if one of them is not known. */
export function shareOf(part: number | undefined, whole: number | undefined): number | undefined {
  return part === undefined || whole === undefined || !(whole > 0) ? undefined : part / whole;
}
