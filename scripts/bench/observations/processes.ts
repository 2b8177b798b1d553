/**
 * What a server observes over time, made up. A draw gives values whose typical size is one; a
 * process puts them in time, and makes them seconds or tokens.
 */

import {
  randomExponential,
  randomGamma,
  randomLogNormal,
  randomNormal,
  randomPareto,
  randomWeibull,
} from "d3-random";
import type { RandomStream } from "../../../src/core/statistics/random_stream.ts";

/** What a process has to do with. */
export interface Setting {
  readonly random: RandomStream;
  readonly seconds: number;
  /** Mean observations per second. */
  readonly rate: number;
  /** What a value of one is. */
  readonly scale: number;
  /** Ends of the bucket that holds `scale`. */
  readonly bucket: readonly [lower: number, upper: number];
}

/** An observation and when it is made. */
export type Observation = readonly [seconds: number, value: number];

/** All observations of a run in order of time. */
export type Process = (setting: Setting) => Observation[];

/** Begins a series of values, each for a time. */
export type Draw = (setting: Setting) => (seconds: number) => number;

/** A factor over time. */
export type Factor = (seconds: number, setting: Setting) => number;

/** Values of one distribution. */
export const logNormal = (sigma: number, median = 1): Draw => ({ random }) => {
  return randomLogNormal.source(random)(Math.log(median), sigma);
};
/** Never below a fiftieth of the mean. */
export const normal = (mean: number, deviation: number): Draw => ({ random }) => {
  const draw = randomNormal.source(random)(mean, deviation);
  return () => Math.max(mean / 50, draw());
};
export const gamma = (shape: number, mean = 1): Draw => ({ random }) => {
  return randomGamma.source(random)(shape, mean / shape);
};
export const weibull = (shape: number): Draw => ({ random }) => {
  return randomWeibull.source(random)(shape, 0, 1.1);
};
export const pareto = (shape: number): Draw => ({ random }) => {
  const draw = randomPareto.source(random)(shape);
  return () => draw() / 2;
};
export const logLogistic = (shape: number): Draw => ({ random }) => () => {
  const at = random();
  return 0.8 * (at / (1 - at)) ** shape;
};
export const triangular: Draw = ({ random }) => () => 0.3 + 0.9 * (random() + random());
export const uniform = (from: number, to: number): Draw => ({ random }) => () =>
  from + (to - from) * random();
export const constant = (value: number): Draw => () => () => value;

/** Each value of one of several draws. */
export function mixture(...parts: readonly (readonly [share: number, draw: Draw])[]): Draw {
  return (setting) => {
    const draws = parts.map(([share, draw]) => ({ share, draw: draw(setting) }));
    return (seconds) => {
      let at = setting.random();
      const chosen = draws.find(({ share }) => (at -= share) < 0) ?? draws.at(-1);
      return chosen?.draw(seconds) ?? NaN;
    };
  };
}

/** Values changed one by one. */
export function mapped(draw: Draw, change: (value: number) => number): Draw {
  return (setting) => {
    const values = draw(setting);
    return (seconds) => change(values(seconds));
  };
}

/** Values times a factor over time. */
export function moving(draw: Draw, factor: Factor): Draw {
  return (setting) => {
    const values = draw(setting);
    return (seconds) => values(seconds) * factor(seconds, setting);
  };
}

/** Rises to `1 + depth` times its beginning, and starts again. */
export const sawtooth = (period: number, depth: number, start = 0.6): Factor => (seconds) =>
  start * (1 + depth * (seconds / period % 1));

/** Changes at random times to one of some levels. */
export function regimes(meanSeconds: number, levels: readonly number[]): Factor {
  const levelAt = perSetting(({ random, seconds }) => {
    const wait = randomExponential.source(random)(1 / meanSeconds);
    const changes: [at: number, level: number][] = [];
    for (let at = 0; at < seconds; at += wait()) {
      changes.push([at, levels[Math.floor(random() * levels.length)] as number]);
    }
    return changes;
  });
  return (seconds, setting) =>
    levelAt(setting).findLast(([at]) => at <= seconds)?.[1] ?? (levels[0] as number);
}

/** Wanders around one; forgets where it was after about `memory` seconds. */
export function randomWalk(deviation: number, memory: number): Factor {
  const steps = 4;
  const path = perSetting(({ random, seconds }) => {
    const step = randomNormal.source(random)(0, deviation);
    const kept = Math.exp(-1 / (steps * memory));
    const values = [0];
    for (let i = 1; i <= seconds * steps + 1; i++) {
      values.push(kept * (values[i - 1] as number) + Math.sqrt(1 - kept * kept) * step());
    }
    return values;
  });
  return (seconds, setting) => Math.exp(path(setting)[Math.floor(seconds * steps)] as number);
}

function perSetting<T>(make: (setting: Setting) => T): (setting: Setting) => T {
  const made = new WeakMap<Setting, T>();
  return (setting) => {
    const before = made.get(setting);
    if (before !== undefined) return before;
    const value = make(setting);
    made.set(setting, value);
    return value;
  };
}

