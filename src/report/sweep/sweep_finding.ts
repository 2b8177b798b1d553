/** The finding of a sweep, as sentences computed from its points. */

import { figureText, millisecondsText } from "../../core/chart/figure_text.ts";
import type { JudgedPoint } from "./judged_points.ts";
import { isLoad, loadsOf, workloadOf } from "./load_parameters.ts";
import { meanOf, type PointResults } from "./point_results.ts";
import { limitText, type MissedObjectives, type TtftLimit } from "./point_objectives.ts";
import { axisName } from "./point_texts.ts";
import type { SweepFront } from "./sweep_front.ts";
import { intervalOf, limitOf, pointLabel, settingsWords } from "./point_values.ts";

/** See the module's comment. Sentences have no final period. */
export interface SweepFinding {
  readonly text: string;
  /** Part of the text to emphasize; missing for none. */
  readonly subject?: string;
  /** Meaning of the finding; empty for none. */
  readonly cause: string;
  /** Finding without the words that the label `knee` has; missing where there is no single knee. */
  readonly knee?: string;
}

const TTFT = "time_to_first_token_p99";

/** Describes the knee of a sweep over loads, or the trend of another one. */
export function sweepFinding(points: readonly JudgedPoint[], front: SweepFront): SweepFinding {
  const gain = front.axes?.gain.key;
  const done = points.filter(({ result }) => result.successful.length > 0);
  if (done.length === 0 || gain === undefined) {
    return { text: "No point has a result", cause: "" };
  }
  const knees = done.filter(({ isKnee }) => isKnee);
  if (knees.length > 1) return kneesFinding(knees, done, gain);
  const [knee] = knees;
  return knee === undefined ? trend(done, gain) : kneeFinding(knee, done, gain);
}

function kneeFinding(
  knee: JudgedPoint,
  points: readonly JudgedPoint[],
  gain: string,
): SweepFinding {
  const ordered = points.filter(({ result }) =>
    workloadOf(result.point) === workloadOf(knee.result.point)
  ).toSorted((a, b) => (loadsOf(a.result.point)[0] ?? 0) - (loadsOf(b.result.point)[0] ?? 0));
  const largest = ordered.at(-1) as JudgedPoint;
  if (largest === knee) {
    const grown = `up to ${settingsWords(knee)}: throughput still grows, to ${gains(knee, gain)}`;
    return {
      text: `No knee ${grown}`,
      knee: `none ${grown}`,
      cause: [limitClause(knee), "a larger load shows where it ends"].join("; "),
    };
  }
  const reached = `${settingsWords(knee)}: ${gains(knee, gain)}`;
  return {
    text: `The knee is at ${reached}`,
    knee: reached,
    subject: settingsWords(knee),
    cause: [beyondText(knee, largest, gain), limitClause(largest)].join(". "),
  };
}

/**
 * Describes the point with the largest throughput of those that meet every objective; undefined if no
 * objective was evaluated.
 * @param missed objectives that each point missed
 */
export function bestFinding(
  points: readonly JudgedPoint[],
  front: SweepFront,
  missed: ReadonlyMap<PointResults, MissedObjectives>,
): string | undefined {
  const gain = front.axes?.gain.key;
  const judged = points.filter(({ result }) => missed.get(result) !== undefined);
  if (gain === undefined || judged.length === 0) return undefined;
  const good = judged.filter(({ result }) =>
    missed.get(result)?.length === 0 && result.successful.length > 0
  );
  const [best] = good.toSorted((a, b) =>
    (meanOf(b.result, gain) ?? 0) - (meanOf(a.result, gain) ?? 0)
  );
  return best === undefined
    ? "no point meets every objective"
    : `${settingsWords(best)} meets every objective: ${gains(best, gain)}`;
}

/** The knees of several workloads. */
function kneesFinding(
  knees: readonly JudgedPoint[],
  points: readonly JudgedPoint[],
  gain: string,
): SweepFinding {
  const isLast = (knee: JudgedPoint): boolean =>
    points.every((other) =>
      workloadOf(other.result.point) !== workloadOf(knee.result.point) ||
      (loadsOf(other.result.point)[0] ?? 0) <= (loadsOf(knee.result.point)[0] ?? 0)
    );
  const values = knees.map((point) => `${settingsWords(point)}: ${gains(point, gain)}`);
  return {
    text: knees.every(isLast)
      ? `No knee yet: throughput still grows at the largest load of ${knees.length} workloads`
      : `The knees are at ${knees.map(settingsWords).join("; ")}`,
    cause: [...values, limitsText(points)].join(". "),
  };
}

/** Gain of the largest load over the knee, and its cost. */
function beyondText(knee: JudgedPoint, largest: JudgedPoint, gain: string): string {
  const [from, to] = [knee, largest].map(({ result }) => meanOf(result, gain) as number) as [
    ...[number, number],
  ];
  const half = jointPoints(knee, largest, gain);
  const change = (to / from - 1) * 100;
  const points = half === undefined ? "" : ` (± ${figureText(half * 100)} points)`;
  const served = `${settingsWords(largest)} serves ${change > 0 ? "+" : ""}${change.toFixed(1)} %` +
    `${points} against the knee`;
  return [served, ...ttftChange(knee, largest)].join("; ");
}

/** Change of TTFT p99 from a point to another one; empty if it is not known. */
function ttftChange(from: JudgedPoint, to: JudgedPoint): string[] {
  const [before, after] = [from, to].map(({ result }) => meanOf(result, TTFT));
  return before === undefined || after === undefined
    ? []
    : [`TTFT p99 goes from ${millisecondsText(before)} to ${millisecondsText(after)}`];
}

