/** GPU telemetry of a run: the one model of its tables and files. */

import { summarize, type Summary } from "../../core/statistics/summarize.ts";
import { rowsIn, type TimeWindow } from "../timeseries/time_window.ts";
import type { EndpointSeries } from "../timeseries/endpoint_series.ts";
import { codeChange, eventGrowth, steadyGrowth } from "./counter_growth.ts";
import { energyOf, type EnergyOfGpu } from "./gpu_energy.ts";
import { GPU_FIELDS, type GpuField, type GpuPlatform } from "./gpu_fields.ts";
import { type FieldSamples, type GpuIdentity, type GpuSamples, gpusOf } from "./gpu_samples.ts";

/** An endpoint and how its scraping went. */
export interface GpuEndpoint {
  /** URL without secrets. */
  readonly url: string;
  readonly series: EndpointSeries;
  /** Scrapes that failed, by what went wrong. */
  readonly failures: ReadonlyMap<string, number>;
  /** Why it is not scraped; undefined if it is. */
  readonly disabled?: string | undefined;
  /** Whether the user named it. */
  readonly named: boolean;
}

/** A field of a GPU: a distribution, or one number. */
export interface GpuFigure {
  readonly field: GpuField;
  readonly stats: Summary | { readonly avg: number };
}

/** A GPU in the window. */
export interface GpuReport {
  readonly identity: GpuIdentity;
  /** In the order of the table of fields. */
  readonly figures: readonly GpuFigure[];
}

/** Totals of the GPUs of one maker. */
export interface GpuTotals {
  readonly platform: GpuPlatform;
  /** Sum of the GPUs' mean powers, watts; undefined if none reported power. */
  readonly powerW: number | undefined;
  /** Energy over the window, joules; undefined if neither energy nor power was reported. */
  readonly energyJ: number | undefined;
}

/** A metric of all GPUs of a maker. */
export interface GpuEfficiency {
  readonly tag: string;
  readonly header: string;
  readonly unit: string;
  readonly value: number;
}

/** See the module's comment. */
export interface GpuTelemetryReport {
  /** Nanoseconds since 1970. */
  readonly startNs: bigint;
  readonly endNs: bigint;
  readonly endpointsConfigured: readonly string[];
  readonly endpoints: readonly { readonly url: string; readonly gpus: readonly GpuReport[] }[];
  readonly totals: readonly GpuTotals[];
  /** Seconds of the window. */
  readonly seconds: number;
  /** Failures of scraping by their reasons. */
  readonly failures: ReadonlyMap<string, number>;
  /** Notes that readers of the metrics need. */
  readonly notes: readonly string[];
}

/** Settings of a report. */
export interface GpuReportContext {
  /** The profiling phase on the run's clock. */
  readonly window: TimeWindow;
  readonly baseEpochNs: bigint;
  /** Fields beyond the usual ones. */
  readonly customFields: readonly GpuField[];
}

/**
 * Builds the report.
 * @returns undefined if there are no GPUs and no GPU endpoint was specified
 */
export function gpuReport(
  endpoints: readonly GpuEndpoint[],
  { window, baseEpochNs, customFields }: GpuReportContext,
): GpuTelemetryReport | undefined {
  const fields = [...GPU_FIELDS, ...customFields];
  const found = endpoints.map((endpoint) => ({ endpoint, gpus: gpusOf(endpoint.series, fields) }));
  const shown = found.filter(({ endpoint, gpus }) => endpoint.named || gpus.length > 0);
  if (shown.length === 0) return undefined;
  const notes = new Set<string>();
  const failures = new Map<string, number>();
  for (const { endpoint: { url, disabled, failures: failed }, gpus } of shown) {
    if (disabled !== undefined) {
      notes.add(`No GPU telemetry from ${url}: ${disabled}`);
      failures.set(disabled, 1);
    } else if (gpus.length === 0) {
      notes.add(`No GPU telemetry from ${url}: its metrics are of no known GPU exporter`);
    }
    for (const [reason, count] of failed) failures.set(reason, count);
    if (failed.size > 0) {
      const texts = [...failed].map(([reason, count]) => `${count} x ${reason}`);
      notes.add(`${url}: scrapes failed: ${texts.join("; ")}`);
    }
  }
  const all = shown.flatMap(({ gpus }) => gpus);
  return {
    startNs: baseEpochNs + BigInt(Math.round(window.startNs)),
    endNs: baseEpochNs + BigInt(Math.round(window.endNs)),
    endpointsConfigured: shown.map(({ endpoint }) => endpoint.url),
    endpoints: shown.filter(({ gpus }) => gpus.length > 0).map(({ endpoint, gpus }) => ({
      url: endpoint.url,
      gpus: gpus.map((gpu) => oneGpu(gpu, window, notes)),
    })),
    totals: totalsOf(all, window, notes),
    seconds: (window.endNs - window.startNs) / 1e9,
    failures,
    notes: [...notes],
  };
}

function oneGpu({ identity, fields }: GpuSamples, window: TimeWindow, notes: Set<string>) {
  const figures: GpuFigure[] = [];
  for (const [field, samples] of fields) {
    const stats = statsOf(field, samples, window, (text) => {
      notes.add(`GPU ${identity.index} (${identity.uuid}): ${field.header} ${text}`);
    });
    if (stats !== undefined) figures.push({ field, stats });
  }
  return { identity, figures };
}

function statsOf(
  field: GpuField,
  samples: FieldSamples,
  window: TimeWindow,
  note: (text: string) => void,
): GpuFigure["stats"] | undefined {
  if (samples.values.length === 0) return undefined;
  if (field.kind === "code") {
    const change = codeChange(samples, window);
    return change === undefined ? undefined : { avg: change };
  }
  if (field.kind === "gauge") {
    const { first, last } = rowsIn(samples.timesNs, window);
    if (last >= first) return summarize(samples.values.slice(first, last + 1), { ddof: 1 });
    note("has no sample between start and end");
    return undefined;
  }
  const growth = (field.kind === "counter" ? eventGrowth : steadyGrowth)(samples, window);
  if (growth === undefined) {
    if (field.kind === "energy") note("did not change: its exporter updates it more rarely");
    return field.kind === "energy" ? undefined : { avg: 0 };
  }
  if (growth.resets > 0) {
    note(`began again from zero ${growth.resets} x; it is counted on from there`);
  }
  return { avg: growth.value };
}

/** A GPU that two endpoints report counts once. */
function totalsOf(
  gpus: readonly GpuSamples[],
  window: TimeWindow,
  notes: Set<string>,
): GpuTotals[] {
  const platforms = [...new Set(gpus.map(({ identity }) => identity.platform))].sort();
  return platforms.map((platform) => {
    const own = new Map<string, GpuSamples>();
    for (const gpu of gpus) {
      const { identity: { platform: its, uuid } } = gpu;
      if (its !== platform) continue;
      if (own.has(uuid)) notes.add(`GPU ${uuid} is reported twice; its energy counts once`);
      else own.set(uuid, gpu);
    }
    const energies = [...own.values()].map((gpu): EnergyOfGpu => {
      const energy = energyOf(gpu, window);
      if (energy.note !== undefined) notes.add(energy.note);
      return energy;
    });
    return {
      platform,
      powerW: sumOf(energies.map(({ powerW }) => powerW)),
      energyJ: sumOf(energies.map(({ energyJ }) => energyJ)),
    };
  });
}

function sumOf(values: readonly (number | undefined)[]): number | undefined {
  const known = values.filter((value) => value !== undefined);
  return known.length === 0 ? undefined : known.reduce((sum, value) => sum + value, 0);
}
