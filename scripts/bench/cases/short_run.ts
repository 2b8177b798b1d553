import type { BenchCase } from "../bench_case.ts";
import { runLoad } from "../load_run.ts";
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
    const runs = await playRounds(
      context,
      "short-run",
      [context.product, ...context.peers].map((client) => ({
        name: client.name,
        measure: () => runLoad(context, client, ORDER, NO_DELAY),
      })),
    );
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
    }];
  },
};
