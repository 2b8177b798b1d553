import type { BenchContext } from "./bench_case.ts";
import type { ClientReport, LoadClient, LoadOrder } from "./load_client.ts";
import type { LoadTarget, ServerTruth, TargetTiming } from "./load_target.ts";
import type { MachineUse } from "./machine_use.ts";
import { MeasuredProcess, type ProcessCost } from "./measured_process.ts";

/** What one run of a client against a fresh load target came to. */
export interface LoadRun<Report extends ClientReport = ClientReport> {
  readonly cost: ProcessCost;
  readonly truth: ServerTruth;
  readonly report: Report;
  readonly machine: MachineUse;
}

/** Looks at a client while it runs. */
export interface LoadWatcher {
  (client: MeasuredProcess, target: LoadTarget): Promise<void>;
}

/**
 * Runs a client.
 * @throws {Error} if it failed, or the load target has not answered every request in full
 */
export async function runLoad<Report extends ClientReport>(
  context: BenchContext,
  client: LoadClient<Report>,
  order: LoadOrder,
  timing: TargetTiming,
  watch?: LoadWatcher,
): Promise<LoadRun<Report>> {
  await context.machine.waitForQuiet(context.patienceMs);
  const folder = await Deno.makeTempDir({ prefix: "bench-" });
  const target = await context.startTarget(timing);
  try {
    const endWatch = context.machine.begin();
    const targetCpuBefore = target.cpuSeconds;
    const process = await MeasuredProcess.start(client.commandLine(order, target.url, folder));
    const [cost] = await Promise.all([process.cost, watch?.(process, target)]);
    const machine = endWatch({
      clientSeconds: cost.cpuSeconds,
      targetSeconds: target.cpuSeconds - targetCpuBefore,
    });
    if (cost.exitCode !== 0) {
      throw new Error(`${client.name} ended with ${cost.exitCode}:\n${cost.output}`);
    }
    const truth = await target.truth();
    const events = order.requests * order.tokens;
    const isWhole = client.sendsMore
      ? truth.succeeded >= order.requests && truth.events >= events
      : truth.succeeded === order.requests && truth.events === events;
    if (!isWhole) {
      throw new Error(
        `${client.name} was to make ${order.requests} requests of ${order.tokens} events, the ` +
          `load target answered ${truth.succeeded} with ${truth.events} events`,
      );
    }
    return { cost, truth, report: await client.report(folder), machine };
  } finally {
    await target.stop();
    await Deno.remove(folder, { recursive: true });
  }
}
