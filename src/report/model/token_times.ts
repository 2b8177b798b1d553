/** Mean time between tokens, weighted by tokens: what client and servers have in common. */

import { distributionOf, type MetricResults } from "../../measurement/metrics/metric_results.ts";
import { MS_PER } from "./milliseconds.ts";
import type { RoleFigure } from "./role_figure.ts";
import type { ServerRoles } from "./server_roles.ts";

/**
 * Returns the client's time from first to last tokens by the tokens after the first ones, in
 * milliseconds; undefined if some requests lack it.
 */
export function clientTokenMs(results: MetricResults): number | undefined {
  const decode = distributionOf(results, "decode_duration");
  const tokens = (["usage_completion_tokens", "output_sequence_length"] as const)
    .map((tag) => distributionOf(results, tag))
    .find((found) => found?.count === decode?.count);
  if (decode === undefined || tokens === undefined) return undefined;
  const later = tokens.sum - tokens.count;
  return later > 0 ? decode.sum / later : undefined;
}

/**
 * Returns the time of all decode steps by the tokens that they gave, in milliseconds; undefined if
 * steps or tokens are not counted.
 * @param steps times of decode steps
 */
export function serverTokenMs(roles: ServerRoles, steps: RoleFigure): number | undefined {
  const { sum } = steps.stats;
  const toMs = MS_PER.get(steps.unit);
  // The one token of a prefill instance is counted as a first token as well.
  const generated = roles.figure("generation_tokens", { layers: [steps.layer] })?.stats["total"];
  const begun = roles.figure("ttft", { layers: [steps.layer] })?.stats["count"];
  if (sum === undefined || toMs === undefined || generated === undefined || begun === undefined) {
    return undefined;
  }
  return generated > begun ? sum * toMs / (generated - begun) : undefined;
}
