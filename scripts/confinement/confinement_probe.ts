import { freePort } from "../../src/run/runner/free_port.ts";
import { resolveOrigin } from "../../src/config/plan/servers/resolve_origin.ts";
import { parseTarget } from "../../src/config/plan/servers/target_url.ts";
import {
  canaryPermissions,
  dropPermissions,
  livePermissions,
  loadWorkerPermissions,
  pacerPermissions,
  resultsWorkerPermissions,
  scrapeWorkerPermissions,
  type ThreadPermissions,
} from "../../src/config/sandbox/permissions.ts";
import { startThread } from "../../src/config/sandbox/start_thread.ts";
import { ATTEMPT_KINDS, type AttemptOutcome, makeAttempts } from "./confinement_attempts.ts";

/** Servers and folder of a run whose threads are probed. */
export interface ProbedRun {
  /** URL of the inference server. */
  readonly url: string;
  /** URL of the server whose metrics are read. */
  readonly metricsUrl: string;
  readonly artifactDir: string;
}

/** Outcomes of the attempts, by the names of the threads that made them. */
export type ProbeOutcomes = Readonly<Record<string, readonly AttemptOutcome[]>>;

/**
 * Shows how the threads of a run are confined: starts each with the permissions that it has in a
 * run, and has it make the attempts. Main makes them when it has dropped its own permissions.
 * @param attempts each as `kind=argument`
 * @throws {RangeError} for an attempt of no known kind
 */
export async function probeThreads(
  { url, metricsUrl, artifactDir }: ProbedRun,
  attempts: readonly string[],
): Promise<ProbeOutcomes> {
  checkAttempts(attempts);
  const { target } = parseTarget(url, "/");
  const { target: metrics } = parseTarget(metricsUrl, "/");
  const directory = await Deno.realPath(artifactDir);
  const origin = await resolveOrigin(target.origin);
  const metricsOrigin = await resolveOrigin(metrics.origin);
  const canaryHost = `127.0.0.1:${freePort()}`;
  const threads: readonly (readonly [name: string, ThreadPermissions])[] = [
    ["load worker", loadWorkerPermissions([{ ...target, origin }], canaryHost)],
    ["canary thread", canaryPermissions(canaryHost)],
    ["scrape worker", scrapeWorkerPermissions([metricsOrigin])],
    ["pacer", pacerPermissions()],
    ["live thread", livePermissions(`127.0.0.1:${freePort()}`)],
    ["results worker", resultsWorkerPermissions(directory)],
  ];
  const started = threads.map(([name, permissions]) => [name, startProbe(permissions)] as const);
  await Promise.all(started.map(([, { ready }]) => ready));
  await dropPermissions();
  const outcomes: Record<string, AttemptOutcome[]> = { "main": await makeAttempts(attempts) };
  for (const [name, { ask }] of started) outcomes[name] = await ask(attempts);
  return outcomes;
}

/**
 * Has main alone make the attempts, before it drops anything: what is refused later must work now.
 * @param attempts each as `kind=argument`
 * @throws {RangeError} for an attempt of no known kind
 */
export async function probeMain(attempts: readonly string[]): Promise<ProbeOutcomes> {
  checkAttempts(attempts);
  return { "main at the start": await makeAttempts(attempts) };
}

interface Probe {
  readonly ready: Promise<void>;
  ask(attempts: readonly string[]): Promise<AttemptOutcome[]>;
}

function startProbe(permissions: ThreadPermissions): Probe {
  const url = new URL("./confinement_probe_thread.ts", import.meta.url);
  let died: (error: Error) => void = () => {};
  const death = new Promise<never>((_, reject) => {
    died = reject;
  });
  death.catch(() => {});
  const { worker, ready } = startThread(url, permissions, (reason) => died(new Error(reason)));
  return {
    ready,
    ask(attempts) {
      const answer = new Promise<AttemptOutcome[]>((resolve) => {
        worker.onmessage = (event: MessageEvent<AttemptOutcome[]>) => resolve(event.data);
      });
      worker.postMessage(attempts);
      return Promise.race([answer, death]);
    },
  };
}

function checkAttempts(attempts: readonly string[]): void {
  for (const attempt of attempts) {
    const [kind] = attempt.split("=") as [string];
    if (ATTEMPT_KINDS.includes(kind) && attempt.includes("=")) continue;
    throw new RangeError(
      `An attempt must be one of ${ATTEMPT_KINDS.join(", ")}, with "=" and its argument: ` +
        `got "${attempt}"`,
    );
  }
}
