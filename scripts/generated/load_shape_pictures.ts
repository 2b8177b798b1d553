/** The pictures of docs/load_shapes.md, drawn of what the program itself goes by. */

import type { LoadPlan, RampPlan, RatePoint } from "../../src/config/plan/run_plan.ts";
import type { Axis, Chart, ChartSeries } from "../../src/core/chart/chart.ts";
import { chartSvg } from "../../src/core/chart/chart_svg.ts";
import { arrivals } from "../../src/load/workload/arrivals.ts";
import { createRate } from "../../src/load/workload/create_rate.ts";
import { limitCurve } from "../../src/load/workload/limit_curve.ts";
import { userSessions } from "../../src/load/workload/user_turns.ts";

type OpenLoad = Extract<LoadPlan, { loop: "open" }>;

const SIZE = { width: 900, height: 300, isFile: true };
const SEED = 1;

/** Text of each picture, by its path in the checkout. */
export const LOAD_SHAPE_PICTURES: readonly (readonly [path: string, svg: () => string])[] = [
  ["docs/load_shapes_arrivals.svg", () => chartSvg(arrivalPatterns(), SIZE)],
  ["docs/load_shapes_ramp.svg", () => chartSvg(ramps(), SIZE)],
  ["docs/load_shapes_series.svg", () => chartSvg(series(), SIZE)],
  ["docs/load_shapes_users.svg", () => chartSvg(users(), SIZE)],
];

function arrivalPatterns(): Chart {
  const [rate, end] = [20, 3];
  const kinds = [
    ["constant", "grey", { arrivalPattern: "constant", smoothness: 1 }],
    ["poisson", "blue", { arrivalPattern: "poisson", smoothness: 1 }],
    ["gamma, 0.2", "vermilion", { arrivalPattern: "gamma", smoothness: 0.2 }],
  ] as const;
  return chart({
    id: "arrivals",
    title: "20 requests a second: evenly, by chance, and in bursts",
    caption: "Requests that have arrived; gamma with --arrival-smoothness 0.2",
    y: { ...COUNT, label: "arrived", unit: "requests" },
    series: kinds.map(([label, color, pattern]) => {
      const times = arrivalSeconds({ ...openLoad(rate), ...pattern }, end);
      return {
        ...{ label, color, shape: "steps" },
        x: [0, ...times, end],
        y: [0, ...times.map((_, index) => index + 1), times.length],
      };
    }),
  });
}

function ramps(): Chart {
  const [target, seconds, end] = [16, 4, 6];
  const kinds = [
    ["linear", "blue"],
    ["exponential", "vermilion"],
    ["steps", "green"],
  ] as const;
  return chart({
    id: "ramp",
    title: "Three ways to 16 in flight within 4 seconds",
    caption: "The limit over time; --ramp-steps 4",
    y: { ...COUNT, label: "most in flight", unit: "requests" },
    series: kinds.map(([shape, color]) => {
      const limit = limitCurve(target, { shape, durationNs: seconds * 1e9, steps: 4 });
      // Several limits may be reached at once.
      const levels = Array.from({ length: target }, (_, index) => index + 1);
      const reached = levels.map((level) => limit.reachedNs(level) / 1e9);
      return {
        ...{ label: shape, color, shape: "steps" },
        x: [...reached, end],
        y: [...levels, target],
      };
    }),
  });
}

function series(): Chart {
  const points: readonly RatePoint[] = [[0, 5], [2, 40], [4, 10]].map((
    [seconds, ratePerSecond],
  ) => ({ seconds: seconds as number, ratePerSecond: ratePerSecond as number }));
  const [end, width] = [6, 0.25];
  const load = { ...openLoad(40), rateSeries: points };
  const rate = createRate(load);
  const times = arrivalSeconds(load, end);
  const edges = Array.from({ length: end / width + 1 }, (_, index) => index * width);
  const perSecond = edges.slice(0, -1).map((from) =>
    times.filter((time) => time >= from && time < from + width).length / width
  );
  return chart({
    id: "series",
    title: "From 5 to 40 requests a second, and back to 10",
    caption: "The rate that was asked for, and the arrivals of each quarter of a second",
    y: { ...COUNT, label: "rate", unit: "requests/s" },
    series: [
      { label: "arrivals", color: "blue", shape: "bars", x: edges, y: [...perSecond, null] },
      {
        ...{ label: "rate", color: "vermilion", shape: "line" },
        x: edges,
        y: edges.map((at) => rate.rateAt(at)),
      },
    ],
  });
}

function users(): Chart {
  const [places, rate, turns, end] = [10, 20, 3, 3];
  const round = places / rate;
  const first: [number, number][] = [];
  const later: [number, number][] = [];
  for (const session of userSessions(places, rate, () => turns)) {
    const begin = session.arrivalNs / 1e9;
    if (begin >= end) break;
    const place = Math.round(begin % round * rate) % places + 1;
    first.push([begin, place]);
    for (let turn = 1; turn < session.turns; turn++) {
      if (begin + turn * round < end) later.push([begin + turn * round, place]);
    }
  }
  const points = (
    label: string,
    color: ChartSeries["color"],
    at: readonly (readonly [number, number])[],
  ): ChartSeries => ({
    ...{ label, color, shape: "points" },
    x: at.map(([seconds]) => seconds),
    y: at.map(([, place]) => place),
    radii: at.map(() => 4),
  });
  return chart({
    id: "users",
    title: "Ten users take turns: 20 requests a second, two a second each",
    caption:
      "Every request; sessions of three turns, of which the first ones are under way already",
    y: { ...COUNT, label: "user", unit: "" },
    series: [points("new session", "vermilion", first), points("next turn", "blue", later)],
  });
}

const COUNT: Pick<Axis, "scale" | "min"> = { scale: "linear", min: 0 };

function chart(parts: Omit<Chart, "x" | "marks" | "spans">): Chart {
  return { ...parts, x: { ...COUNT, label: "time", unit: "s" }, marks: [], spans: [] };
}

function openLoad(ratePerSecond: number): OpenLoad & { readonly rateRamp?: RampPlan } {
  return {
    ...{ loop: "open", ratePerSecond, arrivalPattern: "poisson", smoothness: 1 },
    concurrency: Infinity,
  };
}

/** When requests arrive before a time. */
function arrivalSeconds(load: OpenLoad, end: number): number[] {
  const times: number[] = [];
  for (const ns of arrivals(load, SEED, "profiling")) {
    if (ns / 1e9 >= end) return times;
    times.push(ns / 1e9);
  }
  return times;
}
