/** Data of a page for its script. */

import type { Chart } from "../../../core/chart/chart.ts";
import type { Plot } from "../../../core/chart/plot.ts";

/** Part of a request's time, in milliseconds after its start. */
export type RequestPart = readonly [label: string, fromMs: number, toMs: number];

/** A request whose details are shown when it is chosen. */
export interface RequestDetail {
  readonly number: number;
  readonly id: string;
  readonly outcome: string;
  /** Error message; empty for none. */
  readonly error: string;
  /** Start in seconds of the charts' clock. */
  readonly start: number;
  readonly latencyMs: number;
  readonly ttftMs: number | null;
  readonly inputTokens: number | null;
  readonly outputTokens: number | null;
  readonly radius: number;
  readonly parts: readonly RequestPart[];
  /** Milliseconds after the start at which content came, at most some tens of them. */
  readonly chunkMs: readonly number[];
  readonly chunks: number;
}

/** See the module's comment. */
export interface PageData {
  readonly charts: readonly Chart[];
  /** Charts that share a clock, by their ids. */
  readonly clock: readonly string[];
  /** Plots of sessions. */
  readonly plots: readonly Plot[];
  /** By the times of their starts. */
  readonly requests: readonly RequestDetail[];
}