/** Arrivals at random times, each with a value of its own. */
export function arriving(draw: Draw): Process {
  return (setting) => {
    const values = draw(setting);
    return arrivals(setting).map((at) => [at, values(at) * setting.scale] as const);
  };
}

/** A mode in a bucket: its place and deviation in widths of the bucket. */
export type Mode = readonly [share: number, place: number, deviation: number];

/** Values in one bucket, a part of them from elsewhere. */
export function inOneBucket(
  modes: readonly Mode[],
  elsewhere: { readonly share: number; readonly draw: Draw } = { share: 0, draw: constant(1) },
): Process {
  return (setting) => {
    const { random, bucket: [lower, upper], scale } = setting;
    const deviate = randomNormal.source(random)(0, 1);
    const other = elsewhere.draw(setting);
    const inside = mixture(
      ...modes.map(([share, place, deviation]) =>
        [share, () => () => {
          const at = Math.min(1, Math.max(1e-6, place + deviation * deviate()));
          return lower + (upper - lower) * at;
        }] as const
      ),
    )(setting);
    return arrivals(setting).map((at) => [
      at,
      random() < elsewhere.share ? other(at) * scale : inside(at),
    ]);
  };
}

/** Values that several observations share, as those of a decoding step do. */
export function batched(
  draw: Draw,
  size: (random: RandomStream) => number,
  jitter = 0,
): Process {
  return (setting) => {
    const { random, seconds, rate, scale } = setting;
    const values = draw(setting);
    const observations: Observation[] = [];
    const wait = randomExponential.source(random)(1);
    let at = 0;
    for (;;) {
      const count = Math.max(1, Math.round(size(random)));
      at += wait() * count / rate;
      if (at >= seconds) return observations;
      const value = values(at) * scale;
      for (let i = 0; i < count; i++) {
        observations.push([at, value * (1 + jitter * (random() - 0.5))]);
      }
    }
  };
}

/** How requests wait for servers of limited number. */
export interface Queue {
  readonly servers: number;
  /** Share of the time that servers are busy. */
  readonly load: number;
  /** Arrival rate over time, as a multiple of the mean; `peak` at most. */
  readonly arrivalFactor: (seconds: number) => number;
  readonly peak: number;
  readonly service: Draw;
  /** Observed when service begins, or when it ends. */
  readonly observed: "wait" | "whole";
}

/** Latencies of a queue whose arrivals come in waves. */
export function queued({ servers, load, arrivalFactor, peak, service, observed }: Queue): Process {
  return (setting) => {
    const { scale, rate, seconds } = setting;
    const meanService = servers * load / rate;
    const services = service(setting);
    const freeAt = Array<number>(servers).fill(0);
    const observations = arrivals(setting, arrivalFactor, peak).map((at): Observation => {
      const server = freeAt.indexOf(Math.min(...freeAt));
      const start = Math.max(at, freeAt[server] as number);
      const end = start + services(at) * meanService;
      freeAt[server] = end;
      return observed === "wait"
        ? [start, ((start - at) / meanService + 0.05) * scale]
        : [end, (end - at) / meanService * scale];
    });
    return inOrder(observations, seconds);
  };
}

/** Requests that come at once and are served one after the other: each burst is a ramp. */
export function requestBursts(
  size: number | "period",
  period: number,
  depth: number,
  noise: number,
): Process {
  return (setting) => {
    const { random, seconds, rate, scale } = setting;
    const factor = logNormal(noise)(setting);
    const perPeriod = Math.max(2, Math.round(rate * period));
    const length = size === "period" ? perPeriod : Math.min(perPeriod, size);
    const observations: Observation[] = [];
    for (let at = random() * period; at < seconds; at += period * length / perPeriod) {
      for (let i = 0; i < length; i++) {
        const latency = (0.5 + depth * i / length) * factor(at);
        observations.push([at + latency * period / (depth + 1) / 2, latency * scale]);
      }
    }
    return inOrder(observations, seconds);
  };
}

/** Values of another process as whole numbers, one at least. */
export function whole(process: Process): Process {
  return (setting) =>
    process(setting).map(([at, value]) => [at, Math.max(1, Math.round(value))] as const);
}

function inOrder(observations: readonly Observation[], seconds: number): Observation[] {
  return observations.filter(([at]) => at < seconds).sort(([a], [b]) => a - b);
}

/** Times at random, thinned out where the factor is below its peak. */
function arrivals(
  { random, seconds, rate }: Setting,
  factor: (seconds: number) => number = () => 1,
  peak = 1,
): number[] {
  const wait = randomExponential.source(random)(rate * peak);
  const times: number[] = [];
  for (let at = wait(); at < seconds; at += wait()) {
    if (peak === 1 || random() * peak < factor(at)) times.push(at);
  }
  return times;
}
