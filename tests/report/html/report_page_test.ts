import assert from "node:assert/strict";
import { ServerRoles } from "../../../src/report/model/server_roles.ts";
import assets from "../../../src/report/html/page_assets.json" with { type: "json" };
import { reportPage } from "../../../src/report/html/report_page.ts";
import { isPlotName } from "../../../src/report/export/artifact_names.ts";
import { plotFiles } from "../../../src/report/html/plot_files.ts";
import type { RunView } from "../../../src/report/html/run_view.ts";
import { UNBOUNDED } from "../../../src/core/statistics/unbounded.ts";
import type { ServerView } from "../../../src/results/collect/run_view_of.ts";
import {
  finishedRun,
  type MadeRequest,
  type MadeRun,
  steadyRequests,
  viewOf,
} from "../../support/run_views.ts";

function pageOf(view: RunView): string {
  return [...reportPage(view, { summaryJson: '{"a":1}', summaryName: "a.json" })].join("");
}

async function pageOfRun(
  requests: Iterable<MadeRequest>,
  made: MadeRun = {},
  server?: ServerView,
): Promise<string> {
  return pageOf(viewOf(await finishedRun(requests, made), server));
}

/** What a reader sees: the page without its script, style and data. */
function shown(page: string): string {
  return page.replace(/<(script|style)[^>]*>[^]*?<\/\1>/g, "");
}

const HOSTILE = `</script><script>alert(1)</script><img src=x onerror=alert(2)>'"&<!--\u0007`;

