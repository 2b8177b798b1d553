import type { BenchCase, BenchContext } from "../bench_case.ts";
import type { BenchRow } from "../bench_row.ts";
import { BareLoop } from "../bare_loop_client.ts";
import { runLoad } from "../load_run.ts";
import { AIPERF, SGLANG_BENCH } from "../peers.ts";
import { machineOf, playRounds, valuesOf } from "../rounds.ts";
import { threadRows } from "../thread_rows.ts";
import { atLeastTimes, atMostTimes } from "../target.ts";

const ORDER = { concurrency: 100, requests: 15_000, tokens: 100, serverMetrics: false };

/**
 * How fast streams are read, and at what cost, when the server sends without any delay. With a
 * write for each event it is the load target that the machine is busy with; with ten events in a
 * write it has time to spare, and what is measured is the client.
 */
export const burst: BenchCase = {
  name: "burst",
  description: "events/s and CPU per event without delays, 100 streams, 1.5 million events",
  async run(context) {
    const rows = await measure(context, 1);
    // The product's own mock server always writes as much as there is.
    return context.ownTarget ? rows : [...rows, ...await measure(context, 10)];
  },
};

async function measure(context: BenchContext, eventsPerWrite: number): Promise<BenchRow[]> {
  const timing = { ttftMs: 0, itlMs: 0, eventsPerWrite };
  const manner = eventsPerWrite === 1 ? "one a write" : `${eventsPerWrite} a write`;
  const runs = await playRounds(
    context,
    `burst, ${manner}`,
    [context.product, new BareLoop(), ...context.peers].map((client) => ({
      name: client.name,
      ...(client.name === AIPERF && eventsPerWrite > 1 ? { maxRounds: 1 } : {}),
      measure: () => runLoad(context, client, ORDER, timing),
    })),
  );
  const machine = machineOf(runs);
  return [{
    label: `streamed events, ${manner}`,
    unit: "events/s",
    decimals: 0,
    values: valuesOf(runs, ({ truth }) => truth.events / truth.spanSeconds),
    targets: [atLeastTimes(2, SGLANG_BENCH), atLeastTimes(6, AIPERF)],
    machine,
  }, {
    label: `CPU of a streamed event, ${manner}`,
    unit: "us",
    values: valuesOf(runs, ({ cost, truth }) => cost.cpuSeconds * 1e6 / truth.events),
    targets: [atMostTimes(0.5, SGLANG_BENCH)],
    machine,
  }, ...threadRows(runs, manner)];
}
