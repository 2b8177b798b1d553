import { SESSION_TAGS } from "../../measurement/metrics/session_metrics.ts";
import { answerFigures } from "../model/answer_figures.ts";
import { answerIntervals } from "../model/answer_intervals.ts";
import { UNBOUNDED } from "../../core/statistics/unbounded.ts";

type Json = Readonly<Record<string, unknown>>;

/** Ends of an interval. */
export interface Interval {
  readonly lower: number;
  readonly upper: number;
}

/** Statistics of the part of a run that is shown: its steady state, or the whole run. */
export interface ShownFigures {
  readonly window: "steady" | "run";
  /** Statistics of that part by metric and statistic; those of the whole run are not repeated. */
  readonly metrics: Json;
  /** Confidence intervals by metric and statistic; empty if they are not known. */
  readonly sampling: Json;
  /** Client error bounds by metric and statistic; empty if they were not measured. */
  readonly error: Json;
}

/** The shown part of a run, by the keys `validity` and `steady_state` of its summary. */
export function shownFigures(summary: Json): ShownFigures {
  const steady = objectIn(summary, "steady_state");
  const isSteady = objectIn(summary, "validity")["window"] === "steady" &&
    steady["metrics"] !== undefined;
  const part = isSteady ? steady : summary;
  // Answers and sessions are those of the whole run, whatever part is shown.
  const answers = summary["answers"] === undefined ? undefined : objectIn(summary, "answers");
  const errorOf = (one: Json): Json => objectIn(objectIn(one, "measurement_error"), "metrics");
  return {
    window: isSteady ? "steady" : "run",
    metrics: isSteady
      ? {
        ...objectIn(steady, "metrics"),
        ...sessionPart(summary),
        ...Object.fromEntries(answerFigures(answers).map(([tag, { stats }]) => [tag, stats])),
      }
      : {},
    sampling: {
      ...objectIn(part, "sampling_error"),
      ...sessionPart(objectIn(summary, "sampling_error")),
      ...answerIntervals(answers),
    },
    error: { ...errorOf(part), ...sessionPart(errorOf(summary)) },
  };
}

/** The entries of an object by metrics that belong to metrics of sessions. */
function sessionPart(byMetric: Json): Json {
  return Object.fromEntries(Object.entries(byMetric).filter(([tag]) => SESSION_TAGS.has(tag)));
}

/** An object below another one; empty if there is none. */
export function objectIn(value: Json, key: string): Json {
  const found = value[key];
  return typeof found === "object" && found !== null ? found as Json : {};
}

/** An interval below metrics and statistics; undefined if there is none. */
export function intervalIn(value: Json, metric: string, statistic: string): Interval | undefined {
  const { lower, upper } = objectIn(objectIn(value, metric), statistic);
  if (typeof lower !== "number") return undefined;
  // Null: there is no upper end.
  if (upper === null) return { lower, upper: UNBOUNDED };
  return typeof upper === "number" ? { lower, upper } : undefined;
}
