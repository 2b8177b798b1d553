/** Texts and colours of the points of a sweep, the same in its plots and in its table. */

import type { ColorName } from "../../core/chart/chart.ts";
import { figureText, millisecondsText } from "../../core/chart/figure_text.ts";
import type { PlotReading } from "../../core/chart/point_plot.ts";
import { UNBOUNDED } from "../../core/statistics/unbounded.ts";
import type { JudgedPoint } from "./judged_points.ts";
import { meanOf, type PointResults } from "./point_results.ts";
import { verdictText } from "./point_texts.ts";

/** Colours of diagnoses by the beginnings of their codes, and names in keys. */
const DIAGNOSES: readonly (readonly [code: RegExp, color: ColorName, name: string])[] = [
  [/^saturated/, "queue", "saturated"],
  [/^prefill-bound$/, "prefill", "prefill-bound"],
  [/^decode-bound$/, "decode", "decode-bound"],
  [/^(unsaturated|headroom)$/, "cached", "not saturated"],
  [/^(overload|failing|rejecting|no-result|stalled)$/, "bad", "overload or failures"],
  [/^client-limited$/, "grey", "limit not determined"],
  [/^/, "grey", "limit not determined"],
];

/** Colour and name of what limits a point. */
export function limitOf(
  { diagnosis }: JudgedPoint,
): { readonly color: ColorName; readonly name: string; readonly code: string } {
  const code = String(diagnosis?.["code"] ?? "unknown");
  const [, color, name] = DIAGNOSES.find(([pattern]) => pattern.test(code)) as [
    ...typeof DIAGNOSES[number],
  ];
  return { color, name, code };
}

/** Values of a point's parameters: `16`, or `16 / 512` of two. */
export function pointLabel({ settings }: Pick<JudgedPoint, "settings">): string {
  return Object.values(settings).map((value) =>
    typeof value === "number" ? figureText(value) : value
  ).join(" / ");
}

/** Names of the parameters that vary: `concurrency`, or `concurrency / isl`. */
export function parameterNames(points: readonly CountedPoint[]): string {
  return Object.keys(points[0]?.settings ?? {}).map((name) => parameterName(name, points))
    .join(" / ");
}

/** Options that vary, for sentences: `concurrency`, or `concurrency and isl`. */
export function parameterList(points: readonly Pick<JudgedPoint, "settings">[]): string {
  return Object.keys(points[0]?.settings ?? {}).map((name) => name.replaceAll("_", " "))
    .join(" and ");
}

/** Fields of a point from which the names of its parameters follow. */
export type CountedPoint = Pick<JudgedPoint, "countsSessions" | "settings">;

const NAMES: Readonly<Record<string, string>> = {
  "concurrency": "in flight",
  "request_rate": "requests/s planned",
  "sessions": "sessions in progress",
  "isl": "prompt tokens",
  "osl": "output tokens",
};

/** Names of loads where they count sessions of several requests. */
const SESSION_NAMES: Readonly<Record<string, string>> = {
  "concurrency": "sessions in progress",
  "request_rate": "sessions/s planned",
};

function knownName(parameter: string, countsSessions: boolean): string | undefined {
  return (countsSessions ? SESSION_NAMES[parameter] : undefined) ?? NAMES[parameter];
}

/** Name of a parameter of points on axes and in tables. */
export function parameterName(parameter: string, points: readonly CountedPoint[]): string {
  return knownName(parameter, points.some(({ countsSessions }) => countsSessions)) ??
    parameter.replaceAll("_", " ");
}

/** Settings as text: `32 in flight`, `16 in flight, isl 512`. */
export function settingsWords({ countsSessions, settings }: CountedPoint): string {
  const words = Object.entries(settings).map(([parameter, value]) => {
    const text = typeof value === "number" ? figureText(value) : value;
    const name = knownName(parameter, countsSessions);
    return name === undefined
      ? `${parameter.replaceAll("_", " ")} ${text}`
      : `${text} ${value === 1 ? name.replace(/^sessions /, "session ") : name}`;
  });
  return words.join(", ") || "the plan";
}

/** The interval of a statistic; undefined if it is not known or has no upper end. */
export function intervalOf(
  { shown }: PointResults,
  key: string,
): readonly [lower: number, upper: number] | undefined {
  const sampling = shown.get(key)?.sampling;
  return sampling === undefined || sampling.upper >= UNBOUNDED
    ? undefined
    : [sampling.lower, sampling.upper];
}

/** Whether a point's values are neither valid nor only suspect. */
export function isHollow({ verdict }: JudgedPoint): boolean {
  return verdict !== "valid" && verdict !== "suspect";
}

/** Statistics in the tooltip of a point. */
const READ = [
  ["tokens/s/GPU", "tokens_per_gpu_avg"],
  ["tokens/s", "output_token_throughput_avg"],
  ["requests/s", "request_throughput_avg"],
  ["tokens/s/user", "interactivity_avg"],
  ["TTFT p50", "time_to_first_token_p50"],
  ["TTFT p99", "time_to_first_token_p99"],
  ["ITL mean", "inter_token_latency_avg"],
  ["latency p99", "request_latency_p99"],
  ["session duration p95, s", "session_duration_p95"],
  ["jobs per hour", "jobs_per_hour_avg"],
] as const;

/** Tooltip of a point. */
export function pointReading(point: JudgedPoint): PlotReading {
  const { isKnee, isOnFront, result, verdict } = point;
  return {
    place: settingsWords(point),
    rows: [
      ...READ.flatMap(([label, key]): [string, string][] => {
        const value = meanOf(result, key);
        if (value === undefined) return [];
        const isTime = result.shown.get(key)?.unit === "ms";
        const interval = intervalOf(result, key)?.map(figureText).join(" to ");
        const text = isTime ? millisecondsText(value) : figureText(value);
        return [[label, interval === undefined ? text : `${text} (${interval})`]];
      }),
      ["limit", limitOf(point).code],
      ["verdict", verdict === undefined ? "no result" : verdictText(verdict)],
      ...(isOnFront ? [["frontier", "yes"] as const] : []),
      ...(isKnee ? [["knee", "yes"] as const] : []),
    ],
  };
}
