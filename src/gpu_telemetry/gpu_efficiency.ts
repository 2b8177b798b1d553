/**
 * What a run's tokens and requests cost in energy, for the GPUs of each maker: AIPerf's metrics.
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

/** Figures of the client; undefined where there are none. */
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

/** All figures that can be told. */
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
  const { outputTokens, inputTokens = 0, requests, latencyMs, concurrency } = client;
  const totalTokens = inputTokens + (outputTokens ?? 0);
  const energy = energyJ !== undefined && energyJ > 0 ? energyJ : undefined;
  const meanW = energy === undefined || !(seconds > 0) ? undefined : energy / seconds;
  const per = (share: number | undefined, whole: number | undefined): number | undefined =>
    share === undefined || whole === undefined || !(whole > 0) ? undefined : share / whole;
  const mJ = energy === undefined ? undefined : energy * 1e3;
  const perRequest = per(energy, requests);
  const rows: readonly [tag: string, header: string, unit: string, value: number | undefined][] = [
    ["total_gpu_power", "Total GPU Power", "W", powerW],
    ["average_gpu_power", "Average GPU Power", "W", meanW],
    ["total_gpu_energy", "Total GPU Energy", "J", energy],
    [
      "output_tokens_per_joule",
      "Output Tokens per Joule",
      "tokens/J",
      outputTokens === 0 ? undefined : per(outputTokens, energy),
    ],
    ["energy_per_output_token", "Energy per Output Token", "mJ/token", per(mJ, outputTokens)],
    ["energy_per_total_token", "Energy per Total Token", "mJ/token", per(mJ, totalTokens)],
    ["energy_per_request", "Energy per Request", "joules/request", perRequest],
    ["energy_per_user", "Energy per User", "joules/user", per(energy, concurrency)],
    [
      "energy_delay_product",
      "Energy Delay Product",
      "J*s",
      perRequest === undefined || latencyMs === undefined
        ? undefined
        : perRequest * latencyMs / 1e3,
    ],
    [
      "performance_per_watt",
      "Performance per Watt",
      "requests/sec/W",
      per(client.requestsPerSecond, meanW),
    ],
    [
      "output_tps_per_watt",
      "Output Tokens per Second per Watt",
      "tokens/sec/W",
      per(client.outputTokensPerSecond, meanW),
    ],
    [
      "goodput_per_watt",
      "Goodput per Watt",
      "good-req/s/W",
      per(client.goodRequestsPerSecond, meanW),
    ],
  ];
  return rows.flatMap(([tag, header, unit, value]) =>
    value === undefined ? [] : [{ tag: `${platform}_${tag}`, header, unit, value }]
  );
}
