/** The tables of key metrics, for pages of each kind of server. */

import assert from "node:assert/strict";
import { type KeyMetric, SERVER_KINDS } from "../../src/report/server_kinds.ts";
import type { ServerMetricsReport } from "../../src/report/server_metrics_report.ts";
import { displayWidth } from "../../src/ui/display_width.ts";
import { serverMetricsReportText } from "../../src/ui/server_metrics_report_text.ts";
import { keyMetricsTables } from "../../src/ui/server_metrics_tables.ts";
import {
  endpointOf,
  reportOf,
  reportOfPages,
  scrapedEndpoint,
  type TimedPage,
} from "../support/metrics_pages.ts";

const WINDOW = { start: 0.5, end: 10 };
const WIDTHS = [80, 200];
const PAGES = new URL("../../fixtures/prometheus/pages/", import.meta.url);

/** Lines of a metric at a second, of the type whose figure is to be watched. */
function linesOf({ name, figure }: KeyMetric, second: number): string {
  const labels = 'model_name="Qwen/Qwen3-0.6B"';
  switch (figure) {
    case "avg":
    case "max":
      return `# TYPE ${name} gauge\n${name}{${labels}} ${second % 5}\n`;
    case "rate":
    case "total":
      return `# TYPE ${name} counter\n${name}{${labels}} ${second * 1234}\n`;
    case "p99_estimate":
      return `# TYPE ${name} histogram\n${name}_bucket{${labels},le="0.1"} ${second * 9}\n` +
        `${name}_bucket{${labels},le="+Inf"} ${second * 10}\n${name}_sum{${labels}} ${second}\n` +
        `${name}_count{${labels}} ${second * 10}\n`;
  }
}

function reportOfMetrics(metrics: readonly KeyMetric[]): ServerMetricsReport {
  const pages = Array.from({ length: 11 }, (_, second): TimedPage => [
    second,
    metrics.map((metric) => linesOf(metric, second)).join(""),
  ]);
  return reportOfPages(pages, WINDOW);
}

function assertFits(text: string, width: number): void {
  for (const line of text.split("\n")) {
    assert.ok(displayWidth(line) <= width, `${displayWidth(line)} columns: ${line}`);
  }
}

for (const { name: kind, prefixes: [prefix = ""], keyMetrics } of SERVER_KINDS) {
  for (const width of WIDTHS) {
    Deno.test(`keyMetricsTables shows all that is to be watched of ${kind} on ${width} columns`, () => {
      const [table, ...others] = keyMetricsTables(reportOfMetrics(keyMetrics), width);
      assert.deepEqual([table?.[0], others], [kind, []]);
      const text = table?.[1] ?? "";
      assertFits(text, width);
      for (const { name, figure } of keyMetrics) {
        const shown = width === 200 ? name : name.slice(prefix.length);
        const row = text.split("\n").find((line) => line.includes(`│ ${shown} `)) ??
          text.split("\n").find((line) => line.includes(shown.slice(0, 30)));
        assert.ok(row !== undefined, `${name} is missing:\n${text}`);
        if (figure === "p99_estimate") assert.match(row, /~\d/, "estimates are marked");
        if (figure === "rate") assert.match(row, /1,234/);
      }
    });
  }
}

for (const width of WIDTHS) {
  Deno.test(`pages of real servers give tables that fit ${width} columns`, async () => {
    const titles: Record<string, RegExp> = {
      "vllm.prom": /Server Metrics \(vLLM; ~ estimated\)/,
      "sglang.prom": /Server Metrics \(SGLang; ~ estimated\)/,
      "tensorrt_llm.prom": /Server Metrics \(TensorRT-LLM; ~ estimated\)/,
      "triton.prom": /Server Metrics \(Triton; ~ estimated\)/,
      "dynamo.prom": /inferometer \| Endpoints/,
      "vllm_rust.om.prom": /Server Metrics \(vLLM; ~ estimated\)/,
    };
    for (const [file, title] of Object.entries(titles)) {
      const page = await Deno.readTextFile(new URL(file, PAGES));
      const type = file.includes(".om.") ? "application/openmetrics-text" : "text/plain";
      const report = reportOfPages([[0, page], [1, page]], { start: 0.5, end: 1 }, type);
      const text = serverMetricsReportText(report, {
        width,
        color: false,
        directory: "/tmp/x",
        files: ["server_metrics_export.json"],
      });
      assert.match(text, title);
      assertFits(text.replaceAll(/^note: .*$/gm, ""), width);
    }
  });
}

Deno.test("keyMetricsTables has no table where nothing is to be watched", () => {
  const report = reportOfPages([[0, "my_metric 1\n"], [1, "my_metric 2\n"]], WINDOW);
  assert.deepEqual(keyMetricsTables(report, 80), []);
});

Deno.test("keyMetricsTables tells the series of several endpoints apart", () => {
  const pages: TimedPage[] = [0, 1].map((second) => [
    second,
    `# TYPE vllm:num_requests_running gauge\nvllm:num_requests_running{m="a"} ${second}\n`,
  ]);
  const report = reportOf(
    ["http://node1:8000/metrics", "http://node2:8000/v1/metrics"].map((url) =>
      scrapedEndpoint(endpointOf(pages), { url })
    ),
    WINDOW,
  );
  const [[, table = ""] = []] = keyMetricsTables(report, 200);
  assert.match(table, /vllm:num_requests_running \{endpoint=node1:8000\} \(requests\)/);
  assert.match(table, /vllm:num_requests_running \{endpoint=node2:8000\/v1\} \(requests\)/);
  assert.doesNotMatch(table, /m=a/, "what all have in common is left out");
});

Deno.test("keyMetricsTables lets no name or value of a label disturb the terminal", () => {
  const page = (second: number) =>
    ["a\x1b[2J", "b\u009b"].map((value) =>
      `{"vllm:num_requests_running","evil\x1b[31m"="${value}"} ${second}\n`
    ).join("");
  const report = reportOfPages([[0, page(0)], [1, page(1)]], WINDOW);
  const [[, table = ""] = []] = keyMetricsTables(report, 120);
  assert.match(table, /evil/);
  // deno-lint-ignore no-control-regex
  assert.doesNotMatch(table, /[\x00-\x09\x0b-\x1f\x7f-\x9f]/);
});

Deno.test("serverMetricsReportText counts failures and skipped beats of each endpoint", () => {
  const report = reportOfMetrics([{ name: "vllm:num_requests_running", figure: "avg" }]);
  const [endpoint] = report.endpoints;
  assert.ok(endpoint !== undefined);
  const text = serverMetricsReportText({
    ...report,
    endpoints: [{ ...endpoint, failures: { "HTTP 500": 3, "HTTP 502": 4 }, skippedScrapes: 5 }],
    wasCancelled: true,
    notes: ["A note \x1b[2J of somebody"],
  }, { width: 120, color: false, directory: "/tmp/x", files: [] });
  assert.match(text, /http:\/\/node1:8000\/metrics +│ +11 +│ +11 +│ +7 +│ +5 +│ +1\.00 +│/);
  assert.match(text, /server metrics: 1 metrics, 1 series, 9\.5 s, INTERRUPTED/);
  assert.match(text, /^note: A note +\[2J of somebody$/m);
  assert.doesNotMatch(text, /artifacts:/);
});
