import type { BenchCase, BenchContext } from "../bench_case.ts";
import type { LoadClient } from "../load_client.ts";
import { type LoadRun, runLoad } from "../load_run.ts";
import { SGLANG_BENCH } from "../peers.ts";
import { machineOf, playRounds, valuesOf } from "../rounds.ts";
import { atMostTimes } from "../target.ts";

const ORDER = { concurrency: 100, requests: 3000, tokens: 100 };
const NO_DELAY = { ttftMs: 0, itlMs: 0 };

/** What a run costs that is over in a second: start-up and report weigh most. */
export const shortRun: BenchCase = {
  name: "short-run",
  description: "CPU and time of a whole run of 3,000 requests, start-up and report included",
  async run(context) {
    const runs = await measure(context, [context.product, ...context.peers], false);
    // It has no way to collect them.
    const collecting = context.peers.filter(({ name }) => name !== SGLANG_BENCH);
    const fullRuns = await measure(context, [context.product, ...collecting], true);
    const machine = machineOf(runs);
    return [{
      label: "CPU of a run of 3,000 requests",
      unit: "s",
      values: valuesOf(runs, ({ cost }) => cost.cpuSeconds),
      targets: [atMostTimes(1, SGLANG_BENCH)],
      machine,
    }, {
      label: "time of that run",
      unit: "s",
      values: valuesOf(runs, ({ cost }) => cost.wallSeconds),
      targets: [],
      machine,
    }, {
      label: "its CPU with the server's metrics",
      unit: "s",
      values: valuesOf(fullRuns, ({ cost }) => cost.cpuSeconds),
      targets: [],
      machine: machineOf(fullRuns),
    }];
  },
};

function measure(
  context: BenchContext,
  clients: readonly LoadClient[],
  serverMetrics: boolean,
): Promise<Map<string, LoadRun[]>> {
  return playRounds(
    context,
    `short-run${serverMetrics ? " with server metrics" : ""}`,
    clients.map((client) => ({
      name: client.name,
      measure: () => runLoad(context, client, { ...ORDER, serverMetrics }, NO_DELAY),
    })),
  );
}
