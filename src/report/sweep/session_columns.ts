import { figureText } from "../../core/chart/figure_text.ts";
import { UNBOUNDED } from "../../core/statistics/unbounded.ts";
import { meanOf, type PointResults } from "./point_results.ts";

/** A statistic of the sessions of the points of a sweep. */
export interface SessionColumn {
  /** Short name with the unit, for heads of tables. */
  readonly head: string;
  /** Name for axes. */
  readonly title: string;
  /** Key of the statistic of a point. */
  readonly key: string;
  /** Whether the interval is shown with the value. */
  readonly hasInterval: boolean;
  /** Whether zeros at every point mean that there is nothing to show. */
  readonly isSpareAtZero: boolean;
}

const COLUMNS: readonly SessionColumn[] = [
  column("duration p50 s", "session duration p50, s", "session_duration_p50", true),
  column("duration p95 s", "session duration p95, s", "session_duration_p95", true),
  column("jobs/h", "jobs per hour", "jobs_per_hour_avg"),
  column("jobs/h/GPU", "jobs per hour and GPU", "jobs_per_hour_per_gpu_avg"),
  column("completed %", "completed sessions, %", "session_completed_rate_avg"),
  {
    ...column("cut off %", "sessions cut off by the end, %", "session_cut_off_rate_avg"),
    isSpareAtZero: true,
  },
  column("hit share %", "achieved of ideal cache hits, %", "session_hit_share_avg"),
];

function column(head: string, title: string, key: string, hasInterval = false): SessionColumn {
  return { head, title, key, hasInterval, isSpareAtZero: false };
}

/** Statistics of sessions that some points have; empty where each session is one request. */
export function sessionColumns(points: readonly PointResults[]): SessionColumn[] {
  return COLUMNS.filter(({ isSpareAtZero, key }) =>
    points.some((point) => {
      const value = meanOf(point, key);
      return value !== undefined && !(isSpareAtZero && value === 0);
    })
  );
}

/** A statistic of a point as text, with its interval if the column has one; `-` without a value. */
export function sessionText(
  point: PointResults,
  { hasInterval, key }: Pick<SessionColumn, "hasInterval" | "key">,
): string {
  const value = meanOf(point, key);
  if (value === undefined) return "-";
  const interval = hasInterval ? point.shown.get(key)?.sampling : undefined;
  if (interval === undefined) return figureText(value);
  const { lower, upper } = interval;
  if (lower <= 0 && upper >= UNBOUNDED) return figureText(value);
  const ends = upper >= UNBOUNDED
    ? `${figureText(lower)} or more`
    : `${figureText(lower)} to ${figureText(upper)}`;
  return `${figureText(value)} (${ends})`;
}