Deno.test("reportPage is one document whose policy allows its own script and style alone", async () => {
  const page = await pageOfRun(steadyRequests(100));
  const policy = /Content-Security-Policy" content="([^"]*)"/.exec(page)?.[1] ?? "";
  assert.match(policy, /^default-src 'none'; script-src 'sha256-[^']+'; style-src 'sha256-[^']+'/);
  for (const [kind, text] of [["script", assets.script], ["style", assets.style]] as const) {
    const digest = await crypto.subtle.digest("SHA-256", new TextEncoder().encode(text));
    const hash = btoa(String.fromCharCode(...new Uint8Array(digest)));
    assert.ok(policy.includes(`${kind}-src 'sha256-${hash}'`), kind);
    assert.ok(page.includes(`<${kind}>${text}</${kind}>`), kind);
  }
  assert.equal(page.match(/<script>/g)?.length, 1);
  assert.doesNotMatch(shown(page), /\s(style|on\w+)=|(src|href)="(?!#)/);
  assert.doesNotMatch(shown(page), /NaN|undefined|Infinity/);
});

Deno.test("reportPage shows text of servers, models and options as text", async () => {
  const requests: MadeRequest[] = [
    ...steadyRequests(3),
    {
      startNs: 1.2e9,
      error: "http_status",
      status: 500,
      message: `HTTP 500 Oops: ${HOSTILE}`,
      requestId: HOSTILE,
    },
  ];
  const run = await finishedRun(requests, {
    options: { model: HOSTILE.replace("\u0007", "") },
    summary: { notes: [HOSTILE] },
  });
  const view = viewOf(run, {
    timeline: [{
      ...{ role: "running", metric: HOSTILE, endpointUrl: HOSTILE },
      ...{ timesNs: [1e9, 1.1e9], values: [1, 2] },
    }],
    metrics: {
      ...{
        benchmarkId: "b",
        startNs: 0n,
        endNs: 1n,
        endpointsConfigured: [HOSTILE],
        endpoints: [],
      },
      ...{ info: [], inputConfig: {}, wasCancelled: false },
      ...{ estimator: "interval", notes: [HOSTILE], roles: new ServerRoles([]) },
      metrics: [{
        ...{ name: HOSTILE, type: "gauge", description: HOSTILE, unit: HOSTILE },
        series: [{
          ...{ name: HOSTILE, endpointUrl: HOSTILE, type: "gauge", labels: [[HOSTILE, HOSTILE]] },
          ...{ description: HOSTILE, unit: HOSTILE, stats: { "avg": 1 }, buckets: undefined },
          ...{ quantiles: undefined, changeRates: undefined, slices: undefined, reset: false },
        }],
      }],
    },
  });
  const page = [
    ...reportPage(view, { summaryJson: JSON.stringify({ "x": HOSTILE }), summaryName: HOSTILE }),
  ].join("");
  assert.equal(page.match(/<script[ >]/g)?.length, 3, "two of data, and the page's own");
  assert.equal(page.match(/<\/script>/g)?.length, 3);
  assert.doesNotMatch(shown(page), /<img|<!--/);
  assert.ok(!page.includes("\u0007"));
  const data = /id="data">([^]*?)<\/script>/.exec(page)?.[1] ?? "";
  assert.ok(JSON.parse(data).requests.some(({ id }: { id: string }) => id === HOSTILE));
  const summary = /id="summary"[^>]*>([^]*?)<\/script>/.exec(page)?.[1] ?? "";
  assert.deepEqual(JSON.parse(summary), { "x": HOSTILE });
  for (const [name, svg] of plotFiles(view)) {
    assert.doesNotMatch(svg, /<script|<img|<!--/);
    assert.ok(isPlotName(name), name);
  }
});

Deno.test("reportPage says what is absent, and leaves out what it would draw of it", async () => {
  const none = await pageOfRun([{
    error: "connect",
    message: "refused",
    startNs: 1.5e9,
    endNs: 1.6e9,
  }]);
  assert.match(none, /No result<\/span>: none of 1\srequests succeeded/);
  assert.match(none, /1\srequest, 1 failed/);
  assert.match(none, /<p>No request succeeded\.<\/p>/);
  assert.match(none, /Server metrics were not collected/);
  assert.doesNotMatch(none, /chart-time-ttft|chart-ttft/);
  const empty = await pageOfRun([]);
  assert.match(empty, /No request was recorded/);
  const whole = await pageOfRun(
    [...steadyRequests(40)].map((request) => ({ ...request, isWhole: 1 })),
    { options: { streaming: false } },
  );
  assert.match(whole, /not streaming/);
  assert.doesNotMatch(whole, /chart-time-ttft|chart-time-itl/);
  assert.match(whole, /chart-latency-histogram-linear/);
  const lost = await pageOfRun(steadyRequests(5), { options: { noRecords: true } });
  assert.match(lost, /records were not kept \(--no-records\)/);
});

Deno.test("reportPage tells of a run that was interrupted, ended early, or stood still", async () => {
  const cut = await pageOfRun(steadyRequests(5), { summary: { wasCancelled: true } });
  assert.match(cut, /<ul class="alerts"><li>Partial results: the run was interrupted/);
  const early = await pageOfRun(steadyRequests(5), { summary: { endedEarly: "nobody home" } });
  assert.match(early, /<ul class="alerts"><li>Partial results: the run ended early: nobody home/);
  assert.equal(
    shown(early).match(/Partial results: the run ended early: nobody home/g)?.length,
    1,
    "said once",
  );
  const stood = await pageOfRun(steadyRequests(100), {
    summary: { stalls: [{ startNs: 1.5e9, endNs: 2e9 }] },
  });
  assert.match(stood, /client stalled for 0.500 s/);
  const killed = await pageOfRun(steadyRequests(5), {
    phases: [{ kind: "warmup", startNs: 0, endNs: 1e9 }, {
      kind: "profiling",
      startNs: 1e9,
      endNs: undefined,
    }],
  });
  assert.match(killed, /warm-up/);
});

Deno.test("reportPage names what it finds: trends, objectives, outcomes", async () => {
  const requests: MadeRequest[] = [
    ...steadyRequests(300, 1),
    { startNs: 1.2e9, endNs: 1.3e9, error: "timeout", message: "No reply" },
    { startNs: 1.2e9, endNs: 1.3e9, error: "cancelled", message: "The run ended" },
  ];
  const page = await pageOfRun(requests, { options: { goodput: "ttft:130" } });
  assert.match(
    page,
    /TTFT rises: median 1\d\d ms in the first third, 3\d\d ms/,
  );
  // 80, 81, ... 130 ms.
  assert.match(page, /17 % of valid requests meet TTFT 130 ms/);
  assert.match(page, /302 requests, 1 failed, 1 cancelled/);
  assert.match(page, /A request spends \d+ % of its time on wait/);
});

Deno.test("reportPage has the numbers of every picture as a table", async () => {
  const page = await pageOfRun(steadyRequests(200));
  const figures = page.match(/<figure class="chart"[^]*?<\/figure>/g) ?? [];
  assert.ok(figures.length >= 12, `${figures.length}`);
  for (const figure of figures) {
    assert.match(figure, /<h3>[^<]+<\/h3>/);
    assert.match(figure, /<svg [^>]*role="img" aria-label="[^"]+"/);
    assert.match(figure, /<table><caption>[^<]+<\/caption><thead>/);
  }
});

Deno.test("reportPage draws failures by kind over time, with the first time and words of each", async () => {
  const failed = (index: number, error: MadeRequest["error"]): MadeRequest => ({
    ...{
      startNs: 1.5e9 + index * 0.1e9,
      endNs: 1.6e9 + index * 0.1e9,
      message: `words of ${error}`,
    },
    ...(error === undefined ? {} : { error }),
  });
  const requests = [
    ...steadyRequests(200),
    ...Array.from({ length: 12 }, (_, index) => failed(index, "timeout")),
    ...[14, 13].map((index) => failed(index, "truncated")),
    failed(1, "cancelled"),
  ];
  const page = await pageOfRun(requests);
  assert.match(
    page,
    /<h3>14 requests failed: 12 timeout, 2 truncated, between 0\.600 s and 2(\.00)? s<\/h3>/,
  );
  const rows = shown(page).replace(/<[^>]+>/g, " ").replace(/ +/g, " ");
  assert.match(rows, /timeout 12 0\.600 s words of timeout/);
  assert.match(rows, /truncated 2 1\.90 s words of truncated/);
  const data = JSON.parse(/id="data">([^]*?)<\/script>/.exec(page)?.[1] ?? "");
  const chart = data.charts.find(({ id }: { id: string }) => id === "errors");
  assert.ok(data.clock.includes("errors"));
  const [timeouts] = chart.series;
  const width = timeouts.x[1] - timeouts.x[0];
  const sum = timeouts.y.slice(0, -1).reduce((sum: number, rate: number) => sum + rate * width, 0);
  assert.ok(Math.abs(sum - 12) < 0.01, `${sum}`);
  assert.doesNotMatch(await pageOfRun(steadyRequests(50)), /chart-errors/);
});

Deno.test("reportPage says what became of each objective, and which program made the run", async () => {
  const page = await pageOfRun(steadyRequests(100), {
    options: { slo: ["ttft.p99<500ms", "latency.p50<1ms"] },
  });
  const text = shown(page).replace(/<[^>]+>/g, " ").replace(/ +/g, " ");
  assert.match(text, /ttft\.p99 &lt; 500 ms 80 ms met/);
  assert.match(text, /latency\.p50 &lt; 1 ms 100 ms MISSED/);
  assert.match(text, /program inferometer\/\d/);
});

Deno.test("reportPage calls the error of a figure unknown that nothing limits", async () => {
  const view = viewOf(await finishedRun(steadyRequests(100)));
  const judged = (lower: number, upper: number) => ({ lower, upper, verdict: "invalid" as const });
  const page = shown(pageOf({
    ...view,
    report: {
      ...view.report,
      measurementError: {
        verdict: "invalid",
        reasons: [],
        metrics: new Map([
          ["inter_token_latency", { avg: judged(0, 1e3), p99: judged(0, UNBOUNDED) }],
          ["request_throughput", { avg: judged(0, UNBOUNDED) }],
        ]),
      },
    },
  }));
  const row = /<tr>(?:(?!<\/tr>).)*Inter Token Latency.*?<\/tr>/s.exec(page)?.[0] ?? "";
  assert.match(row, />unknown</, "not the error of the statistics that are known");
  const card = (name: string) =>
    page.split("<tr>").find((text) => text.startsWith(`<th scope="row">${name}`)) ?? "";
  assert.match(card("Requests/s"), /client error unknown/);
  assert.match(card("ITL"), /client error unknown/);
});
