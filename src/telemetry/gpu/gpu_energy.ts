/** The energy that a GPU took during a run. */

import { summarize } from "../../core/statistics/summarize.ts";
import { rowsIn, type TimeWindow } from "../timeseries/time_window.ts";
import { steadyGrowth } from "./counter_growth.ts";
import type { FieldSamples, GpuSamples } from "./gpu_samples.ts";

/** Energy and power of one GPU; undefined where they were not reported. */
export interface EnergyOfGpu {
  /** Mean of the samples in the window, watts. */
  readonly powerW: number | undefined;
  /** Over the whole window, joules. */
  readonly energyJ: number | undefined;
  /** Note for the reader about the energy; undefined for none. */
  readonly note: string | undefined;
}

const J_OF_MJ = 1e6;
/** Readings over less of the window than this say too little of the rest. */
const MIN_COVERED = 0.5;
/** Coverage by readings below which a note is added. */
const FULLY_COVERED = 0.95;

/**
 * Returns the energy of a GPU: from its counter, extended to the whole window, if the counter's
 * readings cover the largest part of the window; else its mean power times the window's length.
 */
export function energyOf({ identity, fields }: GpuSamples, window: TimeWindow): EnergyOfGpu {
  const samplesOf = (key: string): FieldSamples | undefined =>
    [...fields].find(([field]) => field.key === key)?.[1];
  const power = samplesOf(identity.platform === "nvidia" ? "nvidia_power_usage" : "amd_power");
  const counter = samplesOf(`${identity.platform}_energy_consumption`);
  const powerW = power && meanIn(power, window);
  const seconds = (window.endNs - window.startNs) / 1e9;
  const name = `GPU ${identity.index} (${identity.uuid})`;
  const growth = counter && steadyGrowth(counter, window);
  if (growth !== undefined && growth.covered >= MIN_COVERED) {
    const percent = (growth.covered * 100).toFixed(0);
    return {
      powerW,
      energyJ: growth.value * J_OF_MJ / growth.covered,
      note: growth.covered >= FULLY_COVERED
        ? undefined
        : `${name}: its energy counter covers ${percent} % of the run; the rest is extrapolated`,
    };
  }
  if (powerW !== undefined) {
    const why = counter === undefined
      ? "it reports no energy"
      : "its energy counter was not updated often enough";
    return {
      powerW,
      energyJ: powerW * seconds,
      note: `${name}: ${why}; its energy is its mean power times the time`,
    };
  }
  return { powerW, energyJ: undefined, note: `${name}: neither energy nor power is known` };
}

function meanIn({ timesNs, values }: FieldSamples, window: TimeWindow): number | undefined {
  const { first, last } = rowsIn(timesNs, window);
  return last < first ? undefined : summarize(values.slice(first, last + 1)).avg;
}
