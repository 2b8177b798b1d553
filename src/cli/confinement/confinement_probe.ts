import { freePort } from "../../run/runner/free_port.ts";
import { resolveOrigin } from "../../config/plan/servers/resolve_origin.ts";
import { parseTarget } from "../../config/plan/servers/target_url.ts";
import { UsageError } from "../../config/options/usage_error.ts";
import {
  canaryPermissions,
  dropPermissions,
  livePermissions,
  loadWorkerPermissions,
  pacerPermissions,
  resultsWorkerPermissions,
  scrapeWorkerPermissions,
  type ThreadPermissions,
} from "../../config/sandbox/permissions.ts";
import { startThread } from "../../config/sandbox/start_thread.ts";
import { ATTEMPT_KINDS, type AttemptOutcome, makeAttempts } from "./confinement_attempts.ts";
import { EXIT_CODE } from "../terminal/exit_code.ts";
import { writeOut } from "../terminal/terminal.ts";

/** Options of `inferometer confinement-probe`. */
export interface ConfinementProbeOptions {
  /** The inference server of the run. */
  readonly url?: string;
  /** The server whose metrics are read. */
  readonly metricsUrl?: string;
  readonly artifactDir?: string;
  readonly attempt?: readonly string[];
  /** Let main alone try, before it gives anything up: what is refused later must work now. */
  readonly control?: boolean;
}

/**
 * Runs `inferometer confinement-probe`, which shows what the threads of a run are held to: each is
 * started with the permissions it has in a run, and makes the attempts; main makes them once
 * it has given up its own permissions. Prints, as JSON, what came of it.
 * @returns the exit code
 */
export async function confinementProbe(options: ConfinementProbeOptions): Promise<number> {
  const attempts = checkAttempts(options.attempt ?? []);
  if (options.control === true) {
    return print({ "main at the start": await makeAttempts(attempts) });
  }
  const { target } = parseTarget(options.url ?? "http://localhost:8000", "/");
  const { target: metrics } = parseTarget(options.metricsUrl ?? "http://localhost:8000", "/");
  const directory = await Deno.realPath(options.artifactDir ?? ".");
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
  return print(outcomes);
}

function print(outcomes: Readonly<Record<string, readonly AttemptOutcome[]>>): number {
  writeOut(`${JSON.stringify(outcomes, undefined, 2)}\n`);
  return EXIT_CODE.done;
}

interface Probe {
  readonly ready: Promise<void>;
  ask(attempts: readonly string[]): Promise<AttemptOutcome[]>;
}

function startProbe(permissions: ThreadPermissions): Probe {
  const url = new URL("./confinement_probe_worker.ts", import.meta.url);
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

function checkAttempts(attempts: readonly string[]): readonly string[] {
  for (const attempt of attempts) {
    const [kind] = attempt.split("=") as [string];
    if (ATTEMPT_KINDS.includes(kind) && attempt.includes("=")) continue;
    throw new UsageError(
      "--attempt",
      `Must be one of ${ATTEMPT_KINDS.join(", ")}, with "=" and its argument: got "${attempt}"`,
    );
  }
  return attempts;
}
