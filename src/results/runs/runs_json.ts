import { figureOf } from "../../config/gate/figure.ts";
import type { FigureName } from "../../config/gate/slo.ts";
import { USER_AGENT } from "../../config/plan/version.ts";
import { jsonText } from "../../core/files/json_text.ts";
import type { ListedRun } from "./listed_run.ts";
import type { RunHistory } from "./run_history.ts";
import { HEADLINES } from "./run_table.ts";

/** Runs, and the figure that was followed, as JSON. */
export function runsJson({ runs, points }: RunHistory, figure: FigureName | undefined): string {
  return jsonText({
    "schema_version": "1.0",
    "product": USER_AGENT,
    "runs": runs.map(runObject),
    ...(figure === undefined ? {} : {
      "trend": {
        "metric": figure.metric,
        "statistic": figure.statistic,
        "source": figure.source,
        "unit": points[0]?.unit ?? null,
        "points": points.map(({ run, value }) => ({
          "folder": run.folder,
          "start_time": timeOf(run),
          "value": value,
        })),
      },
    }),
  }) + "\n";
}

function runObject(run: ListedRun): Record<string, unknown> {
  const metrics = HEADLINES.flatMap(([, { metric, statistic, ...rest }]) => {
    const found = figureOf({ ...rest, metric, statistic }, run.judged);
    return found === undefined ? [] : [{ metric, statistic, ...found }];
  });
  return {
    "folder": run.folder,
    "start_time": timeOf(run),
    "product": run.product ?? null,
    "model": run.model,
    "load": run.load,
    "server": run.server ?? null,
    "state": run.state,
    "ended_early_reason": run.endReason ?? null,
    "verdict": run.verdict ?? null,
    "gates_met": run.gatesMet ?? null,
    "tags": Object.fromEntries(run.tags),
    "metrics": metrics,
    "damage": run.damage,
    "problem": run.problem ?? null,
  };
}

function timeOf({ startMs }: ListedRun): string | null {
  return startMs === undefined || !(Math.abs(startMs) < 8e15)
    ? null
    : new Date(startMs).toISOString();
}
