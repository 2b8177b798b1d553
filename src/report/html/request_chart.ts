/** Chart of single requests: when each started, how long it took, how it ended. */

import type { Chart, ChartSeries, ColorName } from "../../core/chart/chart.ts";
import { countedText, countText } from "../../core/chart/figure_text.ts";
import type { KeptRequest } from "../model/kept_requests.ts";
import { type RunView, zeroNs } from "./run_view.ts";
import { timeAxis, timelineSpans } from "./timeline_charts.ts";

/** How requests ended, in the order in which they are drawn. */
const OUTCOMES = ["valid", "failed", "cancelled"] as const;
/** See {@linkcode OUTCOMES}. */
export type Outcome = typeof OUTCOMES[number];

const COLORS: Readonly<Record<Outcome, ColorName>> = {
  valid: "client",
  failed: "bad",
  cancelled: "grey",
};

/** Radius of a request with few tokens, and with the most. */
const RADII = [2, 7] as const;
/** Radius where all have as many. */
const USUAL_RADIUS = 3;

/** How a request ended. */
export function outcomeOf({ error }: KeptRequest): Outcome {
  if (error === undefined) return "valid";
  return error.kind === "cancelled" || error.kind === "cancelled_on_purpose"
    ? "cancelled"
    : "failed";
}

/**
 * Returns the chart; undefined without any request. Each outcome is a series with its requests in
 * order.
 */
export function requestChart(view: RunView): Chart | undefined {
  const { requests, report } = view;
  if (requests.length === 0) return undefined;
  const zero = zeroNs(view);
  const radius = radiusOf(requests);
  const series = OUTCOMES.flatMap((outcome): ChartSeries[] => {
    const some = requests.filter((request) => outcomeOf(request) === outcome);
    if (some.length === 0) return [];
    return [{
      ...{ label: outcome, color: COLORS[outcome], shape: "points" },
      x: some.map((request) => milli((request.startNs - zero) / 1e9)),
      y: some.map((request) => milli((request.endNs - request.startNs) / 1e6)),
      radii: some.map(({ outputTokens }) => milli(radius(outputTokens))),
    }];
  });
  const { sent, failed, cancelledOnPurpose, succeeded } = report.requests;
  const cancelled = report.requests.cancelled + cancelledOnPurpose;
  const all = succeeded + failed + cancelled;
  return {
    id: "requests",
    title: `${countedText(all, "request")}, ${failed === 0 ? "none" : countText(failed)} failed` +
      (cancelled === 0 ? "" : `, ${countText(cancelled)} cancelled`),
    caption: `Latency of a request by the time of its start; the more output tokens, the larger` +
      (requests.length < Math.max(all, sent)
        ? `. Shown are ${
          countText(requests.length)
        }: failures, the slowest, and a fair sample of the others`
        : ""),
    x: timeAxis(view),
    y: { label: "latency", unit: "ms", scale: "linear", min: 0 },
    series,
    marks: [],
    spans: timelineSpans(view),
  };
}

/** How large a request's mark is: its area grows with its output tokens. */
export function radiusOf(requests: readonly KeptRequest[]): (tokens: number) => number {
  const tokens = requests.map(({ outputTokens }) => outputTokens || 0);
  const most = tokens.reduce((most, count) => Math.max(most, count), 0);
  if (tokens.every((count) => count === most || count === 0)) return () => USUAL_RADIUS;
  return (count) => RADII[0] + (RADII[1] - RADII[0]) * Math.sqrt((count || 0) / most);
}

/** A thousandth is fine enough. */
export function milli(value: number): number {
  return Math.round(value * 1e3) / 1e3;
}
