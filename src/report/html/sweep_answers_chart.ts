import type { Chart } from "../../core/chart/chart.ts";
import { answerColumns, answerPercent } from "../sweep/answer_columns.ts";
import type { PointResults } from "../sweep/point_results.ts";
import { sweepLoadChart } from "./sweep_load_chart.ts";

/** Shares of answers over the load; undefined unless one load varies, or if no share is known. */
export function sweepAnswersChart(points: readonly PointResults[]): Chart | undefined {
  const lines = answerColumns(points).map((column) => ({
    // The axis has the unit.
    label: column.head.replace(/ %$/, ""),
    valueOf: (point: PointResults) => answerPercent(point, column),
  }));
  return sweepLoadChart(points, lines, {
    id: "answers-load",
    subject: "Answers",
    caption: "Shares of answers over the load; drift beyond the noise floor",
    y: { label: "share", unit: "%" },
  });
}
