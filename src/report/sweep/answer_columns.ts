import { meanOf, type PointResults } from "./point_results.ts";

/** A share of answers of the points of a sweep, in percent. */
export interface AnswerColumn {
  /** Short name with the unit, for heads of tables. */
  readonly head: string;
  /** Name for axes. */
  readonly title: string;
  /** Key of the statistic of a point, which is a fraction. */
  readonly key: string;
  /** Whether zeros at every point mean that there is nothing to show. */
  readonly isSpareAtZero: boolean;
}

const COLUMNS: readonly AnswerColumn[] = [
  column("drift %", "drift, %", "answers_drift_avg"),
  column("correct %", "correct answers, %", "answers_correct_avg"),
  column("valid %", "valid replies, %", "answers_valid_avg"),
  column("anomalies %", "replies with anomalies, %", "answers_anomalous_avg", true),
];

function column(head: string, title: string, key: string, isSpareAtZero = false): AnswerColumn {
  return { head, title, key, isSpareAtZero };
}

/** Shares of answers that some points have; anomalies only if there are any. */
export function answerColumns(points: readonly PointResults[]): AnswerColumn[] {
  return COLUMNS.filter(({ isSpareAtZero, key }) =>
    points.some((point) => {
      const share = meanOf(point, key);
      return share !== undefined && !(isSpareAtZero && share === 0);
    })
  );
}

/** A share of answers of a point, in percent; undefined if the point has none. */
export function answerPercent(point: PointResults, { key }: AnswerColumn): number | undefined {
  const share = meanOf(point, key);
  return share === undefined ? undefined : share * 100;
}
