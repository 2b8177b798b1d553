/** Runs of the product with a large input file, and rows of their results. */

import type { BenchContext } from "./bench_case.ts";
import type { BenchRow } from "./bench_row.ts";
import { MODEL } from "./load_client.ts";
import type { MachineUse } from "./machine_use.ts";
import { MeasuredProcess, type ProcessCost } from "./measured_process.ts";
import { OURS, productCommand } from "./product.ts";
import { atMost } from "./target.ts";

/** What a run with a file cost. */
interface FileRun {
  readonly cost: ProcessCost;
  readonly machine: MachineUse;
}

/**
 * Runs the product with an input file.
 * @param name of the run in messages
 * @param artifacts folder of its results, which is overwritten
 * @param args more options of `profile`
 * @throws {Error} if the run fails
 */
export async function runFile(
  context: BenchContext,
  name: string,
  path: string,
  artifacts: string,
  args: readonly string[],
): Promise<FileRun> {
  await context.machine.waitForQuiet(context.patienceMs);
  context.progress(name);
  const target = await context.startTarget({ ttftMs: 2, itlMs: 0 });
  try {
    const endWatch = context.machine.begin();
    const before = target.cpuSeconds;
    const process = await MeasuredProcess.start(productCommand(context.binary, [
      ...["profile", "--url", target.url, "--model", MODEL, "--input-file", path, "--ui", "none"],
      ...["--no-server-metrics", "--artifact-dir", artifacts, "--overwrite", ...args],
    ]));
    const cost = await process.cost;
    const targetSeconds = target.cpuSeconds - before;
    const machine = endWatch({ clientSeconds: cost.cpuSeconds, targetSeconds });
    if (cost.exitCode !== 0) throw new Error(`${name}: ${cost.output}`);
    return { cost, machine };
  } finally {
    await target.stop();
  }
}

/** A row with one value of the product, and the largest that it may be; undefined for any. */
export function ownRow(
  label: string,
  unit: string,
  value: number,
  machine: MachineUse,
  most?: number,
): BenchRow {
  return {
    label,
    unit,
    values: new Map([[OURS, [value]]]),
    targets: most === undefined ? [] : [atMost(most)],
    machine: [machine],
  };
}
