/** The statistics over the runs of one point, as AIPerf writes them. */

import { judgedPoints } from "./judged_points.ts";
import { jsonText } from "../../core/files/json_text.ts";
import { figureError } from "./point_error.ts";
import type { PointResults } from "./point_results.ts";
import { isSuccessful } from "./run_figures.ts";
import { csv } from "./sweep_csv.ts";
import { figureObject, partObject, runCounts } from "./sweep_json.ts";
import type { SweepManifest } from "./sweep_manifest.ts";

/** Version of the layout, as AIPerf counts it. */
const SCHEMA_VERSION = "1.0";

/** `profile_export_aiperf_aggregate.json`: AIPerf's keys, and after them our own. */
export function aggregateJson(result: PointResults, manifest: SweepManifest): string {
  return `${
    jsonText({
      "schema_version": SCHEMA_VERSION,
      "aiperf_version": manifest.product,
      "metadata": {
        "aggregation_type": "confidence",
        ...runCounts([result]),
        ...metadataOf(result, manifest),
        "cli_command": manifest.command,
        "notes": manifest.notes,
      },
      "metrics": Object.fromEntries(
        [...result.figures].map(([key, figure]) => [key, {
          ...figureObject(figure),
          ...figureError(result, key),
        }]),
      ),
      ...(result.error === undefined ? {} : { "measurement_error": result.error }),
      ...partObject(result, judgedPoints([result])[0]?.diagnosis),
    })
  }\n`;
}

/** `profile_export_aiperf_aggregate.csv`: a row for each statistic, then what the runs were. */
export function aggregateCsv(result: PointResults, manifest: SweepManifest): string {
  const { runs, successful, figures } = result;
  const head = [
    ...["metric", "mean", "std", "min", "max", "cv"],
    ...["se", "ci_low", "ci_high", "t_critical", "unit"],
  ];
  const cell = (value: number, decimals = 2): string =>
    Number.isFinite(value) ? value.toFixed(decimals) : "";
  const rows = [...figures].map(([key, figure]) => [
    key,
    ...[figure.mean, figure.std, figure.min, figure.max].map((value) => cell(value)),
    ...[cell(figure.cv, 4), cell(figure.se, 4), cell(figure.ciLow), cell(figure.ciHigh)],
    ...[cell(figure.tCritical, 4), figure.unit],
  ]);
  const facts = [
    ["Aggregation Type", "confidence"],
    ["Total Runs", String(runs.length)],
    ["Successful Runs", String(successful.length)],
    ...Object.entries(metadataOf(result, manifest)).map(([key, value]) => [
      titled(key),
      typeof value === "object" ? JSON.stringify(value) : String(value),
    ]),
    ...(result.error === undefined ? [] : [["Measurement Error Verdict", result.error.verdict]]),
  ];
  return `${csv([head, ...rows])}\r\n${csv(facts)}`;
}

function metadataOf(
  { point, runs, successful }: PointResults,
  { confidenceLevel, cooldownSeconds, shape }: SweepManifest,
): Record<string, unknown> {
  return {
    "confidence_level": confidenceLevel,
    "run_labels": runs.flatMap(({ trial, figures }) =>
      figures !== undefined && isSuccessful(figures)
        ? [`run_${String(trial + 1).padStart(4, "0")}`]
        : []
    ),
    ...(successful.length === 1 ? { "single_run": true } : {}),
    "cooldown_seconds": cooldownSeconds,
    ...(shape.kind === "sweep"
      ? {
        "variation_label": point.label,
        "variation_values": point.values,
        "sweep_mode": shape.mode,
      }
      : {}),
    ...(successful[0] === undefined ? {} : { "model": successful[0].model }),
  };
}

/** `confidence_level` as `Confidence Level`. */
function titled(key: string): string {
  return key.split("_").map((word) => word.slice(0, 1).toUpperCase() + word.slice(1)).join(" ");
}
