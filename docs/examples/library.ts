/**
 * Measures a server at rising concurrency, and prints where more of it no longer helps.
 *
 *   deno run --allow-all --unstable-worker-options docs/examples/library.ts http://localhost:8000
 */

import { profile, type ProfileOptions } from "../../mod.ts";

/** Settings of every run. */
const SETTINGS: ProfileOptions = { streaming: true, isl: 200, osl: 32, noServerMetrics: true };

/** Tokens per second and TTFT at one concurrency. */
async function measure(url: string, concurrency: number, folder: string) {
  const { metrics, requests, clientHealth } = await profile({
    ...SETTINGS,
    url: [url],
    concurrency,
    requestCount: concurrency * 4,
    artifactDir: `${folder}/${concurrency}`,
  });
  return {
    concurrency,
    tokensPerSecond: metrics["output_token_throughput"]?.avg ?? 0,
    ttftP99Ms: metrics["time_to_first_token"]?.p99 ?? NaN,
    failed: requests.failed,
    // Where the client itself was too slow, the figures say little about the server.
    trustworthy: clientHealth.ok,
  };
}

const [url = "http://localhost:8000", steps = "1,4,16"] = Deno.args;
const folder = await Deno.makeTempDir({ prefix: "sweep-" });
let best = 0;
for (const concurrency of steps.split(",").map(Number)) {
  const point = await measure(url, concurrency, folder);
  // deno-lint-ignore no-console -- what the example prints
  console.log(JSON.stringify(point));
  // Twice the load for less than 5 % more tokens is only a longer queue.
  if (point.tokensPerSecond < best * 1.05) break;
  best = Math.max(best, point.tokensPerSecond);
}
