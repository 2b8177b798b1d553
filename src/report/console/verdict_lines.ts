import type { ClientHealth, ProfileReport } from "../model/profile_report.ts";

/** What the client says of its own part in the figures. */
export interface VerdictLines {
  /** What to do about figures that are in doubt. */
  readonly above: readonly string[];
  /** The verdict, with its reasons. */
  readonly last: string;
}

/** The verdict of a run, and advice where it is bad. */
export function verdictLines(report: ProfileReport): VerdictLines {
  const reasons = report.measurementError?.reasons ?? [];
  const { advice } = report.clientHealth;
  return {
    above: [
      ...reasons.map((reason) => `cause: ${reason}`),
      // A reason that was measured comes with its remedy.
      ...(advice.length > 0 && reasons.length === 0 ? [`what to do: ${advice.join("; ")}`] : []),
    ],
    last: healthText(report, figuresText(report.clientHealth)),
  };
}

/** What the client's figures of itself say of its health. */
export function healthText(
  { clientHealth: { ok, problems }, measurementError }: ProfileReport,
  figures: string,
): string {
  if (!ok) return `client health: SUSPECT: ${problems.join("; ")} (${figures})`;
  // What was measured stands below it and says more: nothing is ok beside that.
  const isValid = (measurementError?.verdict ?? "valid") === "valid";
  return isValid ? `client health: ok (${figures})` : `client: ${figures}`;
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
