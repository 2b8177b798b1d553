import type { BenchCase, BenchContext } from "../bench_case.ts";
import type { BenchRow } from "../bench_row.ts";
import type { LoadClient } from "../load_client.ts";
import { runLoad } from "../load_run.ts";
import { Product } from "../product.ts";
import { machineOf, playRounds, valuesOf } from "../rounds.ts";
import { atMost } from "../target.ts";

const ORDER = { concurrency: 10, requests: 10, tokens: 10, serverMetrics: true };
const TIMING = { ttftMs: 10, itlMs: 1 };

/** How long a user waits until something happens. */
export const startup: BenchCase = {
  name: "startup",
  description: "time from the launch to the first request, from source and compiled",
  async run(context) {
    const rows = [
      await measure(context, "source", new Product(undefined), context.peers, 0.4),
    ];
    if (context.binary !== undefined) {
      rows.push(await measure(context, "executable", new Product(context.binary), [], 0.2));
    }
    return rows;
  },
};

async function measure(
  context: BenchContext,
  form: string,
  product: Product,
  peers: readonly LoadClient[],
  maxSeconds: number,
): Promise<BenchRow> {
  const runs = await playRounds(
    context,
    `startup, ${form}`,
    [product, ...peers].map((client) => ({
      name: client.name,
      measure: () => runLoad(context, client, ORDER, TIMING),
    })),
  );
  return {
    label: `launch to first request, ${form}`,
    unit: "s",
    values: valuesOf(runs, ({ cost, truth }) => (truth.firstRequestMs - cost.startedMs) / 1000),
    targets: [atMost(maxSeconds)],
    machine: machineOf(runs),
  };
}
