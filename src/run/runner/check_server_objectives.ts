import { checkServerSlos } from "../../config/gate/check_server_slos.ts";
import type { RunPlan } from "../../config/plan/run_plan.ts";
import { KNOWN_METRICS } from "../../telemetry/engines/engines.ts";
import { showAll } from "../../telemetry/engines/known_roles.ts";
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
  return checkServerSlos(slos, {
    families,
    possible: KNOWN_METRICS,
    isComplete: showAll(families.filter(({ hasSamples }) => hasSamples)),
    isRead: reachable > 0,
  });
}
