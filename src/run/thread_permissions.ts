import type { ThreadFacts } from "../results/run_manifest.ts";
import type { RunPlan } from "../plan/run_plan.ts";
import {
  loadWorkerPermissions,
  pacerPermissions,
  resultsWorkerPermissions,
  scrapeWorkerPermissions,
  type ThreadPermissions,
} from "../sandbox/permissions.ts";

/** The threads of a run besides main, and what each may do. */
export function threadPermissions(plan: RunPlan): ReadonlyMap<string, ThreadPermissions> {
  const threads = new Map([["load worker", loadWorkerPermissions(plan.targets)]]);
  if (plan.serverMetrics !== undefined) {
    const origins = plan.serverMetrics.endpoints.map(({ origin }) => origin);
    threads.set("scrape worker", scrapeWorkerPermissions(origins));
  }
  if (plan.phases.some(({ load }) => load.loop === "open")) {
    threads.set("pacer", pacerPermissions());
  }
  return threads.set(
    "results worker",
    resultsWorkerPermissions(plan.output.directory, plan.serverMetrics?.recordingPath),
  );
}

/** Where main fetches the tokenizer before it is confined, as `host:port`; undefined for nowhere. */
export function hubHost({ tokenizer }: RunPlan): string | undefined {
  if (tokenizer.kind !== "hub") return undefined;
  const { hostname, port, protocol } = new URL(tokenizer.endpoint);
  return `${hostname}:${port || (protocol === "https:" ? 443 : 80)}`;
}

/** The threads of a run as its folder names them. */
export function threadFacts(plan: RunPlan): ThreadFacts[] {
  return [...threadPermissions(plan)].map(([name, { net, read, write }]) => (
    { name, net, read, write }
  ));
}
