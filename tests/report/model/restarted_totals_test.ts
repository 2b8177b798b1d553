import assert from "node:assert/strict";
import {
  ENDPOINT_URL,
  endpointOf,
  reportOf,
  reportOfPages,
  scrapedEndpoint,
  type TimedPage,
} from "../../support/metrics_pages.ts";
import type { ServerMetricsReport } from "../../../src/report/model/server_metrics_report.ts";

const WINDOW = { start: 1, end: 10 };

/** A page of a process; `started` is undefined for one that does not report its start. */
function page(started: number | undefined, prompt: number, generated: number, ttfts: number) {
  const start = started === undefined
    ? ""
    : `# TYPE process_start_time_seconds gauge\nprocess_start_time_seconds ${started}\n`;
  const ttft = "vllm:time_to_first_token_seconds";
  return `${start}# TYPE vllm:prompt_tokens counter
vllm:prompt_tokens_total ${prompt}
# TYPE vllm:generation_tokens counter
vllm:generation_tokens_total ${generated}
# TYPE ${ttft} histogram
${ttft}_bucket{le="1"} ${ttfts}
${ttft}_bucket{le="+Inf"} ${ttfts}
${ttft}_sum ${ttfts * 0.25}
${ttft}_count ${ttfts}
`;
}

function totals({ roles }: ServerMetricsReport) {
  const ttft = roles.figure("ttft")?.stats;
  return [
    roles.figure("prompt_tokens")?.stats["total"],
    roles.figure("generation_tokens")?.stats["total"],
    ...[ttft?.["count"], ttft?.["sum"], ttft?.["avg"]],
  ];
}

Deno.test("totals of roles are sums of increases where the process restarted", () => {
  // The new process has counted more prompt tokens and first tokens than the old one by its first page.
  const pagesOf = (first?: number, second?: number): TimedPage[] => [
    [0, page(first, 1000, 500, 10)],
    [5, page(first, 1500, 600, 20)],
    [7, page(second, 1600, 300, 24)],
    [10.5, page(second, 2000, 700, 32)],
  ];
  const expected = [500 + 2000, 100 + 700, 10 + 32, 10.5, 0.25];
  const restarted = reportOfPages(pagesOf(100, 200), WINDOW);
  assert.deepEqual(totals(restarted), expected);
  assert.deepEqual([...restarted.roles.restarted], [ENDPOINT_URL]);
  assert.deepEqual(totals(reportOfPages(pagesOf(), WINDOW)), expected);
  const { roles } = reportOfPages(pagesOf(100, 200), WINDOW);
  assert.equal(roles.figure("prompt_tokens")?.stats["rate"], 2500 / 9);
});

Deno.test("totals of roles begin at the last page before the window, and end where the run continues", () => {
  const pages: TimedPage[] = [
    [0, page(100, 1000, 500, 10)],
    [0.9, page(200, 50, 20, 2)],
    [5, page(200, 80, 40, 4)],
    [12, page(300, 90, 50, 8)],
  ];
  const report = reportOfPages(pages, { ...WINDOW, goesOn: true });
  assert.deepEqual(totals(report), [30, 20, 2, 0.5, 0.25]);
  assert.deepEqual([...report.roles.restarted], []);
});

Deno.test("pages of several processes in turn are no restarts", () => {
  const pages: TimedPage[] = [
    [0, page(100, 1000, 500, 10)],
    [3, page(200, 50, 20, 2)],
    [5, page(100, 1100, 540, 14)],
    [7, page(200, 60, 30, 3)],
    [10.5, page(100, 1200, 600, 20)],
  ];
  const report = reportOf([scrapedEndpoint(endpointOf(pages))], WINDOW);
  assert.deepEqual(totals(report).slice(0, 3), [200, 100, 10]);
  assert.deepEqual([...report.roles.restarted], []);
  const notes = report.notes.join("\n");
  assert.match(notes, /node1:8000\/metrics: several processes responded in turn/);
  assert.doesNotMatch(notes, /server restarted/);
});

Deno.test("neither an inexact start time nor a single decrease is a restart", () => {
  const inexact = reportOfPages([
    [0, page(100, 1000, 500, 10)],
    [5, page(101, 1500, 600, 20)],
    [10.5, page(100, 2000, 700, 30)],
  ], WINDOW);
  assert.deepEqual(totals(inexact).slice(0, 3), [1000, 200, 20]);
  assert.deepEqual([...inexact.roles.restarted], []);
  const others = (value: number) =>
    Array.from(
      { length: 6 },
      (_, at) =>
        `# TYPE vllm:other${at} counter\nvllm:other${at}_total ${at === 0 ? 9 - value : value}\n`,
    )
      .join("");
  const single = reportOfPages([
    [0, page(undefined, 1000, 500, 10) + others(1)],
    [5, page(undefined, 1500, 600, 20) + others(2)],
    [10.5, page(undefined, 2000, 700, 30) + others(3)],
  ], WINDOW);
  assert.deepEqual(totals(single).slice(0, 3), [1000, 200, 20]);
});
