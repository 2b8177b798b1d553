import assert from "node:assert/strict";
import { ServerRoles } from "../../../src/report/model/server_roles.ts";
import { displayWidth } from "../../../src/report/console/display_width.ts";
import { LiveTables } from "../../../src/report/console/live_tables.ts";
import { serverMetricsReportText } from "../../../src/report/console/server_metrics_report_text.ts";
import {
  keyMetricsTables,
  reconciliationTable,
} from "../../../src/report/console/server_metrics_tables.ts";
import type { Reconciliation } from "../../../src/report/model/profile_report.ts";
import type {
  EndpointReport,
  ServerMetricsReport,
} from "../../../src/report/model/server_metrics_report.ts";
import type { MetricReport, SeriesReport } from "../../../src/report/model/series_report.ts";

function seriesOf(
  type: SeriesReport["type"],
  name: string,
  stats: Readonly<Record<string, number>>,
  labels: SeriesReport["labels"] = [],
): SeriesReport {
  return {
    name,
    endpointUrl: "http://127.0.0.1:1/metrics",
    type,
    labels,
    description: "",
    unit: null,
    stats,
    buckets: undefined,
    quantiles: undefined,
    changeRates: undefined,
    slices: undefined,
    reset: false,
  };
}

const HISTOGRAM = {
  ...{ count: 12, sum: 1.5, avg: 0.125, count_rate: 3, sum_rate: 0.4 },
  ...{ p50_estimate: 0.1, p90_estimate: 0.2, p99_estimate: 0.25 },
};

/** A page of vLLM: a gauge on six engines, a counter, a histogram. */
function metrics(): MetricReport[] {
  const metric = (
    name: string,
    type: MetricReport["type"],
    series: SeriesReport[],
  ): MetricReport => ({ name, type, description: "", unit: null, series });
  const running = "vllm:num_requests_running";
  return [
    metric(
      running,
      "gauge",
      Array.from(
        { length: 6 },
        (_, engine) =>
          seriesOf("gauge", running, { avg: engine, max: 1234 }, [
            ["engine", `${engine} \x1b[31m${"x".repeat(80)}`],
            ["model_name", "m"],
          ]),
      ),
    ),
    metric("vllm:generation_tokens", "counter", [
      seriesOf("counter", "vllm:generation_tokens", { total: 123_456, rate: 12_345.6 }),
    ]),
    metric("vllm:time_to_first_token_seconds", "histogram", [
      seriesOf("histogram", "vllm:time_to_first_token_seconds", HISTOGRAM),
    ]),
  ];
}

const ENDPOINT: EndpointReport = {
  url: `http://${"node.".repeat(20)}example.com:8000/metrics`,
  totalFetches: 10,
  firstFetchNs: 0n,
  lastFetchNs: 0n,
  avgFetchLatencyMs: 1.234,
  uniqueUpdates: 9,
  firstUpdateNs: 0n,
  lastUpdateNs: 0n,
  durationSeconds: 3,
  avgUpdateIntervalMs: 333,
  medianUpdateIntervalMs: 333,
  failures: { "timeout": 2, "status": 1 },
  skippedScrapes: 4,
  maxFetchLatencyMs: 9,
  rateErrorShare: 0.002,
  latenessP99Ms: 0.5,
  parseErrors: 0,
  droppedSeries: 0,
};

const REPORT: ServerMetricsReport = {
  benchmarkId: "0123456789ab",
  startNs: 0n,
  endNs: 3_000_000_000n,
  endpointsConfigured: [ENDPOINT.url],
  endpoints: [ENDPOINT],
  metrics: metrics(),
  roles: rolesOf(metrics()),
  info: [],
  inputConfig: {},
  wasCancelled: true,
  estimator: "polynomial",
  notes: ["A note of many words that says what a reader of the figures must know. ".repeat(3)],
};

/** What the metrics of one endpoint mean, by their statistics. */
function rolesOf(all: readonly MetricReport[]): ServerRoles {
  const series = all.flatMap(({ series }) => series)
    .map((report) => ({ ...report, report, samples: undefined }));
  return new ServerRoles([{ url: ENDPOINT.url, scrapes: undefined, series }]);
}

function fits(text: string, width: number): void {
  for (const line of text.split("\n")) {
    assert.ok(displayWidth(line) <= width, `${displayWidth(line)} columns: ${line}`);
  }
}

