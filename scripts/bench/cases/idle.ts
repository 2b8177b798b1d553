import type { BenchCase, BenchContext } from "../bench_case.ts";
import type { LoadClient } from "../load_client.ts";
import { runLoad } from "../load_run.ts";
import type { MachineUse } from "../machine_use.ts";
import { machineOf, playRounds, valuesOf } from "../rounds.ts";
import { atMost } from "../target.ts";
import { pause, waitForRequests } from "../wait_for_requests.ts";

const ORDER = { concurrency: 100, requests: 100, tokens: 1, serverMetrics: true };
const WINDOW_MS = 10_000;
/** Between the last request and the window. */
const SETTLE_MS = 500;
const TIMING = { ttftMs: WINDOW_MS + 2000, itlMs: 0 };

/** What waiting costs. */
export const idle: BenchCase = {
  name: "idle",
  description: "CPU while 100 streams wait 10 s for their first token",
  async run(context) {
    const runs = await playRounds(
      context,
      "idle",
      [context.product, ...context.peers].map((client) => ({
        name: client.name,
        // It hardly varies.
        maxRounds: 1,
        measure: () => waitingShare(context, client),
      })),
    );
    return [{
      label: "CPU while 100 streams wait",
      unit: "% of a core",
      values: valuesOf(runs, ({ coreShare }) => coreShare * 100),
      targets: [atMost(3)],
      machine: machineOf(runs),
    }];
  },
};

async function waitingShare(
  context: BenchContext,
  client: LoadClient,
): Promise<{ coreShare: number; machine: MachineUse }> {
  let coreShare = NaN;
  const { machine } = await runLoad(context, client, ORDER, TIMING, async (process, target) => {
    await waitForRequests(target, ORDER.requests);
    await pause(SETTLE_MS);
    const startMs = performance.now();
    const before = process.cpuSeconds;
    await pause(WINDOW_MS);
    coreShare = (process.cpuSeconds - before) * 1000 / (performance.now() - startMs);
    if ((await target.truth()).succeeded > 0) throw new Error("A reply came before its time");
  });
  return { coreShare, machine };
}
