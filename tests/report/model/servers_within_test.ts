import assert from "node:assert/strict";
import { reportOfPages, type TimedPage } from "../../support/metrics_pages.ts";

const SECOND_NS = 1_000_000_000n;

Deno.test("servers' numbers of parts do not depend on the parts that were asked for before", () => {
  const pages = [1, 2, 3, 4, 5, 6, 7, 8].map((running, second): TimedPage => [
    second,
    `# TYPE vllm:num_requests_running gauge\nvllm:num_requests_running ${running}\n`,
  ]);
  const report = reportOfPages(pages, { start: 0, end: 7 });
  const maxOf = (from: bigint, to: bigint) =>
    report.within?.({
      startNs: report.startNs + from * SECOND_NS,
      endNs: report.startNs + to * SECOND_NS,
    }).roles.figure("running")?.stats["max"];
  // The shown part, slices, and the shown part again.
  assert.deepEqual([maxOf(0n, 3n), maxOf(4n, 6n), maxOf(1n, 2n), maxOf(0n, 3n)], [4, 7, 3, 4]);
  assert.equal(report.roles.figure("running")?.stats["max"], 8);
});
