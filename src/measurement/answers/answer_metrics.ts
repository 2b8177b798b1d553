import type { Metric, MetricFlag } from "../metrics/metric.ts";

const FLAGS: readonly MetricFlag[] = ["NO_INDIVIDUAL_RECORDS", "NO_CONSOLE"];

/** Values of the key `answers` that objectives can name, as `answers.drift` and so on. */
export const ANSWER_METRICS = {
  drift: {
    tag: "answers_drift",
    header: "Answer Drift",
    unit: "ratio",
    flags: FLAGS,
  },
  correct: {
    tag: "answers_correct",
    header: "Correct Answers",
    unit: "ratio",
    flags: [...FLAGS, "LARGER_IS_BETTER"],
  },
  valid: {
    tag: "answers_valid",
    header: "Valid Answers",
    unit: "ratio",
    flags: [...FLAGS, "LARGER_IS_BETTER"],
  },
  anomalous: {
    tag: "answers_anomalous",
    header: "Replies with Anomalies",
    unit: "ratio",
    flags: FLAGS,
  },
  anomalies: {
    tag: "answers_anomalies",
    header: "Answer Anomalies",
    unit: "count",
    flags: FLAGS,
  },
} as const satisfies Readonly<Record<string, Metric>>;
