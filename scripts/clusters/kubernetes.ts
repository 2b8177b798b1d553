/**
 * Shards on a real Kubernetes: API server, controllers, scheduler, kubelet and containerd on this
 * machine, and the executable in an image that is made without docker.
 *
 *     bash scripts/clusters/k8s_build.sh        # once: 7 to 17 minutes
 *     deno run -A scripts/clusters/kubernetes.ts [--denort DIR] [--jobset FILE] [--keep] \
 *         [--only NAME]...
 *
 * FILE has the definition of JobSets, where their module cannot be fetched.
 *
 * The API server looks at every kind of manifest that `inferometer launch k8s` prints; then Indexed
 * Jobs of three pods run, in a namespace that enforces the strictest standard for pods: with a volume
 * of all of them and without, one pod evicted, one killed, all of them deleted. Needs root and
 * Debian's containerd (installed where it is missing); says so and ends well where it cannot run.
 */

import { parseArgs } from "node:util";
import { checkCluster } from "./check_cluster.ts";
import { KubernetesCluster, kubernetesObstacle } from "./kubernetes_cluster.ts";
import { checkWhole } from "./shard_results.ts";
import { check, until } from "./steps.ts";

const SHARDS = 3;
const SHORT = ["--concurrency", "9", "--request-count", "60", "--warmup-request-count", "7"];
const LONG = ["--concurrency", "9", "--benchmark-duration", "15"];
/** Pods that are told to end do so within this time: they would be killed after 30 s. */
const GRACE_SECONDS = 28;

/** Every kind of manifest is one that the API server takes. */
async function checkManifests(
  cluster: KubernetesCluster,
  jobSet: string | undefined,
): Promise<string> {
  await cluster.defineJobSets(jobSet);
  const kinds: readonly (readonly string[])[] = [
    [],
    ["--claim", "results"],
    ["--collect", "--time-limit", "10m", "--random-seed", "7"],
    ["--jobset"],
    ["--jobset", "--claim", "results", "--artifact-dir", "/data/a run", "--time-limit", "90s"],
    ["--api-key", "sk-secret", "--tag", "a=$(date) $(HOME)", "--header", "X-A: {1}"],
  ];
  for (const options of kinds) {
    const refusal = await cluster.refusal(
      await cluster.manifest("validated", [...SHORT, ...options]),
    );
    check(refusal === undefined, `${options.join(" ")}: ${refusal}`);
  }
  const wrong = (await cluster.manifest("validated", SHORT)).replace(
    "completionMode",
    "completionModus",
  );
  check(await cluster.refusal(wrong) !== undefined, "the API server does not look");
  return `${kinds.length} kinds of manifests are taken, one with a wrong word is not`;
}

/** Pods with one volume. */
async function checkClaim(cluster: KubernetesCluster): Promise<string> {
  await cluster.start(await cluster.manifest("claimed", [...SHORT, "--claim", "results"]));
  const { type } = await cluster.ended("claimed");
  check(type === "Complete", `${type}: ${await cluster.log("claimed", 0)}`);
  const merged = await cluster.inferometer([
    ...["merge", cluster.results, "--expect-shards", String(SHARDS)],
  ]);
  check(merged.code === 0, `merge: ${merged.stderr}`);
  const aheadMs = [0, 0, 0];
  return await checkWhole(cluster.results, SHARDS, { aheadMs, requests: 60 });
}

/** Pods without one: shard 0 gets all files, and prints the summary. */
async function checkCollect(cluster: KubernetesCluster): Promise<string> {
  await cluster.start(await cluster.manifest("collected", SHORT));
  const { type } = await cluster.ended("collected");
  const log = await cluster.log("collected", 0);
  check(type === "Complete", `${type}: ${log}`);
  const summary = summaryIn(log);
  check(summary.request_count?.avg === 60, `${summary.request_count?.avg} requests`);
  return `shard 0 prints the summary of ${summary.request_count?.avg} requests`;
}

