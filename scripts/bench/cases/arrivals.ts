import type { BenchCase } from "../bench_case.ts";
import { runLoad } from "../load_run.ts";
import { OURS, Product } from "../product.ts";
import { machineOf, playRounds, valuesOf } from "../rounds.ts";
import { atMost } from "../target.ts";

/** The concurrency is a limit that is never reached. */
const ORDER = { concurrency: 1000, requests: 10_000, tokens: 10, serverMetrics: false };
const TIMING = { ttftMs: 20, itlMs: 2 };

/** How late requests go out that an arrival process asks for. */
export const arrivals: BenchCase = {
  name: "arrivals",
  description: "send slip at 1,000 requests/s with Poisson arrivals",
  async run(context) {
    const client = new Product(context.binary, ["--request-rate", "1000"]);
    const runs = await playRounds(context, "arrivals", [{
      name: OURS,
      measure: () => runLoad(context, client, ORDER, TIMING),
    }]);
    const machine = machineOf(runs);
    return [{
      label: "send slip p50 at 1,000 requests/s",
      unit: "ms",
      decimals: 3,
      values: valuesOf(runs, ({ report }) => report.sendSlipP50Ms),
      targets: [atMost(0.2)],
      machine,
    }, {
      label: "send slip p99 at 1,000 requests/s",
      unit: "ms",
      decimals: 3,
      values: valuesOf(runs, ({ report }) => report.sendSlipP99Ms),
      targets: [atMost(1)],
      machine,
    }];
  },
};