for (const width of [80, 200]) {
  Deno.test(`server metrics fit ${width} columns, names and notes whole`, () => {
    const files = ["server_metrics_export.json", "server_metrics_export.csv"];
    const options = { width, color: false, directory: "/runs/one", files };
    const text = serverMetricsReportText(REPORT, options);
    fits(text, width);
    const squeezed = text.replace(/\s/g, "");
    for (const name of ["num_requests_running", "generation_tokens", "time_to_first_token"]) {
      assert.ok(text.includes(name), name);
    }
    assert.match(text, /and 2 more series/);
    assert.match(text, /~0\.25/, "what is estimated says so");
    assert.match(text, /│ +10 │ +9 │ +3 │ +4 │ +1\.23 │/);
    assert.match(text, /^server metrics: 3 metrics, 8 series, 3\.0 s, INTERRUPTED$/m);
    assert.ok(squeezed.includes((REPORT.notes[0] as string).replaceAll(" ", "")));
    assert.ok(!text.includes("\x1b"), "labels cannot disturb the terminal");
  });

  Deno.test(`the client's figures beside the server's fit ${width} columns`, () => {
    const doubt = "the way to the server costs more than the server itself, look at the network";
    const rows: Reconciliation[] = [
      {
        quantity: "requests",
        unit: "requests",
        client: 100,
        server: 98,
        estimated: false,
        doubt: undefined,
      },
      {
        quantity: "prompt tokens",
        unit: "tokens",
        client: 26_225,
        server: 33_000,
        sources: ["client's tokenizer", "usage in replies"],
        estimated: false,
        doubt: undefined,
      },
      { quantity: "TTFT avg", unit: "ms", client: 154.2, server: 52, estimated: false, doubt },
      {
        quantity: "TTFT p99",
        unit: "ms",
        client: 154.2,
        server: 52,
        estimated: true,
        doubt: undefined,
      },
      {
        quantity: "ITL p50",
        unit: "ms",
        client: 50,
        server: 28,
        estimated: true,
        serverBounds: [25, 50],
        doubt: undefined,
      },
      {
        quantity: "ITL p99",
        unit: "ms",
        client: 154.2,
        server: 52,
        estimated: true,
        serverBounds: [50, 100],
        doubt: undefined,
      },
    ];
    const text = reconciliationTable(rows, width);
    fits(text, width);
    assert.match(text, /requests +│ +100 │ +98 │ +\+2 \(2\.0 %\) /);
    assert.match(
      text.replace(/│\n│/g, "").replace(/[\s│]+/g, " "),
      width === 80
        ? /prompt tokens: client's tokenizer .*26,225 33,000 -6,775 \(-20\.5 %\)/
        : /prompt tokens: client's tokenizer \/ usage in replies 26,225 33,000 -6,775 \(-20\.5 %\)/,
    );
    assert.match(text, /TTFT avg \(ms\) +│ +154\.2 │ +52 │ +\+102\.2 \(196\.5 %\) ! │/);
    assert.match(text, /TTFT p99 \(ms\) +│ +154\.2 │ +~52 │ +│/, "an estimate has no difference");
    assert.match(text, /ITL p50 \(ms\) +│ +50 │ +~28 │ +consistent │/);
    assert.match(text, /ITL p99 \(ms\) +│ +154\.2 │ +~52 │ +≥ \+54\.20 \(54\.2 %\) │/);
    assert.ok(text.replace(/\s+/g, " ").includes(`! TTFT avg: ${doubt}`));
  });
}

Deno.test("LiveTables draws over what it drew, never more than the screen has", () => {
  for (const [width, height] of [[80, 10], [40, 6], [200, 100]] as const) {
    const written: string[] = [];
    const live = new LiveTables({
      write: (text) => written.push(text),
      width: () => width,
      height: () => height,
    });
    const tables = keyMetricsTables(REPORT, width);
    live.show(tables, 3, 1.5);
    live.show(tables, 4, 2.5);
    live.clear();
    live.clear();
    assert.equal(written.length, 3);
    const [first = "", second = "", cleared] = written;
    const lines = first.split("\n");
    assert.ok(lines.length <= height, `${lines.length} lines of ${height}`);
    // deno-lint-ignore no-control-regex
    fits(first.replace(/\x1b\[\d*[A-Z]/g, ""), width);
    assert.ok(second.startsWith(`\x1b[${lines.length - 1}A`), "back to the first line");
    assert.equal(cleared, `\x1b[${lines.length - 1}A\x1b[J`);
  }
});
