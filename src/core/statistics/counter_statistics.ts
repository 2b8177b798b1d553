import type { SampleWindow, TimeWindow } from "./sample_window.ts";
import { upperBound } from "./search_sorted.ts";
import type { SliceBounds } from "./slice_bounds.ts";
import { summarize } from "./summarize.ts";

/** Growth of a counter in a window. */
export interface CounterStatistics {
  /** Increase from the reference to the last sample, 0 if the counter ended below its reference. */
  readonly total: number;
  /** `total` per second of the phase. */
  readonly rate: number;
  /** Over the rates of complete slices; undefined without slices. */
  readonly rates: Rates | undefined;
  /** Over the rates between one change in the phase and the next; undefined without any. */
  readonly changeRates: Rates | undefined;
  readonly slices: readonly CounterSlice[] | undefined;
  /** Whether the counter ever fell, as it does when a server restarts. */
  readonly reset: boolean;
}

/** Rates per second. */
export interface Rates {
  readonly avg: number;
  readonly min: number;
  readonly max: number;
  /** Sample standard deviation, 0 for a single rate. */
  readonly std: number;
}

/** Growth of a counter in a slice. */
export interface CounterSlice extends SliceBounds {
  readonly total: number;
  /** Per second. */
  readonly rate: number;
}

/**
 * Increase and rate of a counter. Without a reference it counts from the window's first sample.
 * @param window the samples since the start of the phase: those behind its end add to the total
 * @param phase what rates refer to
 * @param slices undefined for no slices
 */
export function counterStatistics(
  window: SampleWindow,
  phase: TimeWindow,
  slices: readonly SliceBounds[] | undefined,
): CounterStatistics {
  const { timesNs, values } = window;
  const last = values.length - 1;
  const reference = window.reference ??
    { timeNs: timesNs[0] as number, value: values[0] as number };
  const total = Math.max(0, (values[last] as number) - reference.value);
  const durationNs = phase.endNs - phase.startNs;
  const sliced = slices === undefined ? undefined : slicesOf(window, slices);
  const rates = (sliced ?? []).filter(({ isComplete }) => isComplete).map(({ rate }) => rate);
  return {
    total,
    rate: durationNs > 0 ? total / (durationNs / 1e9) : 0,
    rates: rates.length === 0 ? undefined : ratesOf(rates),
    changeRates: changeRates(window, phase),
    slices: sliced,
    reset: values.some((value, index) =>
      value < (index === 0 ? reference.value : values[index - 1] as number)
    ),
  };
}

/** The mean is weighted by time: the increase over all changes by the time between them. */
function changeRates(
  { timesNs, values, reference }: SampleWindow,
  { endNs }: TimeWindow,
): Rates | undefined {
  let timeNs = reference?.timeNs ?? timesNs[0] as number;
  let value = reference?.value ?? values[0] as number;
  const rates: number[] = [];
  let increase = 0;
  let seconds = 0;
  values.forEach((next, index) => {
    if (next === value || (timesNs[index] as number) > endNs) return;
    const elapsed = ((timesNs[index] as number) - timeNs) / 1e9;
    if (next > value && elapsed > 0) {
      rates.push((next - value) / elapsed);
      increase += next - value;
      seconds += elapsed;
    }
    timeNs = timesNs[index] as number;
    value = next;
  });
  return rates.length === 0 ? undefined : { ...ratesOf(rates), avg: increase / seconds };
}

function ratesOf(rates: readonly number[]): Rates {
  const { avg, min, max, std } = summarize(Float64Array.from(rates), { ddof: 1 });
  return { avg, min, max, std: rates.length === 1 ? 0 : std };
}

function slicesOf(window: SampleWindow, slices: readonly SliceBounds[]): CounterSlice[] {
  const count = window.values.length + (window.reference === undefined ? 0 : 1);
  if (count < 2) return [];
  return slices.map((slice) => {
    const total = Math.max(0, valueAt(window, slice.endNs) - valueAt(window, slice.startNs));
    return { ...slice, total, rate: total / ((slice.endNs - slice.startNs) / 1e9) };
  });
}

/** Value of the last sample at or before a time; of the first sample for times before it. */
function valueAt({ timesNs, values, reference }: SampleWindow, timeNs: number): number {
  const next = upperBound(timesNs, timeNs);
  if (next > 0) return values[next - 1] as number;
  return reference?.value ?? values[0] as number;
}
