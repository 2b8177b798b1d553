import type { BenchCase, BenchContext } from "../bench_case.ts";
import { MODEL } from "../load_client.ts";
import type { MachineUse } from "../machine_use.ts";
import { MeasuredProcess, type ProcessCost } from "../measured_process.ts";
import { OURS, productCommand } from "../product.ts";
import { atMost } from "../target.ts";

const REQUESTS = 1_000_000;
/** The shorter run, to see what each further request adds. */
const FEWER = 250_000;

/** What a million requests cost, of which every one is kept. */
export const million: BenchCase = {
  name: "million",
  description: "peak memory of a million requests without streaming, and growth from 250,000",
  async run(context) {
    const short = await measure(context, FEWER);
    const long = await measure(context, REQUESTS);
    const machine = [long.machine];
    const one = (value: number) => new Map([[OURS, [value]]]);
    return [{
      label: "peak memory, a million requests",
      unit: "MB",
      decimals: 0,
      values: one(long.cost.peakBytes / 1e6),
      targets: [atMost(400)],
      machine,
    }, {
      label: "memory of each request beyond 250,000",
      unit: "kB",
      decimals: 3,
      values: one((long.cost.peakBytes - short.cost.peakBytes) / 1e3 / (REQUESTS - FEWER)),
      targets: [],
      machine,
    }, {
      label: "CPU of each request",
      unit: "us",
      values: one(long.cost.cpuSeconds / REQUESTS * 1e6),
      targets: [],
      machine,
    }, {
      label: "a million requests, report included",
      unit: "s",
      values: one(long.cost.wallSeconds),
      targets: [],
      machine,
    }];
  },
};

async function measure(
  context: BenchContext,
  requests: number,
): Promise<{ readonly cost: ProcessCost; readonly machine: MachineUse }> {
  await context.machine.waitForQuiet(context.patienceMs);
  context.progress(`${requests} requests without streaming`);
  const folder = await Deno.makeTempDir({ prefix: "bench-" });
  const target = await context.startTarget({ ttftMs: 0, itlMs: 0 });
  try {
    const endWatch = context.machine.begin();
    const before = target.cpuSeconds;
    const process = await MeasuredProcess.start(productCommand(context.binary, [
      ...["profile", "--url", target.url, "--model", MODEL, "--ui", "none", "--isl", "100"],
      ...["--osl", "5", "--concurrency", "64", "--request-count", `${requests}`],
      ...["--no-server-metrics", "--artifact-dir", `${folder}/run`],
    ]));
    const cost = await process.cost;
    const machine = endWatch({
      clientSeconds: cost.cpuSeconds,
      targetSeconds: target.cpuSeconds - before,
    });
    if (cost.exitCode !== 0) throw new Error(`${requests} requests: ${cost.output}`);
    return { cost, machine };
  } finally {
    await target.stop();
    await Deno.remove(folder, { recursive: true });
  }
}
