import type { Axis, Chart, ColorName } from "../../core/chart/chart.ts";
import { figureText } from "../../core/chart/figure_text.ts";
import { loadsOf, workloadOf } from "../sweep/load_parameters.ts";
import type { PointResults } from "../sweep/point_results.ts";

const COLORS: readonly ColorName[] = ["vermilion", "green", "blue", "purple"];
/** Factor by which the load axis exceeds the largest load. */
const ROOM = 1.05;

/** A statistic of points as a line. */
export interface LoadLine {
  readonly label: string;
  /** Value of a point; undefined if it has none. */
  readonly valueOf: (point: PointResults) => number | undefined;
}

/** Texts of a chart over the load. */
export interface LoadTexts {
  readonly id: string;
  /** Subject of the title, which continues with the change of each line. */
  readonly subject: string;
  readonly caption: string;
  readonly y: Pick<Axis, "label" | "unit">;
}

/** Lines over the load; undefined unless one load varies, or if no point has a value. */
export function sweepLoadChart(
  points: readonly PointResults[],
  lines: readonly LoadLine[],
  { caption, id, subject, y }: LoadTexts,
): Chart | undefined {
  const placed = points.map((result) => ({ result, loads: loadsOf(result.point) }))
    .filter(({ loads }) => loads.length === 1 && Number.isFinite(loads[0]))
    .map(({ result, loads }) => ({ result, load: loads[0] as number }))
    .sort((a, b) => a.load - b.load);
  const workloads = new Set(placed.map(({ result }) => workloadOf(result.point)));
  const last = placed.at(-1);
  const series = lines.flatMap(({ label, valueOf }, at) => {
    const known = placed.flatMap(({ load, result }) => {
      const value = valueOf(result);
      return value === undefined ? [] : [{ load, value }];
    });
    return known.length === 0 ? [] : [{
      label,
      color: COLORS[at % COLORS.length] as ColorName,
      shape: "line" as const,
      x: known.map(({ load }) => load),
      y: known.map(({ value }) => value),
    }];
  });
  if (workloads.size !== 1 || series.length === 0 || last === undefined) return undefined;
  const changes = series.map(({ label, y: values }) =>
    `${label} ${figureText(Number(values[0]))} to ${figureText(Number(values.at(-1)))} ${y.unit}`
  );
  return {
    id,
    title: `${subject} from the lowest to the highest load: ${changes.join("; ")}`,
    caption,
    x: { label: "load", unit: "", scale: "linear", min: 0, max: ROOM * last.load },
    y: { ...y, scale: "linear", min: 0 },
    ...{ series, marks: [], spans: [] },
  };
}
