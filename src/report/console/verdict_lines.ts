import type { ClientHealth, ProfileReport } from "../model/profile_report.ts";
import { shownWindow } from "../model/shown_window.ts";

/** Returns the reasons why the client's measurements cannot be trusted; empty if there are none. */
export function verdictLines(report: ProfileReport): string[] {
  const { clientHealth } = report;
  const reasons = shownWindow(report).measurementError?.reasons ?? [];
  return [
    ...reasons.map((reason) => `cause: ${reason}`),
    ...(clientHealth.ok ? [] : [healthText(report)]),
    // A reason that was measured comes with its remedy.
    ...(clientHealth.advice.length > 0 && reasons.length === 0
      ? [`action: ${clientHealth.advice.join("; ")}`]
      : []),
  ];
}

/**
 * Whether the client itself was healthy.
 * @param figures its measurements of itself; the most important ones where none are given
 */
export function healthText(
  { clientHealth }: ProfileReport,
  figures: string = figuresText(clientHealth),
): string {
  const { ok, problems } = clientHealth;
  return ok
    ? `client health: ok (${figures})`
    : `client health: SUSPECT: ${problems.join("; ")} (${figures})`;
}

function figuresText({ loopLagMs, sendSlipMs, cpuCores, cores }: ClientHealth): string {
  const lags = loopLagMs.map(({ p99 }) => p99).filter((p99) => p99 >= 0);
  return [
    lags.length > 0 ? `lag p99 ${Math.max(...lags).toFixed(2)} ms` : "lag not measured",
    ...(sendSlipMs.count > 0 ? [`send slip p99 ${sendSlipMs.p99.toFixed(2)} ms`] : []),
    Number.isNaN(cpuCores)
      ? "CPU not measured"
      : `CPU ${Math.round(cpuCores / cores * 100)} % of ${cores} cores`,
  ].join(", ");
}