/** Half of the interval of the relative change between two points; undefined if it is not known. */
function jointPoints(a: JudgedPoint, b: JudgedPoint, key: string): number | undefined {
  const halves = [a, b].map(({ result }) => {
    const interval = intervalOf(result, key);
    return interval && (interval[1] - interval[0]) / 2 / (meanOf(result, key) as number);
  });
  const [first, second] = halves;
  return first === undefined || second === undefined ? undefined : Math.hypot(first, second);
}

/** How throughput and TTFT change from the first to the last value of the parameters. */
function trend(points: readonly JudgedPoint[], gain: string): SweepFinding {
  const [name = ""] = Object.keys(points[0]?.settings ?? {});
  const ordered = points.toSorted((a, b) => Number(a.settings[name]) - Number(b.settings[name]));
  const [first, last] = [ordered[0], ordered.at(-1)] as [JudgedPoint, JudgedPoint];
  if (first === last) return { text: `One point has a result: ${gains(first, gain)}`, cause: "" };
  const [from, to] = [first, last].map(({ result }) => meanOf(result, gain) as number) as [
    ...[number, number],
  ];
  const verb = to < from ? "falls" : "rises";
  return {
    text: `Throughput ${verb} from ${figureText(from)} to ${figureText(to)} ${axisName(gain)} ` +
      `from ${settingsWords(first)} to ${settingsWords(last)}`,
    cause: [...ttftChange(first, last), limitsText(points)].join(". "),
  };
}

/** `1,979 tokens/s in total, 63.7 for each user`. */
function gains({ result }: JudgedPoint, gain: string): string {
  const perUser = meanOf(result, "interactivity_avg");
  const tokens = meanOf(result, "output_token_throughput_avg");
  const total = tokens === undefined
    ? `${figureText(meanOf(result, gain) as number)} ${axisName(gain)}`
    : `${figureText(tokens)} tokens/s`;
  return perUser === undefined ? total : `${total} in total, ${figureText(perUser)} for each user`;
}

/** Bottleneck of a point, by its diagnosis. */
function limitClause(point: JudgedPoint): string {
  const text = point.diagnosis?.["text"];
  return typeof text === "string" && text !== ""
    ? `${settingsWords(point)}: ${text}`
    : `The limit of ${settingsWords(point)} is not known`;
}

/** Which points have which limit: `4, 8: not saturated; 16: saturated`. */
function limitsText(points: readonly JudgedPoint[]): string {
  return [...Map.groupBy(points, (point) => limitOf(point).name)]
    .map(([name, some]) => `${some.map(pointLabel).join(", ")}: ${name}`).join("; ");
}

/** Title of the plane of throughput and TTFT. */
export function ttftTitle(points: readonly JudgedPoint[], limit: TtftLimit | undefined): string {
  const values = points.flatMap((point) => {
    const ms = meanOf(point.result, TTFT);
    return ms === undefined ? [] : [{ point, ms }];
  });
  if (limit === undefined) {
    const all = values.map(({ ms }) => ms);
    return `TTFT p99 is ${millisecondsText(Math.min(...all))} to ${
      millisecondsText(Math.max(...all))
    }`;
  }
  const missed = values.filter(({ ms }) => ms >= limit.ms).map(({ point }) => pointLabel(point));
  if (missed.length === 0) return `Every point meets ${limitText(limit)}`;
  return missed.length === values.length
    ? `No point meets ${limitText(limit)}`
    : `${missed.join(", ")} ${missed.length === 1 ? "misses" : "miss"} ${limitText(limit)}`;
}

/** Title of the bars of a request's time: the largest part at the smallest and the largest load. */
export function timeTitle(points: readonly JudgedPoint[]): string {
  const shares = points.flatMap((point) => {
    const { decodeMs, latencyMs } = point.evidence ?? {};
    return decodeMs === undefined || latencyMs === undefined || !(latencyMs > 0)
      ? []
      : [{ label: pointLabel(point), share: decodeMs / latencyMs }];
  });
  const least = shares.toSorted((a, b) => a.share - b.share)[0];
  const most = shares.toSorted((a, b) => b.share - a.share)[0];
  if (least === undefined || most === undefined) return "Where a request's time goes";
  const text = (share: number): string => `${(share * 100).toFixed(0)} %`;
  return text(least.share) === text(most.share)
    ? `Decode takes ${text(most.share)} of a request's time`
    : `Decode takes ${text(most.share)} of a request's time at ${most.label}, ` +
      `${text(least.share)} at ${least.label}`;
}

/** Title of a sweep: `Sweep of concurrency 1 to 48`. */
export function sweepTitle(points: readonly JudgedPoint[]): string {
  const names = Object.keys(points[0]?.settings ?? {});
  const ranges = names.map((name) => {
    const values = points.map(({ settings }) => settings[name] as number | "inf");
    const numbers = values.filter((value) => value !== "inf").toSorted((a, b) => a - b);
    const [least, most] = [numbers[0], numbers.at(-1)];
    const word = isLoad(name) ? name.replaceAll("_", " ") : name;
    return least === undefined || most === undefined
      ? word
      : `${word} ${figureText(least)} to ${values.includes("inf") ? "inf" : figureText(most)}`;
  });
  return ranges.length === 0 ? "Sweep" : `Sweep of ${ranges.join(" and ")}`;
}
