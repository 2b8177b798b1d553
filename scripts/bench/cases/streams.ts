import type { BenchCase, BenchContext } from "../bench_case.ts";
import { type LoadRun, runLoad } from "../load_run.ts";
import { OURS } from "../product.ts";
import { machineOf, playRounds, valuesOf } from "../rounds.ts";
import { atMost } from "../target.ts";
import { waitForRequests } from "../wait_for_requests.ts";

const ORDER = { concurrency: 10_000, requests: 10_000, tokens: 10, serverMetrics: true };
/** So late that every stream is open before the first token comes. */
const TIMING = { ttftMs: 15_000, itlMs: 100 };

/** Whether ten thousand streams at once are carried, and what each takes. */
export const streams: BenchCase = {
  name: "streams",
  description: "errors and memory of 10,000 concurrent streams",
  async run(context) {
    const runs = await playRounds(context, "streams", [{
      name: OURS,
      maxRounds: 1,
      measure: () => measure(context),
    }]);
    const machine = machineOf(runs);
    return [{
      label: "errors of 10,000 streams at once",
      unit: "requests",
      decimals: 0,
      values: valuesOf(runs, ({ report }) => report.failed),
      targets: [atMost(0)],
      machine,
    }, {
      label: "peak memory for each of them",
      unit: "kB",
      values: valuesOf(runs, ({ cost }) => cost.peakBytes / 1e3 / ORDER.concurrency),
      targets: [atMost(60)],
      machine,
    }];
  },
};

function measure(context: BenchContext): Promise<LoadRun> {
  return runLoad(context, context.product, ORDER, TIMING, async (_, target) => {
    const { succeeded } = await waitForRequests(target, ORDER.requests);
    if (succeeded > 0) throw new Error("The first stream ended before the last one was open");
  });
}
