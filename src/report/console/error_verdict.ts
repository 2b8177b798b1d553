import type { Summary } from "../../core/statistics/summarize.ts";
import { distributionOf } from "../../measurement/metrics/compute_results.ts";
import type { MetricTag } from "../../measurement/metrics/metric_tag.ts";
import { MAX_VALID } from "../../measurement/own_error/measurement_error.ts";
import type { ProfileReport } from "../model/profile_report.ts";

/** What the client's own error means for the figures. */
export interface ErrorVerdictText {
  readonly text: string;
  readonly isValid: boolean;
}

/** The figures that a run is judged by; latency where there are no streams. */
const JUDGED: readonly (readonly [tag: MetricTag, name: string])[] = [
  ["time_to_first_token", "TTFT"],
  ["inter_token_latency", "ITL"],
];
const WITHOUT_STREAMS: typeof JUDGED = [["request_latency", "latency"]];

/** The verdict of the client's own error in one sentence; undefined if it was not measured. */
export function errorVerdict(report: ProfileReport): ErrorVerdictText | undefined {
  const { measurementError } = report;
  if (measurementError === undefined) return undefined;
  const shifts = [JUDGED, WITHOUT_STREAMS].map((figures) => shiftsOf(report, figures))
    .find((shifts) => shifts.length > 0);
  const [first, ...others] = shifts ?? [];
  if (first === undefined) return undefined;
  const worst = others.reduce((a, b) => b.share > a.share ? b : a, first);
  const { verdict } = measurementError;
  if (verdict === "valid") {
    const names = [...new Set([first, ...others].map(({ name }) => name))].join(" or ");
    const text = `valid: the client shifted no ${names} statistic by more than ` +
      shareText(worst.share);
    return { text, isValid: true };
  }
  if (worst.share <= MAX_VALID) {
    // Its threads stood still for so much of the time that the bounds are not trusted.
    const text = `${verdict}: the client stood still for too long to tell that it shifted ` +
      `${worst.name} ${worst.statistic} by no more than ${shareText(worst.share)}`;
    return { text, isValid: false };
  }
  const amount = worst.share <= 1
    ? `by up to ${shareText(worst.share)}`
    // Of so short a time, or so few requests, hardly anything is known.
    : Number.isFinite(worst.share)
    ? "by more than half of it"
    : "by any amount";
  return {
    text: `${verdict}: the client may have shifted ${worst.name} ${worst.statistic} ${amount}`,
    isValid: false,
  };
}

interface Shift {
  readonly name: string;
  readonly statistic: string;
  /** Of the least possible value. */
  readonly share: number;
}

function shiftsOf({ results, measurementError }: ProfileReport, figures: typeof JUDGED): Shift[] {
  return figures.flatMap(([tag, name]) => {
    const summary = distributionOf(results, tag);
    const bounds = measurementError?.metrics.get(tag);
    if (summary === undefined || bounds === undefined) return [];
    return Object.entries(bounds).map(([statistic, { lower, upper }]): Shift => {
      const value = summary[statistic as keyof Summary];
      const shift = Math.max(value - lower, upper - value);
      const share = shift === 0 ? 0 : shift / lower;
      return { name, statistic, share: Number.isNaN(share) ? Infinity : share };
    });
  });
}

/** Rounded up, as it is an upper bound. */
function shareText(share: number): string {
  const percent = share * 100;
  const text = percent < 10 ? (Math.ceil(percent * 10) / 10).toFixed(1) : Math.ceil(percent);
  return `${text} %`;
}
