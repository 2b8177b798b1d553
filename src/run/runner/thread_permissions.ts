import type { ThreadFacts } from "../../results/collect/run_manifest.ts";
import { hubHosts } from "../../config/hub/hub_hosts.ts";
import { sendsSample } from "../../config/plan/verify_plan.ts";
import type { RunPlan } from "../../config/plan/run_plan.ts";
import type { SystemName } from "../../config/plan/systems_plan.ts";
import {
  canaryPermissions,
  livePermissions,
  loadWorkerPermissions,
  pacerPermissions,
  patternPermissions,
  rendezvousPermissions,
  resultsWorkerPermissions,
  scrapeWorkerPermissions,
  type ThreadPermissions,
  tokenizerPermissions,
} from "../../config/sandbox/permissions.ts";
import { systemThreads } from "./systems_client.ts";

/** What the threads of other systems are called. */
const SYSTEM_THREADS: Readonly<Record<SystemName, string>> = {
  textfile: "textfile thread",
  otlp: "OpenTelemetry thread",
  mlflow: "MLflow thread",
};

/**
 * The threads of a run besides main, and what each may do.
 * @param canaryHost `host:port` of the canary thread; port 0 stands for one that is free
 * @param liveHost `host:port` at which the run is served; undefined for nowhere
 * @param resultsFolder what the results worker may write, if it also serves other runs
 */
export function threadPermissions(
  plan: RunPlan,
  canaryHost = "127.0.0.1:0",
  liveHost?: string,
  resultsFolder = plan.output.directory,
): ReadonlyMap<string, ThreadPermissions> {
  const threads = new Map<string, ThreadPermissions>();
  if (plan.canaries) {
    threads.set("load worker", loadWorkerPermissions(plan.targets, canaryHost));
    threads.set("canary thread", canaryPermissions(canaryHost));
  } else {
    threads.set("load worker", loadWorkerPermissions(plan.targets));
  }
  if (plan.serverMetrics !== undefined) {
    const origins = plan.serverMetrics.endpoints.map(({ origin }) => origin);
    threads.set("scrape worker", scrapeWorkerPermissions(origins));
  }
  if (plan.gpuTelemetry !== undefined) {
    const origins = plan.gpuTelemetry.endpoints.map(({ origin }) => origin);
    threads.set("GPU scrape worker", scrapeWorkerPermissions(origins));
  }
  if (plan.networkLatency?.kind === "probe") {
    const origins = plan.targets.map(({ origin }) => origin);
    threads.set("network thread", scrapeWorkerPermissions(origins));
  }
  if (sendsSample(plan)) {
    threads.set("verify thread", loadWorkerPermissions(plan.targets));
  }
  if (plan.verify?.answers) threads.set("pattern thread", patternPermissions());
  if (plan.phases.some(({ load }) => load.loop === "open")) {
    threads.set("pacer", pacerPermissions());
  }
  if (liveHost !== undefined) threads.set("live thread", livePermissions(liveHost));
  const { directory } = plan.output;
  if (plan.start !== undefined && plan.start.by !== "time") {
    threads.set("rendezvous thread", rendezvousPermissions(plan.shard, plan.start, directory));
  }
  threads.set(
    "results worker",
    resultsWorkerPermissions(resultsFolder, plan.serverMetrics?.recordingPath),
  );
  if (plan.tokenizer.kind !== "builtin" && !plan.useServerTokenCount) {
    threads.set("tokenizer thread", tokenizerPermissions());
  }
  for (const [name, permissions] of plan.systems ? systemThreads(plan.systems, directory) : []) {
    threads.set(SYSTEM_THREADS[name], permissions);
  }
  return threads;
}

/**
 * Where main fetches tokenizer and data set before it is confined, as `host:port`; `*.` stands for
 * any host of a domain.
 */
export function hubHostsOf({ tokenizer, dataset }: RunPlan): string[] {
  const places = [tokenizer, dataset.source === "file" ? dataset.public?.place : undefined];
  return [
    ...new Set(places.flatMap((place) => place?.kind === "hub" ? hubHosts(place.endpoint) : [])),
  ];
}

/** Where main goes before it is confined: to a hub, to the servers, to look for GPUs. */
export function earlyHosts(plan: RunPlan): string[] {
  return [
    ...hubHostsOf(plan),
    ...(plan.serverInfo === true ? loadWorkerPermissions(plan.targets).net : []),
    // Looked for before anything is started for them.
    ...scrapeWorkerPermissions(
      (plan.gpuTelemetry?.endpoints ?? []).filter(({ named }) => !named)
        .map(({ origin }) => origin),
    ).net,
  ];
}

/** The threads of a run as its folder names them. */
export function threadFacts(
  plan: RunPlan,
  canaryHost: string | undefined,
  liveHost: string | undefined,
  resultsFolder: string,
): ThreadFacts[] {
  return [...threadPermissions(plan, canaryHost, liveHost, resultsFolder)].map((
    [name, { net, read, write }],
  ) => (
    { name, net, read, write }
  ));
}
