/**
 * The least that is late on a machine: a thread that does nothing but sleep until each arrival of the
 * product's own process. Whoever sends requests at these times is later.
 *
 *     deno run --allow-write sleeper.ts RATE ARRIVALS FILE
 */

import { percentile } from "../../src/core/statistics/percentile.ts";
import { arrivals } from "../../src/load/workload/arrivals.ts";
import { lateness } from "./lateness.ts";
import { StallCells } from "./stall_cells.ts";

const [rate, count, file] = Deno.args as [string, string, string];
const offsetsNs = arrivals(
  {
    loop: "open",
    arrivalPattern: "poisson",
    ratePerSecond: Number(rate),
    smoothness: 1,
    concurrency: Infinity,
  },
  1,
  "profiling",
).take(Number(count));
const cells = new StallCells();
const startMs = performance.now();
const lateMs = lateness(
  offsetsNs.map((offsetNs) => startMs + offsetNs / 1e6),
  () => performance.now(),
  (milliseconds) => cells.sleep(milliseconds),
).sort();
await Deno.writeTextFile(
  file,
  JSON.stringify({ p50Ms: percentile(lateMs, 50), p99Ms: percentile(lateMs, 99) }),
);
