/** By how much a counter grew in a window. */

import type { TimeWindow } from "../../core/statistics/sample_window.ts";
import type { FieldSamples } from "./gpu_samples.ts";

/** Growth of a counter. */
export interface CounterGrowth {
  readonly value: number;
  /** Part of the window between the first and the last reading, 0 to 1. */
  readonly covered: number;
  /** How often it began again from zero. */
  readonly resets: number;
}

/**
 * The growth of a counter that grows all the time, such as energy. Exporters read their devices
 * less often than they are scraped, so only the samples at which it changed count; between them it
 * grows in proportion to the time. After a fall it has grown from zero.
 *
 *     growth = sum over steps of (rise of the step) x (part of the step that lies in the window)
 *
 * @returns undefined if it never changed
 */
export function steadyGrowth(samples: FieldSamples, window: TimeWindow): CounterGrowth | undefined {
  const { timesNs, values } = samples;
  let value = 0;
  let coveredNs = 0;
  let resets = 0;
  let last = 0;
  for (let at = 1; at < values.length; at++) {
    const [before, now] = [values[last] as number, values[at] as number];
    if (before === now) continue;
    const [fromNs, toNs] = [timesNs[last] as number, timesNs[at] as number];
    last = at;
    const insideNs = Math.min(toNs, window.endNs) - Math.max(fromNs, window.startNs);
    if (insideNs <= 0) continue;
    coveredNs += insideNs;
    if (now < before) resets++;
    value += (now < before ? now : now - before) * insideNs / (toNs - fromNs);
  }
  const lengthNs = window.endNs - window.startNs;
  return coveredNs === 0 ? undefined : { value, covered: coveredNs / lengthNs, resets };
}

/**
 * The growth of a counter of events: from the last sample before the window, or the first in it, to
 * the last sample of all, since exporters report events late.
 * @returns undefined without a sample since the window began
 */
export function eventGrowth(samples: FieldSamples, window: TimeWindow): CounterGrowth | undefined {
  const { timesNs, values } = samples;
  const first = timesNs.findIndex((time) => time >= window.startNs);
  if (first < 0) return undefined;
  let value = 0;
  let resets = 0;
  for (let at = Math.max(1, first); at < values.length; at++) {
    const rise = (values[at] as number) - (values[at - 1] as number);
    if (rise < 0) resets++;
    value += rise < 0 ? values[at] as number : rise;
  }
  return { value, covered: 1, resets };
}

/** Returns AIPerf's value of a code: the last code minus the one before the window, at least 0. */
export function codeChange(samples: FieldSamples, window: TimeWindow): number | undefined {
  const { timesNs, values } = samples;
  const first = timesNs.findIndex((time) => time >= window.startNs);
  if (first < 0) return undefined;
  return Math.max(0, (values.at(-1) as number) - (values[Math.max(0, first - 1)] as number));
}
