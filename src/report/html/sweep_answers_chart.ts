import type { Chart, ColorName } from "../../core/chart/chart.ts";
import { figureText } from "../../core/chart/figure_text.ts";
import { answerColumns, answerPercent } from "../sweep/answer_columns.ts";
import { loadsOf, workloadOf } from "../sweep/load_parameters.ts";
import type { PointResults } from "../sweep/point_results.ts";

const COLORS: readonly ColorName[] = ["vermilion", "green", "blue", "purple"];
/** Factor by which the load axis exceeds the largest load. */
const ROOM = 1.05;

/** Shares of answers over the load; undefined unless one load varies, or if no share is known. */
export function sweepAnswersChart(points: readonly PointResults[]): Chart | undefined {
  const placed = points.map((result) => ({ result, loads: loadsOf(result.point) }))
    .filter(({ loads }) => loads.length === 1 && Number.isFinite(loads[0]))
    .map(({ result, loads }) => ({ result, load: loads[0] as number }))
    .sort((a, b) => a.load - b.load);
  const workloads = new Set(placed.map(({ result }) => workloadOf(result.point)));
  const columns = answerColumns(placed.map(({ result }) => result));
  const [first, last] = [placed[0], placed.at(-1)];
  if (workloads.size !== 1 || columns.length === 0 || first === undefined || last === undefined) {
    return undefined;
  }
  const series = columns.map((column, at) => {
    const known = placed.flatMap(({ load, result }) => {
      const percent = answerPercent(result, column);
      return percent === undefined ? [] : [{ load, percent }];
    });
    return {
      // The axis has the unit.
      label: column.head.replace(/ %$/, ""),
      color: COLORS[at % COLORS.length] as ColorName,
      shape: "line" as const,
      x: known.map(({ load }) => load),
      y: known.map(({ percent }) => percent),
    };
  });
  const changes = series.map(({ label, y }) =>
    `${label} ${figureText(Number(y[0]))} to ${figureText(Number(y.at(-1)))} %`
  );
  return {
    id: "answers-load",
    title: `Answers from the lowest to the highest load: ${changes.join("; ")}`,
    caption: "Shares of answers over the load; drift beyond the noise floor",
    x: { label: "load", unit: "", scale: "linear", min: 0, max: ROOM * last.load },
    y: { label: "share", unit: "%", scale: "linear", min: 0 },
    ...{ series, marks: [], spans: [] },
  };
}
