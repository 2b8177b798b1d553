import type { Reconciliation, RequestCounts } from "../model/profile_report.ts";
import type { MetricTag } from "../../measurement/metrics/metric_tag.ts";
import type { MeasurementError } from "../../measurement/own_error/measurement_error.ts";
import type { BoundedStatistic } from "../../measurement/own_error/bounded_statistics.ts";
import { percentText } from "./number_text.ts";

/** Largest differences that are agreement, of counts and of times. */
const COUNT_TOLERANCE = 0.02;
const TIME_TOLERANCE = 0.05;

const TAGS: ReadonlyMap<string, MetricTag> = new Map([
  ["TTFT", "time_to_first_token"],
  ["ITL", "inter_token_latency"],
  ["chunk gap", "inter_chunk_latency"],
  ["request latency", "request_latency"],
]);

/** Whether the client's and the server's value of a quantity are the same. */
export interface Agreement {
  /** `unknown`: the server's value is an estimate whose range is not known. */
  readonly verdict: "agree" | "within bounds" | "differ" | "unknown";
  /** Difference as a fraction of the server's value; undefined for estimates. */
  readonly share: number | undefined;
  /** Explanation of a difference; undefined if none is known. */
  readonly reason: string | undefined;
}

/** Facts that explain differences. */
export interface AgreementContext {
  readonly requests: Pick<RequestCounts, "failed" | "cancelled" | "cancelledOnPurpose">;
  readonly measurementError?: MeasurementError | undefined;
}

/** Compares both sides of a quantity, and explains a difference as far as it can. */
export function agreementOf(row: Reconciliation, context: AgreementContext): Agreement {
  const { client, doubt, estimated, server, serverBounds } = row;
  if (estimated) {
    if (serverBounds === undefined) {
      return { verdict: "unknown", share: undefined, reason: doubt };
    }
    const [lower, upper] = serverBounds;
    const isOutside = client < lower * (1 - TIME_TOLERANCE) ||
      client > upper * (1 + TIME_TOLERANCE);
    return {
      verdict: isOutside ? "differ" : "within bounds",
      share: undefined,
      reason: isOutside ? doubt ?? ownErrorReason(row, context) : undefined,
    };
  }
  const share = server === 0 ? undefined : (client - server) / server;
  if (agrees(row)) return { verdict: "agree", share, reason: undefined };
  return {
    verdict: "differ",
    share,
    reason: doubt ?? failureReason(row, context) ?? ownErrorReason(row, context),
  };
}

function agrees({ client, doubt, server, unit }: Reconciliation): boolean {
  const tolerance = unit === "ms" ? TIME_TOLERANCE : COUNT_TOLERANCE;
  return doubt === undefined &&
    Math.abs(client - server) <= tolerance * Math.max(Math.abs(client), Math.abs(server));
}

function failureReason(
  { client, server, unit }: Reconciliation,
  { requests: { cancelled, cancelledOnPurpose, failed } }: AgreementContext,
): string | undefined {
  return unit !== "ms" && server > client && failed + cancelled + cancelledOnPurpose > 0
    ? "the server also counts failed requests"
    : undefined;
}

/** A time that the client may have read that much too late. */
function ownErrorReason(
  { quantity, server, serverBounds }: Reconciliation,
  { measurementError }: AgreementContext,
): string | undefined {
  const at = quantity.lastIndexOf(" ");
  const tag = TAGS.get(quantity.slice(0, at));
  const bounds = tag &&
    measurementError?.metrics.get(tag)?.[quantity.slice(at + 1) as BoundedStatistic];
  if (bounds === undefined) return undefined;
  const [lower, upper] = serverBounds ?? [server, server];
  return bounds.lower <= upper && bounds.upper >= lower
    ? "within the client's own error"
    : undefined;
}

/** A relative difference with its sign: `+16.6 %`. */
export function shareText(share: number): string {
  return `${share > 0 ? "+" : ""}${percentText(share)}`;
}
