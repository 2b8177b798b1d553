import type { BenchCase, BenchContext } from "../bench_case.ts";
import { MODEL, PROMPT_TOKENS } from "../load_client.ts";
import type { MachineUse } from "../machine_use.ts";
import { MeasuredProcess } from "../measured_process.ts";
import { OURS, productCommand } from "../product.ts";
import { machineOf, playRounds, valuesOf } from "../rounds.ts";
import { atMost } from "../target.ts";

const POINTS = Array.from({ length: 10 }, (_, index) => index + 1);
const REQUESTS = 40;
const TOKENS = 10;
const TIMING = { ttftMs: 10, itlMs: 1 };

/** A sweep. */
interface SweepRun {
  /** Time from the end of one point's load to the start of the next one's, on average. */
  readonly overheadSeconds: number;
  readonly cpuSeconds: number;
  readonly machine: MachineUse;
}

/** What the points of a sweep cost besides their load. */
export const sweep: BenchCase = {
  name: "sweep",
  description: "time between the points of a sweep of ten short ones, reports included",
  async run(context) {
    const runs = await playRounds(context, "sweep", [{
      name: OURS,
      measure: () => runSweep(context),
    }]);
    return [{
      label: "overhead of a point of a sweep",
      unit: "s",
      decimals: 3,
      values: valuesOf(runs, ({ overheadSeconds }) => overheadSeconds),
      targets: [atMost(0.3)],
      machine: machineOf(runs),
    }, {
      label: "CPU of the sweep of ten points",
      unit: "s",
      values: valuesOf(runs, ({ cpuSeconds }) => cpuSeconds),
      targets: [],
      machine: machineOf(runs),
    }];
  },
};

async function runSweep(context: BenchContext): Promise<SweepRun> {
  await context.machine.waitForQuiet(context.patienceMs);
  const folder = await Deno.makeTempDir({ prefix: "bench-" });
  const target = await context.startTarget(TIMING);
  try {
    const endWatch = context.machine.begin();
    const before = target.cpuSeconds;
    const process = await MeasuredProcess.start(productCommand(context.binary, [
      ...["profile", "--url", target.url, "--model", MODEL, "--streaming", "--ui", "none"],
      ...["--concurrency", POINTS.join(","), "--request-count", `${REQUESTS}`],
      ...["--isl", `${PROMPT_TOKENS}`, "--osl", `${TOKENS}`, "--artifact-dir", `${folder}/sweep`],
    ]));
    const { cpuSeconds, exitCode, output } = await process.cost;
    const machine = endWatch({
      clientSeconds: cpuSeconds,
      targetSeconds: target.cpuSeconds - before,
    });
    if (exitCode !== 0) throw new Error(`The sweep ended with ${exitCode}:\n${output}`);
    const windows = await Promise.all(POINTS.map((point) => windowOf(`${folder}/sweep`, point)));
    const gaps = windows.slice(1).map(({ startMs }, index) =>
      startMs - (windows[index]?.endMs ?? NaN)
    );
    const overheadSeconds = gaps.reduce((sum, gap) => sum + gap, 0) / gaps.length / 1e3;
    return { overheadSeconds, cpuSeconds, machine };
  } finally {
    await target.stop();
    await Deno.remove(folder, { recursive: true });
  }
}

/** When a point's load began and ended. */
async function windowOf(
  folder: string,
  concurrency: number,
): Promise<{ startMs: number; endMs: number }> {
  const path = `${folder}/concurrency_${concurrency}/profile_export_aiperf.json`;
  const { start_time: start, end_time: end } = JSON.parse(await Deno.readTextFile(path));
  return { startMs: Date.parse(start), endMs: Date.parse(end) };
}
