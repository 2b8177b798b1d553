import type { BenchContext } from "./bench_case.ts";
import type { MachineUse } from "./machine_use.ts";
import { MeasuredProcess } from "./measured_process.ts";

const PROGRAM = new URL("./sleeper.ts", import.meta.url).pathname;

/** Name of its column. */
export const SLEEPER = "a thread that sleeps";

/** By how much something was late, and what the machine did meanwhile. */
export interface Lateness {
  readonly p50Ms: number;
  readonly p99Ms: number;
  readonly machine: MachineUse;
}

/**
 * How late a thread wakes that only sleeps until each of some arrivals: see `sleeper.ts`.
 * @param rate arrivals a second
 * @throws {Error} if it failed
 */
export async function runSleeper(
  context: BenchContext,
  rate: number,
  arrivals: number,
): Promise<Lateness> {
  await context.machine.waitForQuiet(context.patienceMs);
  const file = await Deno.makeTempFile({ prefix: "bench-", suffix: ".json" });
  try {
    const endWatch = context.machine.begin();
    const process = await MeasuredProcess.start({
      command: Deno.execPath(),
      args: [
        ...["run", "--quiet", `--allow-write=${file}`, PROGRAM, `${rate}`, `${arrivals}`, file],
      ],
    });
    const { cpuSeconds, exitCode, output } = await process.cost;
    const machine = endWatch({ clientSeconds: cpuSeconds, targetSeconds: 0 });
    if (exitCode !== 0) throw new Error(`${SLEEPER} ended with ${exitCode}:\n${output}`);
    return { ...JSON.parse(await Deno.readTextFile(file)), machine };
  } finally {
    await Deno.remove(file);
  }
}
