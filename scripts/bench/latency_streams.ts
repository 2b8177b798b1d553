import { randomExponential, randomGamma, randomLogNormal, randomNormal } from "d3-random";
import { randomPareto, randomPoisson, randomWeibull } from "d3-random";
import { type RandomStream, randomStream } from "../../src/statistics/random_stream.ts";

/** Draws one observation, given how far the run has come: from 0 to 1. */
export type LatencyShape = (random: RandomStream) => (progress: number) => number;

/** Bucket bounds of vLLM's histograms. */
export const LAYOUTS = {
  ttft: [
    ...[0.001, 0.005, 0.01, 0.02, 0.04, 0.06, 0.08, 0.1, 0.25, 0.5, 0.75, 1, 2.5, 5, 7.5, 10],
    ...[20, 40, 80, 160, 640, 2560],
  ],
  itl: [
    ...[0.01, 0.025, 0.05, 0.075, 0.1, 0.15, 0.2, 0.3, 0.4, 0.5, 0.75, 1, 2.5, 5, 7.5, 10],
    ...[20, 40, 80],
  ],
  e2e: [
    ...[0.3, 0.5, 0.8, 1, 1.5, 2, 2.5, 5, 10, 15, 20, 30, 40, 50, 60, 120, 240, 480, 960],
    ...[1920, 7680],
  ],
  /** What older versions have for the time to the first token: nothing above 10 s. */
  short: [0.001, 0.005, 0.01, 0.02, 0.04, 0.06, 0.08, 0.1, 0.25, 0.5, 0.75, 1, 2.5, 5, 7.5, 10],
} as const;

/** Name of a bucket layout. */
export type LayoutName = keyof typeof LAYOUTS;

/** Shapes on which an estimator may be tuned; typical values are about 1. */
export const DESIGN_SHAPES: Readonly<Record<string, LatencyShape>> = {
  "log-normal": (random) => always(randomLogNormal.source(random)(0, 0.6)),
  "bimodal": (random) => {
    const fast = randomLogNormal.source(random)(Math.log(0.5), 0.25);
    const slow = randomLogNormal.source(random)(Math.log(2.5), 0.3);
    return () => random() < 0.7 ? fast() : slow();
  },
  "exponential": (random) => always(randomExponential.source(random)(1)),
  "constant": () => () => 1,
  "narrow normal": (random) => always(randomNormal.source(random)(1, 0.05)),
  "uniform": (random) => () => 0.2 + 1.8 * random(),
  "heavy tail": (random) => always(randomPareto.source(random)(1.8), 0.5),
  "drift": (random) => {
    const draw = randomLogNormal.source(random)(0, 0.4);
    return (progress) => draw() * (0.6 + progress);
  },
};

/** Shapes kept away from the tuning. */
export const HOLD_OUT_SHAPES: Readonly<Record<string, LatencyShape>> = {
  "gamma": (random) => always(randomGamma.source(random)(2.5, 0.4)),
  "Weibull": (random) => always(randomWeibull.source(random)(1.6, 0, 1.1)),
  "trimodal": (random) => {
    const draws = [0.3, 1, 3.5].map((mode) => randomNormal.source(random)(mode, mode * 0.12));
    return () => {
      const at = random();
      // The median lies inside a mode: in the gap between two it would be anywhere.
      const draw = draws[at < 0.4 ? 0 : at < 0.85 ? 1 : 2] as () => number;
      return Math.max(0.01, draw());
    };
  },
  "step change": (random) => {
    const draw = randomLogNormal.source(random)(0, 0.35);
    return (progress) => draw() * (progress < 0.6 ? 0.7 : 1.9);
  },
  "bursty": (random) => {
    const draw = randomLogNormal.source(random)(Math.log(0.6), 0.3);
    // Every tenth of the run ends in a burst, in which all that waits grows slower together.
    return (progress) => draw() * (progress * 10 % 1 > 0.8 ? 1 + 2 * random() : 1);
  },
  "spikes": (random) => {
    const draw = randomNormal.source(random)(0.8, 0.08);
    return () => random() < 0.03 ? 4 + 4 * random() : Math.max(0.01, draw());
  },
  "triangular": (random) => () => 0.3 + 0.9 * (random() + random()),
};

function always(draw: () => number, factor = 1): () => number {
  return () => draw() * factor;
}

/** One stream of observations and how it is scraped. */
export interface StreamOptions {
  readonly shape: LatencyShape;
  readonly layout: LayoutName;
  /** Factor on the shape's values. */
  readonly scale: number;
  /** Mean number of observations between two scrapes. */
  readonly rate: number;
  /**
   * Observations that come together with one value, as the tokens of a batch do in each step.
   * @default 1
   */
  readonly batch?: number;
  readonly scrapes: number;
  readonly seed: number;
  readonly name: string;
}

/** The cumulative samples of a scraped stream, and the truth behind them. */
export interface ScrapedStream {
  readonly bounds: readonly number[];
  /** One row of cumulative bucket counts per scrape, the reference first; the last bucket is +Inf. */
  readonly cumulative: Float64Array;
  readonly sums: Float64Array;
  readonly counts: Float64Array;
  /** All observations in ascending order. */
  readonly observations: Float64Array;
}

/** Draws a stream with Poisson arrivals and scrapes it. */
export function scrapeStream(options: StreamOptions): ScrapedStream {
  const { shape, layout, scale, rate, batch = 1, scrapes, seed, name } = options;
  const random = randomStream(seed, name);
  const draw = shape(random);
  const arrivals = randomPoisson.source(random)(rate / batch);
  const bounds = [...LAYOUTS[layout], Infinity];
  const width = bounds.length;
  const cumulative = new Float64Array((scrapes + 1) * width);
  const sums = new Float64Array(scrapes + 1);
  const counts = new Float64Array(scrapes + 1);
  const observations: number[] = [];
  for (let row = 1; row <= scrapes; row++) {
    cumulative.copyWithin(row * width, (row - 1) * width, row * width);
    sums[row] = sums[row - 1] as number;
    const arrived = arrivals() * batch;
    let value = 0;
    for (let i = 0; i < arrived; i++) {
      if (i % batch === 0) value = draw((row - 1) / scrapes) * scale;
      observations.push(value);
      sums[row] = (sums[row] as number) + value;
      for (let bucket = width - 1; bucket >= 0 && value <= (bounds[bucket] as number); bucket--) {
        cumulative[row * width + bucket] = (cumulative[row * width + bucket] as number) + 1;
      }
    }
    counts[row] = (counts[row - 1] as number) + arrived;
  }
  return { bounds, cumulative, sums, counts, observations: Float64Array.from(observations).sort() };
}
