/**
 * Throughput and speed of a point of a sweep with bootstrap samples of them. Blocks of consecutive
 * requests of each run are resampled, and a point of several runs has the mean of its runs. The deviations are
 * widened by the dependence of neighbouring blocks, and by what the runs of points differ
 * beyond that.
 */

import { dependenceOf } from "../../core/statistics/dependence.ts";
import { NORMAL_95 } from "../../core/statistics/normal_95.ts";
import { randomStream } from "../../core/statistics/random_stream.ts";
import { studentFactor } from "../../core/statistics/student_factor.ts";
import { type BlockedRun, blockedRun, drawBlocks } from "./blocked_run.ts";
import { momentsOf } from "./difference_uncertainty.ts";
import type { FrontierPlace } from "./frontier_curve.ts";
import type { RunSample } from "./run_sample.ts";

/** Names of both values of a place. */
const VALUES = ["speed", "rate"] as const;
/** Smallest factor of a variance by dependence: users who wait for each other make blocks alternate. */
const LEAST_FACTOR = { speed: 1, rate: 0.1 } as const;

/** A point of a sweep, and places that it may have had instead. */
export interface DrawnPoint extends FrontierPlace {
  readonly draws: readonly FrontierPlace[];
  /** 95 % intervals of both values; NaN if they are not known. */
  readonly intervals: Readonly<
    Record<keyof FrontierPlace, readonly [lower: number, upper: number]>
  >;
}

/** A run, as logarithms. */
interface DrawnRun {
  readonly whole: FrontierPlace;
  /** Deviations of bootstrap samples, widened by the dependence of blocks. */
  readonly deviations: Readonly<Record<keyof FrontierPlace, Float64Array>>;
}

/** Sums of each block of a run. */
interface BlockSums {
  readonly tokens: Float64Array;
  readonly seconds: Float64Array;
  /** Tokens after the first chunk, and the seconds in which they came. */
  readonly streamed: Float64Array;
  readonly streamSeconds: Float64Array;
}

/** Settings of the draws. */
export interface PointDrawOptions {
  readonly draws: number;
  readonly seed: number;
}

/**
 * Draws the points of one or several sweeps: the run-to-run variance is learnt from all of them.
 * @param points runs of each point, and the GPUs by which its throughput is divided
 * @returns undefined for points without throughput or without streams
 */
export function pointDraws(
  points: readonly { readonly runs: readonly RunSample[]; readonly gpus: number }[],
  options: PointDrawOptions,
): (DrawnPoint | undefined)[] {
  const drawn = points.map(({ gpus, runs }, point) =>
    runs.map((run, trial) => drawnRun(run, gpus, options, `${point}/${trial}`))
  );
  const excess = {
    speed: runToRunFactor(drawn, "speed"),
    rate: runToRunFactor(drawn, "rate"),
  };
  return drawn.map((runs) => {
    const known = runs.filter((run) => run !== undefined);
    return known.length === 0 || known.length < runs.length
      ? undefined
      : drawnPoint(known, excess, options.draws);
  });
}

function drawnPoint(
  runs: readonly DrawnRun[],
  excess: Readonly<Record<keyof FrontierPlace, number>>,
  draws: number,
): DrawnPoint {
  const meanOf = (of: (run: DrawnRun) => number): number =>
    runs.reduce((sum, run) => sum + of(run), 0) / runs.length;
  const logs = {
    speed: meanOf(({ whole }) => whole.speed),
    rate: meanOf(({ whole }) => whole.rate),
  };
  const valueAt = (name: keyof FrontierPlace, draw: number): number =>
    Math.exp(
      logs[name] +
        Math.sqrt(excess[name]) * meanOf(({ deviations }) => deviations[name][draw] as number),
    );
  const places = Array.from({ length: draws }, (_, draw) => ({
    speed: valueAt("speed", draw),
    rate: valueAt("rate", draw),
  }));
  return {
    speed: Math.exp(logs.speed),
    rate: Math.exp(logs.rate),
    draws: places,
    intervals: {
      speed: percentileRange(places.map(({ speed }) => speed)),
      rate: percentileRange(places.map(({ rate }) => rate)),
    },
  };
}

/** Central 95 % of values; NaN if any of them is not a number. */
export function percentileRange(values: readonly number[]): readonly [number, number] {
  if (values.length === 0 || values.some(Number.isNaN)) return [NaN, NaN];
  const sorted = Float64Array.from(values).sort();
  const at = (share: number): number => sorted[Math.round(share * (sorted.length - 1))] as number;
  return [at(0.025), at(0.975)];
}