/** A pod that is evicted: it is told as process 1, and its files still come to shard 0. */
async function checkEviction(cluster: KubernetesCluster): Promise<string> {
  await begin(cluster, "evicted");
  const pod = await cluster.pod("evicted", 1);
  const eviction = JSON.stringify({
    apiVersion: "policy/v1",
    kind: "Eviction",
    metadata: { name: pod, namespace: "inferometer" },
  });
  const path = `/api/v1/namespaces/inferometer/pods/${pod}/eviction`;
  const startMs = performance.now();
  const { code, stderr } = await cluster.kubectl(["create", "--raw", path, "-f", "-"], eviction);
  check(code === 0, `the eviction is refused: ${stderr}`);
  await until("the end of the evicted pod", GRACE_SECONDS, async () => {
    const { stdout } = await cluster.kubectl(["get", "pod", pod, "-o", "jsonpath={.status.phase}"]);
    return stdout !== "Running" && stdout !== "Pending";
  });
  const seconds = (performance.now() - startMs) / 1000;
  const { type, failed } = await cluster.ended("evicted");
  check(type === "Failed" && failed === "1", `${type}, failed: ${failed}`);
  const summary = summaryIn(await cluster.log("evicted", 0));
  check(summary.was_cancelled === true, "the result does not say that a shard was interrupted");
  const undone = /^shard 1 of 3 is interrupted or ended early, after \d+ requests/;
  check(undone.test(summary.incomplete ?? ""), `incomplete: ${summary.incomplete}`);
  return `it ended ${seconds.toFixed(1)} s later, the others at their time; ${summary.incomplete}`;
}

/** A pod whose process is killed: the others end, and the result says who is missing. */
async function checkKill(cluster: KubernetesCluster): Promise<string> {
  await begin(cluster, "killed");
  Deno.kill(await cluster.processOf(1), "SIGKILL");
  const { type, failed } = await cluster.ended("killed");
  // Shard 0 fails, too: it did not get what it was to collect.
  check(type === "Failed" && failed.startsWith("0,1"), `${type}, failed: ${failed}`);
  const summary = summaryIn(await cluster.log("killed", 0));
  const missing = /shard 1 of 3 is missing: 33\.3 % of the plan was not measured/;
  check(missing.test(summary.incomplete ?? ""), `incomplete: ${summary.incomplete}`);
  return `${summary.incomplete}`;
}

/** A job that is deleted: its pods end in good order, before they are killed. */
async function checkDeletion(cluster: KubernetesCluster): Promise<string> {
  await begin(cluster, "deleted");
  const startMs = performance.now();
  await cluster.kubectl(["delete", "job", "deleted", "--wait=false"]);
  await until("the end of all pods", GRACE_SECONDS, async () => {
    const { stdout } = await cluster.kubectl([
      "get",
      "pods",
      "-l",
      "job-name=deleted",
      "-o",
      "name",
    ]);
    return stdout.trim() === "";
  });
  return `all pods ended within ${((performance.now() - startMs) / 1000).toFixed(1)} s`;
}

/** Starts a long run, and waits for its first requests. */
async function begin(cluster: KubernetesCluster, name: string): Promise<void> {
  const before = await cluster.requests();
  await cluster.start(await cluster.manifest(name, LONG));
  await until(`requests of ${name}`, 60, async () => await cluster.requests() > before + 30);
}

/** The summary at the end of what shard 0 prints. */
function summaryIn(log: string) {
  const start = log.lastIndexOf("\n{\n");
  check(start >= 0, `there is no summary in what shard 0 prints:\n${log}`);
  return JSON.parse(log.slice(start)) as {
    readonly request_count?: { readonly avg: number };
    readonly was_cancelled?: boolean;
    readonly incomplete?: string;
  };
}

async function main(): Promise<number> {
  const { values } = parseArgs({
    args: Deno.args,
    options: {
      denort: { type: "string" },
      jobset: { type: "string" },
      keep: { type: "boolean" },
      only: { type: "string", multiple: true },
    },
  });
  return await checkCluster({
    what: "shards on Kubernetes",
    obstacle: await kubernetesObstacle(),
    prefix: "inferometer-k8s-",
    keep: values.keep,
    only: values.only,
    create: (lab) => new KubernetesCluster(lab),
    async take(cluster, steps) {
      await cluster.up({ denort: values.denort });
      await steps.take("manifests", () => checkManifests(cluster, values.jobset));
      await steps.take("claim", () => checkClaim(cluster));
      await steps.take("collect", () => checkCollect(cluster));
      await steps.take("evicted", () => checkEviction(cluster));
      await steps.take("killed", () => checkKill(cluster));
      await steps.take("deleted", () => checkDeletion(cluster));
    },
  });
}

if (import.meta.main) Deno.exit(await main());
