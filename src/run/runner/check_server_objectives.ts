import { checkServerSlos } from "../../config/gate/check_server_slos.ts";
import type { RunPlan } from "../../config/plan/run_plan.ts";
import { KNOWN_SERVER_METRICS, showsAllMetrics } from "../../report/model/server_metric_names.ts";
import type { PageFamily } from "../../telemetry/prometheus/page_families.ts";

/** Whether a plan has objectives of servers' metrics. */
export function hasServerObjectives({ slos = [] }: RunPlan): boolean {
  return slos.some(({ source }) => source === "server");
}

/**
 * Holds the objectives of a plan against what the servers report before the load.
 * @param reachable number of servers whose metrics are read
 * @returns what is to be said of those that have no value yet
 * @throws {UsageError} for one that is misspelt
 */
export function checkServerObjectives(
  { slos = [] }: RunPlan,
  families: readonly PageFamily[],
  reachable: number,
): string[] {
  const sampled = families.filter(({ hasSamples }) => hasSamples).map(({ name }) => name);
  return checkServerSlos(slos, {
    families,
    possible: KNOWN_SERVER_METRICS,
    isComplete: showsAllMetrics(sampled),
    isRead: reachable > 0,
  });
}