/**
 * Factor by which the variance between runs of a point exceeds what their blocks explain, over all points
 * with several runs; at least 1. It is the ratio of Birge, known with the number of runs beyond
 * the first of each point as degrees of freedom.
 */
function runToRunFactor(
  points: readonly (readonly (DrawnRun | undefined)[])[],
  name: keyof FrontierPlace,
): number {
  let squares = 0;
  let freedom = 0;
  for (const runs of points) {
    const known = runs.filter((run) => run !== undefined);
    if (known.length < 2) continue;
    const mean = known.reduce((sum, { whole }) => sum + whole[name], 0) / known.length;
    const expected = known.reduce(
      (sum, { deviations }) => sum + momentsOf(deviations[name]).variance,
      0,
    ) / known.length;
    if (!(expected > 0)) continue;
    squares += known.reduce((sum, { whole }) => sum + (whole[name] - mean) ** 2, 0) / expected;
    freedom += known.length - 1;
  }
  if (freedom === 0 || squares <= freedom) return 1;
  return squares / freedom * (studentFactor(NORMAL_95, freedom) / NORMAL_95) ** 2;
}

function drawnRun(
  sample: RunSample,
  gpus: number,
  { draws, seed }: PointDrawOptions,
  name: string,
): DrawnRun | undefined {
  const run = blockedRun(sample);
  const sums = blockSums(run);
  const whole = placeOf(sums, new Uint16Array(run.blocks).fill(1));
  if (!(whole.speed > 0) || !(whole.rate > 0) || !Number.isFinite(whole.rate)) return undefined;
  const random = randomStream(seed, name);
  const weights = new Uint16Array(run.blocks);
  const widths = { speed: widthOf("speed", sums, whole), rate: widthOf("rate", sums, whole) };
  const deviations = { speed: new Float64Array(draws), rate: new Float64Array(draws) };
  for (let draw = 0; draw < draws; draw++) {
    drawBlocks([run], weights, random);
    const place = placeOf(sums, weights);
    for (const value of VALUES) {
      deviations[value][draw] = widths[value] * Math.log(place[value] / whole[value]);
    }
  }
  return {
    whole: { speed: Math.log(whole.speed), rate: Math.log(whole.rate / gpus) },
    deviations,
  };
}

function blockSums({ blockOf, blocks, sample, totals }: BlockedRun): BlockSums {
  const streamed = new Float64Array(blocks);
  const streamSeconds = new Float64Array(blocks);
  const column = (tag: string) => sample.columns.get(tag) ?? new Float64Array(0);
  const [latency, ttft, itl] = [
    column("request_latency"),
    column("time_to_first_token"),
    column("inter_token_latency"),
  ];
  blockOf.forEach((block, row) => {
    const seconds = ((latency[row] ?? NaN) - (ttft[row] ?? NaN)) / 1e3;
    const tokens = seconds * 1e3 / (itl[row] ?? NaN);
    if (!Number.isFinite(tokens)) return;
    (streamed[block] as number) += tokens;
    (streamSeconds[block] as number) += seconds;
  });
  return { streamed, streamSeconds, tokens: totals.tokens, seconds: totals.seconds };
}

function placeOf(sums: BlockSums, weights: Uint16Array): FrontierPlace {
  const total = (values: Float64Array): number =>
    values.reduce((sum, value, block) => sum + value * (weights[block] as number), 0);
  return {
    speed: total(sums.streamed) / total(sums.streamSeconds),
    rate: total(sums.tokens) / total(sums.seconds),
  };
}

/**
 * Factor that widens deviations: by the dependence of neighbouring blocks, and by Student's quantile for
 * the few blocks from which a variance is known. NaN with a single block.
 */
function widthOf(name: keyof FrontierPlace, sums: BlockSums, whole: FrontierPlace): number {
  const [counts, seconds] = name === "rate"
    ? [sums.tokens, sums.seconds]
    : [sums.streamed, sums.streamSeconds];
  if (counts.length < 2) return NaN;
  const deviations = counts.map((count, block) => count - (seconds[block] as number) * whole[name]);
  const { factor, freedom } = dependenceOf([deviations], counts.length, LEAST_FACTOR[name]);
  return Math.sqrt(factor) * studentFactor(NORMAL_95, freedom) / NORMAL_95;
}
