import type { BenchCase } from "../bench_case.ts";
import { runLoad } from "../load_run.ts";
import { AIPERF, SGLANG_BENCH } from "../peers.ts";
import { noiseOf, playRounds, valuesOf } from "../rounds.ts";
import { atLeastTimes, atMostTimes } from "../target.ts";

const ORDER = { concurrency: 100, requests: 15_000, tokens: 100 };
const NO_DELAY = { ttftMs: 0, itlMs: 0 };

/** How fast streams are read, and at what cost, when the server sends without any delay. */
export const burst: BenchCase = {
  name: "burst",
  description: "events/s and CPU per event without delays, 100 streams, 1.5 million events",
  async run(context) {
    const runs = await playRounds(
      context,
      "burst",
      [context.product, ...context.peers].map((client) => ({
        name: client.name,
        measure: () => runLoad(context, client, ORDER, NO_DELAY),
      })),
    );
    const noise = noiseOf(runs);
    return [{
      label: "streamed events, C=100",
      unit: "events/s",
      decimals: 0,
      values: valuesOf(runs, ({ truth }) => truth.events / truth.spanSeconds),
      targets: [atLeastTimes(2, SGLANG_BENCH), atLeastTimes(6, AIPERF)],
      noise,
    }, {
      label: "CPU of a streamed event",
      unit: "us",
      values: valuesOf(runs, ({ cost, truth }) => cost.cpuSeconds * 1e6 / truth.events),
      targets: [atMostTimes(0.6, SGLANG_BENCH)],
      noise,
    }];
  },
};
