import type { Axis, Chart } from "./chart.ts";

/** Bounds of an axis, and the values written next to it. */
export interface AxisScale {
  readonly min: number;
  readonly max: number;
  readonly ticks: readonly number[];
  /** Place of a value between the bounds, 0 to 1. */
  at(value: number): number;
}

/** Room above the highest value. */
export const HEADROOM = 1.06;
/** Smallest part of the largest value that a logarithmic axis reaches down to. */
const LOG_REACH = 1e-6;
/** Relative difference below which values are treated as equal: no tick fits in between. */
const MIN_SPREAD = 1e-9;

/**
 * Returns the scale of an axis whose series have these values.
 * @param wantedTicks approximate number of values that fit next to the axis
 */
export function axisScale(axis: Axis, values: Iterable<number>, wantedTicks: number): AxisScale {
  let least = axis.min ?? Infinity;
  let most = axis.max ?? -Infinity;
  for (const value of values) {
    if (axis.scale === "log" && value <= 0) continue;
    if (axis.min === undefined && value < least) least = value;
    if (axis.max === undefined && value > most) most = value;
  }
  if (!(least <= most)) [least, most] = axis.scale === "log" ? [1, 10] : [0, 1];
  return axis.scale === "log"
    ? logScale(least, most, wantedTicks)
    : linearScale(least, most, axis, wantedTicks);
}

/** The scale of an axis with some room above the largest value. */
export function withHeadroom(axis: Axis, values: Iterable<number>, wantedTicks: number): AxisScale {
  const all = [...values];
  const { max } = axisScale(axis, all, wantedTicks);
  if (axis.max !== undefined || axis.scale === "log") return axisScale(axis, all, wantedTicks);
  return axisScale({ ...axis, max: max > 0 ? max * HEADROOM : max }, all, wantedTicks);
}

function linearScale(least: number, most: number, axis: Axis, wantedTicks: number): AxisScale {
  const isSpread = most - least > Math.abs(most) * MIN_SPREAD;
  const max = axis.max ?? (isSpread ? most : most + (Math.abs(most) || 1));
  const min = axis.min ?? least;
  const step = niceStep((max - min) / wantedTicks);
  const ticks: number[] = [];
  for (let count = Math.ceil(min / step - 1e-9); count * step <= max + step * 1e-9; count++) {
    ticks.push(Number((count * step).toPrecision(12)));
  }
  return { min, max, ticks, at: (value) => (value - min) / (max - min) };
}

function logScale(least: number, most: number, wantedTicks: number): AxisScale {
  const min = Math.max(least, most * LOG_REACH);
  const max = most > min ? most : min * 10;
  const decades = Math.log10(max / min);
  // With room for it, each decade has more than its one.
  const factors = decades * 3 <= wantedTicks ? [1, 2, 5] : [1];
  let ticks: number[] = [];
  for (let power = Math.floor(Math.log10(min)); power <= Math.log10(max); power++) {
    for (const factor of factors) {
      const tick = Number((factor * 10 ** power).toPrecision(12));
      if (tick >= min * (1 - 1e-9) && tick <= max * (1 + 1e-9)) ticks.push(tick);
    }
  }
  if (ticks.length < 2) ticks = [min, max].map((value) => Number(value.toPrecision(3)));
  const at = (value: number): number => Math.log(Math.max(value, min) / min) / Math.log(max / min);
  return { min, max, ticks, at };
}

/** The next of 1, 2, 5, 10, ... */
export function niceStep(step: number): number {
  if (!(step > 0)) return 1;
  const power = 10 ** Math.floor(Math.log10(step));
  const factor = [1, 2, 5, 10].find((factor) => factor * power >= step * (1 - 1e-9)) as number;
  return factor * power;
}

/** A mark farther from the series than this many times their largest value is left out. */
const MARK_REACH = 3;

/** All x values of a chart's series, the ends of its spans, and its marks that are not far off. */
export function* xValues({ series, spans, marks }: Chart): Generator<number> {
  let most = 0;
  for (const { x } of series) {
    yield* x;
    for (const value of x) if (value > most) most = value;
  }
  for (const { at, axis } of marks) if (axis === "x" && at <= most * MARK_REACH) yield at * 1.02;
  for (const { from, to } of spans) {
    yield from;
    yield to;
  }
}

/** All y values of a chart's series, and its marks'. */
export function* yValues({ series, marks }: Chart): Generator<number> {
  for (const { y, upper } of series) {
    for (const value of y) if (value !== null) yield value;
    for (const value of upper ?? []) if (value !== null) yield value;
  }
  for (const { at, axis } of marks) if (axis === "y") yield at;
}
