/**
 * Energy per token and request of a run, for the GPUs of each maker: AIPerf's metrics.
 *
 * With E the energy of the profiling phase in joules, t its length, and P = E / t:
 *
 *     energy_per_output_token  = 1000 E / output tokens     output_tokens_per_joule = output tokens / E
 *     energy_per_total_token   = 1000 E / (input + output)  energy_per_request      = E / requests
 *     energy_per_user          = E / concurrency            energy_delay_product    = E / requests x mean latency
 *     performance_per_watt     = requests/s / P             output_tps_per_watt     = output tokens/s / P
 *     goodput_per_watt         = good requests/s / P
 *
 * E is all that the GPUs took, idle power and failed requests included; tokens and requests are those
 * of valid requests.
 */

import type { GpuEfficiency, GpuTelemetryReport, GpuTotals } from "./gpu_report.ts";

/** Statistics of the client; undefined if there are none. */
export interface ClientTotals {
  readonly outputTokens: number | undefined;
  readonly inputTokens: number | undefined;
  readonly requests: number | undefined;
  /** Mean latency, milliseconds. */
  readonly latencyMs: number | undefined;
  readonly requestsPerSecond: number | undefined;
  readonly outputTokensPerSecond: number | undefined;
  readonly goodRequestsPerSecond: number | undefined;
  /** Requests that were kept in flight; undefined for loads by rate. */
  readonly concurrency: number | undefined;
}

/** Totals for cases in which the client's statistics do not cover the work of the GPUs. */
export const NO_TOTALS: ClientTotals = {
  outputTokens: undefined,
  inputTokens: undefined,
  requests: undefined,
  latencyMs: undefined,
  requestsPerSecond: undefined,
  outputTokensPerSecond: undefined,
  goodRequestsPerSecond: undefined,
  concurrency: undefined,
};

/** Inputs of the energy metrics. */
interface Inputs extends ClientTotals {
  /** Sum of the GPUs' mean powers, watts. */
  readonly powerW: number | undefined;
  /** E; undefined if it is not known, or nothing was taken. */
  readonly energyJ: number | undefined;
  /** P. */
  readonly meanW: number | undefined;
}

/** An energy metric. */
export interface EfficiencyMetric {
  /** Tag without the maker's prefix. */
  readonly name: string;
  readonly header: string;
  readonly unit: string;
  readonly value: (inputs: Inputs) => number | undefined;
}

/** The metrics of efficiency, in the order of AIPerf's table. */
export const EFFICIENCY_METRICS: readonly EfficiencyMetric[] = [
  {
    ...{ name: "total_gpu_power", header: "Total GPU Power", unit: "W" },
    value: ({ powerW }) => powerW,
  },
  {
    ...{ name: "average_gpu_power", header: "Average GPU Power", unit: "W" },
    value: ({ meanW }) => meanW,
  },
  {
    ...{ name: "total_gpu_energy", header: "Total GPU Energy", unit: "J" },
    value: ({ energyJ }) => energyJ,
  },
  {
    ...{ name: "output_tokens_per_joule", header: "Output Tokens per Joule", unit: "tokens/J" },
    value: ({ outputTokens, energyJ }) => per(positive(outputTokens), energyJ),
  },
  {
    ...{ name: "energy_per_output_token", header: "Energy per Output Token", unit: "mJ/token" },
    value: ({ energyJ, outputTokens }) => per(milli(energyJ), outputTokens),
  },
  {
    ...{ name: "energy_per_total_token", header: "Energy per Total Token", unit: "mJ/token" },
    value: ({ energyJ, inputTokens, outputTokens }) =>
      per(milli(energyJ), (inputTokens ?? 0) + (outputTokens ?? 0)),
  },
  {
    ...{ name: "energy_per_request", header: "Energy per Request", unit: "joules/request" },
    value: ({ energyJ, requests }) => per(energyJ, requests),
  },
  {
    ...{ name: "energy_per_user", header: "Energy per User", unit: "joules/user" },
    value: ({ energyJ, concurrency }) => per(energyJ, concurrency),
  },
  {
    ...{ name: "energy_delay_product", header: "Energy Delay Product", unit: "J*s" },
    value({ energyJ, requests, latencyMs }) {
      const each = per(energyJ, requests);
      return each === undefined || latencyMs === undefined ? undefined : each * latencyMs / 1e3;
    },
  },
  {
    ...{ name: "performance_per_watt", header: "Performance per Watt", unit: "requests/sec/W" },
    value: ({ requestsPerSecond, meanW }) => per(requestsPerSecond, meanW),
  },
  {
    name: "output_tps_per_watt",
    header: "Output Tokens per Second per Watt",
    unit: "tokens/sec/W",
    value: ({ outputTokensPerSecond, meanW }) => per(outputTokensPerSecond, meanW),
  },
  {
    ...{ name: "goodput_per_watt", header: "Goodput per Watt", unit: "good-req/s/W" },
    value: ({ goodRequestsPerSecond, meanW }) => per(goodRequestsPerSecond, meanW),
  },
];

/** Returns all energy metrics that can be computed. */
export function gpuEfficiency(
  { totals, seconds }: Pick<GpuTelemetryReport, "totals" | "seconds">,
  client: ClientTotals,
): GpuEfficiency[] {
  return totals.flatMap((one) => ofPlatform(one, seconds, client));
}

function ofPlatform(
  { platform, powerW, energyJ }: GpuTotals,
  seconds: number,
  client: ClientTotals,
): GpuEfficiency[] {
  const energy = positive(energyJ);
  const inputs: Inputs = { ...client, powerW, energyJ: energy, meanW: per(energy, seconds) };
  return EFFICIENCY_METRICS.flatMap(({ name, header, unit, value: valueOf }) => {
    const value = valueOf(inputs);
    return value === undefined ? [] : [{ tag: `${platform}_${name}`, header, unit, value }];
  });
}

function positive(value: number | undefined): number | undefined {
  return value !== undefined && value > 0 ? value : undefined;
}

function milli(joules: number | undefined): number | undefined {
  return joules === undefined ? undefined : joules * 1e3;
}

function per(share: number | undefined, whole: number | undefined): number | undefined {
  return share === undefined || whole === undefined || !(whole > 0) ? undefined : share / whole;
}
