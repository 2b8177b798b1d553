import { searchLine } from "../../report/console/campaign_report.ts";
import { significantText } from "../../report/console/number_text.ts";
import { markdownText } from "../../report/export/markdown_text.ts";
import type { MissedObjectives } from "../../report/sweep/point_objectives.ts";
import {
  failedRequests,
  meanOf,
  type PointResults,
  windowText,
} from "../../report/sweep/point_results.ts";
import type { SearchResults } from "../../report/sweep/search_results.ts";
import { judgedPoints } from "../../report/sweep/judged_points.ts";
import { sessionColumns, sessionText } from "../../report/sweep/session_columns.ts";
import { placeText, verdictText } from "../../report/sweep/point_texts.ts";
import { SHAPE_TITLES } from "../../report/sweep/sweep_layout.ts";
import { type SweepResults, sweptModel } from "../../report/sweep/sweep_results.ts";

/** Columns: head and statistic. */
const COLUMNS = [
  ["requests/s", "request_throughput_avg"],
  ["tokens/s", "output_token_throughput_avg"],
  ["tokens/s/user", "interactivity_avg"],
  ["TTFT p99, ms", "time_to_first_token_p99"],
  ["ITL avg, ms", "inter_token_latency_avg"],
  ["latency p99, ms", "request_latency_p99"],
] as const;

/** Several runs as a table, for a job's summary or a comment on a change. */
export function sweepMarkdown(
  results: SweepResults,
  search: SearchResults | undefined,
  objectives: ReadonlyMap<PointResults, MissedObjectives>,
): string {
  const { manifest, points } = results;
  const done = points.filter(({ successful }) => successful.length > 0);
  const model = sweptModel(results);
  const columns = COLUMNS.filter(([, key]) =>
    done.some((point) => meanOf(point, key) !== undefined)
  );
  const rows = judgedPoints(points).map((
    { diagnosis, isKnee, isOnFront, result: point, verdict },
  ) =>
    tableRow([
      markdownText(point.point.label || "all runs"),
      ...columns.map(([, key]) => {
        const mean = meanOf(point, key);
        return mean === undefined ? "-" : significantText(mean);
      }),
      String(failedRequests(point)),
      objectivesText(objectives.get(point)),
      markdownText(String(diagnosis?.["code"] ?? "-")),
      verdict === undefined
        ? point.successful.length === 0 ? "no result" : "-"
        : verdictText(verdict),
      manifest.shape.kind === "sweep" ? placeText({ isKnee, isOnFront }) : "",
    ])
  );
  const heads = [
    "",
    ...columns.map(([head]) => head),
    "failed",
    "objectives",
    "limit",
    "verdict",
    "",
  ];
  return [
    `### inferometer ${markdownText(model)}: ${SHAPE_TITLES[manifest.shape.kind]}, ` +
    `${done.length} of ${points.length} points`,
    "",
    ...(search === undefined ? [] : [markdownText(searchLine(search)), ""]),
    tableRow(heads),
    tableRow(heads.map((_, column) => column > 0 && column <= columns.length + 1 ? "---:" : "---")),
    ...rows,
    "",
    markdownText(windowText(points)),
    "",
    ...sessionRows(done),
    ...manifest.notes.map((note) => `- ${markdownText(note)}`),
    ...(manifest.isComplete ? [] : ["- partial: not all runs completed"]),
    "",
    "",
  ].join("\n");
}

/** The sessions of the points as a second table; nothing where each session is one request. */
function sessionRows(points: readonly PointResults[]): string[] {
  const columns = sessionColumns(points);
  if (columns.length === 0) return [];
  return [
    tableRow(["", ...columns.map(({ head }) => head)]),
    tableRow(["---", ...columns.map(() => "---:")]),
    ...points.map((point) =>
      tableRow([
        markdownText(point.point.label || "all runs"),
        ...columns.map((column) => sessionText(point, column)),
      ])
    ),
    "",
    "sessions of whole runs; jobs: completed sessions; in brackets: 95 % intervals",
    "",
  ];
}

function tableRow(cells: readonly string[]): string {
  return `| ${cells.join(" | ")} |`;
}

function objectivesText(missed: MissedObjectives): string {
  if (missed === undefined) return "-";
  const names = missed.map(({ name }) => markdownText(name));
  return names.length === 0 ? "met" : `**missed** ${names.join(", ")}`;
}
