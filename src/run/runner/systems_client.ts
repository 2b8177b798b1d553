import { SYSTEM_NAMES, type SystemName, type SystemsPlan } from "../../config/plan/systems_plan.ts";
import type { ProfileReport } from "../../report/model/profile_report.ts";
import { systemPermissions } from "../../config/sandbox/permissions.ts";
import { type ExportOutcome, outcomeCounts } from "../../report/model/export_outcome.ts";
import type {
  FromSystemThread,
  SystemOrders,
  ToSystemThread,
} from "../../results/sinks/messages.ts";
import { WorkerClient } from "./worker_client.ts";

/** Beyond what a thread was given, until it is taken for dead. */
const SHUTDOWN_GRACE_MS = 5000;

/** What other systems are called where people are told of them. */
const TITLES: Readonly<Record<SystemName, string>> = {
  textfile: "--textfile",
  otlp: "OpenTelemetry",
  mlflow: "MLflow",
};

/** The network of a system's thread, and the files it may touch. */
export function systemThreads(
  plan: SystemsPlan,
  directory: string,
): [name: SystemName, permissions: ReturnType<typeof systemPermissions>][] {
  return SYSTEM_NAMES.flatMap((name) => {
    const system = plan[name];
    if (system === undefined) return [];
    if ("place" in system) {
      return [[name, systemPermissions({ origin: system.place.origin, directory })]];
    }
    return [[name, systemPermissions({ files: [system.path, system.temporaryPath] })]];
  });
}

/** Main's end of the threads that send results to other systems. */
export class SystemsClient {
  readonly #plan: SystemsPlan;
  readonly #workers: readonly [SystemOrders, WorkerClient<ToSystemThread, FromSystemThread>][];

  /**
   * Starts a thread for each system.
   * @param directory the run's folder
   * @throws {MissingPermissionError} if this process does not have what a thread is to get
   */
  constructor(plan: SystemsPlan, directory: string, secrets: readonly string[]) {
    this.#plan = plan;
    const url = new URL("../../results/sinks/system_thread.ts", import.meta.url);
    const network = { directory, caCerts: plan.caCerts, secrets };
    this.#workers = systemThreads(plan, directory).map(([system, permissions]) => [
      { system, plan: plan[system], ...network } as SystemOrders,
      new WorkerClient<ToSystemThread, FromSystemThread>(system, url, permissions, {}),
    ]);
  }

  /**
   * Gives the threads their orders, and waits until they have loaded their code: that is no work for
   * the time in which others measure. One that dies tells so at the end.
   */
  async init(): Promise<void> {
    await Promise.all(this.#workers.map(async ([orders, worker]) => {
      try {
        await worker.ready;
        const initialized = worker.next("initialized");
        worker.post({ type: "init", orders });
        await initialized;
      } catch {
        // See above.
      }
    }));
  }

  /**
   * Has the results sent, and waits for that. Nothing that fails here fails the run.
   */
  async finish(report: ProfileReport): Promise<ExportOutcome[]> {
    const { timeoutMs } = this.#plan;
    return await Promise.all(this.#workers.map(async ([{ system }, worker]) => {
      const lost = (failure: string): ExportOutcome => (
        { system, place: this.#placeOf(system), sent: {}, failed: {}, failure }
      );
      let timer: ReturnType<typeof setTimeout> | undefined;
      try {
        const over = new Promise<ExportOutcome>((resolve) => {
          timer = setTimeout(
            () => resolve(lost(`it did not end within ${timeoutMs / 1000} s`)),
            timeoutMs + SHUTDOWN_GRACE_MS,
          );
        });
        const done = worker.next("done").then(({ outcome }) => outcome);
        worker.post({ type: "finish", report, timeoutMs });
        return await Promise.race([done, over]);
      } catch (error) {
        return lost((error as Error).message);
      } finally {
        clearTimeout(timer);
      }
    }));
  }

  /** Ends the threads. */
  close(): void {
    for (const [, worker] of this.#workers) worker.close();
  }

  #placeOf(system: SystemName): string {
    const { textfile, otlp, mlflow } = this.#plan;
    return {
      textfile: textfile?.path,
      otlp: otlp?.place.redactedUrl,
      mlflow: mlflow?.place.redactedUrl,
    }[system] ?? "";
  }
}

/** What a user must know of what a system did not take; undefined if it took everything. */
export function exportWarning(outcome: ExportOutcome): string | undefined {
  const { system, place, failure } = outcome;
  if (failure === undefined) return undefined;
  const counts = outcomeCounts(outcome);
  const taken = counts === "" ? "nothing was sent" : `sent: ${counts}`;
  return `${TITLES[system]} at ${place} did not get everything (${taken}): ${failure}`;
}

/** What a system got, for a person. */
export function exportLine(outcome: ExportOutcome): string {
  const { system, place, link } = outcome;
  const where = link ?? place;
  return `${TITLES[system]}: ${outcomeCounts(outcome)} -> ${where}`;
}
