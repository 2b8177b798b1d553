/**
 * The least that is late on a machine: a thread that does nothing but sleep until the next of some
 * Poisson arrivals, as the product's pacer does. Whoever sends requests at these times is later.
 *
 *     deno run --allow-write sleeper.ts RATE ARRIVALS FILE
 */

import { percentile } from "../../src/statistics/percentile.ts";
import { randomStream } from "../../src/statistics/random_stream.ts";

const [rate, arrivals, file] = Deno.args as [string, string, string];
const random = randomStream(1, "bench.sleeper");
const sleeper = new Int32Array(new SharedArrayBuffer(4));
const lateMs = new Float64Array(Number(arrivals));
let dueMs = performance.now();
for (let index = 0; index < lateMs.length; index++) {
  dueMs += -Math.log(1 - random()) * 1000 / Number(rate);
  for (let leftMs; (leftMs = dueMs - performance.now()) > 0;) Atomics.wait(sleeper, 0, 0, leftMs);
  lateMs[index] = performance.now() - dueMs;
}
lateMs.sort();
await Deno.writeTextFile(
  file,
  JSON.stringify({ p50Ms: percentile(lateMs, 50), p99Ms: percentile(lateMs, 99) }),
);
