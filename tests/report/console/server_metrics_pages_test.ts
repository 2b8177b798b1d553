/** The tables of key metrics, for pages of each kind of server. */

import assert from "node:assert/strict";
import { displayWidth } from "../../../src/report/console/display_width.ts";
import { serverMetricsReportText } from "../../../src/report/console/server_metrics_report_text.ts";
import { keyMetricsTables } from "../../../src/report/console/server_metrics_tables.ts";
import type { ServerMetricsReport } from "../../../src/report/model/server_metrics_report.ts";
import type { Engine } from "../../../src/telemetry/engines/engine.ts";
import { knownName } from "../../../src/telemetry/engines/page_engines.ts";
import { VLLM } from "../../../src/telemetry/engines/vllm.ts";
import { keyNames, metricLines, SHOWN_ENGINES, typeOf } from "../../support/engine_pages.ts";
import {
  endpointOf,
  reportOf,
  reportOfPages,
  scrapedEndpoint,
  type TimedPage,
} from "../../support/metrics_pages.ts";

const WINDOW = { start: 0.5, end: 10.5 };
const WIDTHS = [80, 200];
const PAGES = new URL("../../../fixtures/prometheus/pages/", import.meta.url);

function reportOfEngine(engine: Engine): ServerMetricsReport {
  const labels = ['model_name="Qwen/Qwen3-0.6B"'];
  const pages = Array.from({ length: 11 }, (_, second): TimedPage => [
    second,
    keyNames(engine).map((name) => metricLines(name, typeOf(engine, name), second, labels)).join(
      "",
    ),
  ]);
  return reportOfPages(pages, WINDOW);
}

function assertFits(text: string, width: number): void {
  for (const line of text.split("\n")) {
    assert.ok(displayWidth(line) <= width, `${displayWidth(line)} columns: ${line}`);
  }
}

for (const engine of SHOWN_ENGINES.filter((engine) => keyNames(engine).length > 0)) {
  for (const width of WIDTHS) {
    Deno.test(`keyMetricsTables shows the key metrics of ${engine.name} on ${width} columns`, () => {
      const [table, ...others] = keyMetricsTables(reportOfEngine(engine), width);
      assert.deepEqual([table?.[0], others], [engine.name, []]);
      const text = table?.[1] ?? "";
      assertFits(text, width);
      for (const name of keyNames(engine)) {
        const shown = width === 200 ? name : knownName(name)?.bare ?? name;
        const row = text.split("\n").find((line) => line.includes(`│ ${shown} `)) ??
          text.split("\n").find((line) => line.includes(shown.slice(0, 30)));
        assert.ok(row !== undefined, `${name} is missing:\n${text}`);
        const type = typeOf(engine, name);
        if (type === "histogram") assert.match(row, /~\d/, "estimates are marked");
        if (type === "counter") assert.match(row, /1,234/);
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

/** Cells of the row that begins with a name, its wrapped lines put together. */
function rowOf(table: string, name: string): string[] | undefined {
  const rows: string[][] = [];
  for (const line of table.split("\n").filter((line) => line.startsWith("│"))) {
    const cells = line.split("│").slice(1, -1).map((cell) => cell.trim());
    // Figures stand in the first line of a row.
    if (cells.slice(1).some((cell) => cell !== "") || cells[0]?.startsWith("and ")) {
      rows.push(cells);
    } else {
      const last = rows.at(-1);
      if (last !== undefined) last[0] += ` ${cells[0]}`;
    }
  }
  return rows.find(([title = ""]) => title === name);
}

function tableOf(pages: readonly TimedPage[], kind: string, width = 200): string {
  const tables = keyMetricsTables(reportOfPages(pages, WINDOW), width);
  const [, table] = tables.find(([name]) => name === kind) ?? [];
  assert.ok(table !== undefined, `No table of ${kind}`);
  assertFits(table, width);
  return table;
}

Deno.test("keyMetricsTables gives rows to active series where idle ones come first by label", () => {
  const requests = (second: number) =>
    ["a", "b", "c", "d", "e", "y", "z"].map((model) =>
      `dynamo_frontend_requests_total{model="${model}"} ${model < "y" ? 7 : 7 + second * 9}\n`
    ).join("");
  const page = (second: number) =>
    `# TYPE dynamo_frontend_requests_total counter\n${requests(second)}` +
    "# TYPE dynamo_frontend_failures_total counter\n" +
    'dynamo_frontend_failures_total{reason="x"} 3\ndynamo_frontend_failures_total{reason="y"} 4\n' +
    "# TYPE dynamo_frontend_queued_requests gauge\n" +
    'dynamo_frontend_queued_requests{model="a"} 0\ndynamo_frontend_queued_requests{model="z"} 0\n';
  const table = tableOf([[0, page(0)], [1, page(1)]], "Dynamo frontend");
  for (const model of ["y", "z"]) {
    assert.ok(rowOf(table, `dynamo_frontend_requests {model=${model}} (requests)`), table);
  }
  assert.doesNotMatch(table, /model=[a-e]|more series/);
  assert.deepEqual(
    rowOf(table, "dynamo_frontend_queued_requests (requests)")?.slice(1, 3),
    ["0", "0"],
    "a level of zero is one row",
  );
  assert.match(table, /\n {2}zero throughout: failures$/, "counters are named below");
});

Deno.test("keyMetricsTables does not count metrics as zero throughout that a restart clamped", () => {
  const page = (tokens: number) =>
    `# TYPE vllm:generation_tokens_total counter\nvllm:generation_tokens_total ${tokens}\n` +
    "# TYPE vllm:num_preemptions_total counter\nvllm:num_preemptions_total 5\n" +
    "# TYPE vllm:num_requests_running gauge\nvllm:num_requests_running 1\n";
  const table = tableOf([[0, page(1000)], [1, page(1500)], [2, page(200)], [3, page(700)]], "vLLM");
  assert.ok(rowOf(table, "vllm:generation_tokens (tokens)"), table);
  assert.match(table, /zero throughout: num_preemptions$/);
});

Deno.test("keyMetricsTables has rows where nothing happened at all", () => {
  const page = "# TYPE vllm:num_preemptions_total counter\nvllm:num_preemptions_total 5\n";
  const table = tableOf([[0, page], [1, page]], "vLLM");
  assert.deepEqual(rowOf(table, "vllm:num_preemptions"), ["vllm:num_preemptions", "0", "0"]);
});

for (const width of [80, 120, 200]) {
  Deno.test(`keyMetricsTables tells the unit of every metric on ${width} columns`, () => {
    const report = reportOfEngine(VLLM);
    const [[, table = ""] = []] = keyMetricsTables(report, width);
    const prefix = table.includes("vllm:") ? "" : "vllm:";
    for (const { name, unit } of report.metrics) {
      const title = `${name.slice(prefix.length)}${unit === null ? "" : ` (${unit})`}`;
      assert.ok(rowOf(table, title), `${title} is not in\n${table}`);
    }
  });
}

Deno.test("keyMetricsTables tells where a series is from apart from its own endpoint label", () => {
  const page = (second: number) =>
    "# TYPE dynamo_frontend_requests_total counter\n" +
    ["chat", "completions"].map((endpoint) =>
      `dynamo_frontend_requests_total{endpoint="${endpoint}",error_type=""} ${second + 1}\n`
    ).join("") + `dynamo_frontend_requests_total{endpoint="chat",error_type="x"} ${second + 1}\n`;
  const report = reportOf(
    ["http://node1:8000/metrics", "http://node2:8000/metrics"].map((url) =>
      scrapedEndpoint(endpointOf([[0, page(0)], [1, page(1)]]), { url })
    ),
    WINDOW,
  );
  const [[, table = ""] = []] = keyMetricsTables(report, 200);
  const title = "dynamo_frontend_requests {endpoint_url=node1:8000, endpoint=";
  assert.ok(rowOf(table, `${title}chat} (requests)`), table);
  assert.ok(rowOf(table, `${title}completions} (requests)`), "a label without a value is none");
  assert.ok(rowOf(table, `${title}chat, error_type=x} (requests)`), table);
  const [[, single = ""] = []] = keyMetricsTables(
    reportOfPages([[0, page(0)], [1, page(1)]], WINDOW),
    200,
  );
  assert.ok(rowOf(single, "dynamo_frontend_requests {endpoint=chat} (requests)"), single);
  assert.doesNotMatch(single, /node1/);
});

Deno.test("keyMetricsTables makes hit rates of what was looked up and found in the run", () => {
  const counters = (values: Readonly<Record<string, number>>) =>
    Object.entries(values).map(([name, value]) => `# TYPE ${name} counter\n${name} ${value}\n`)
      .join("");
  const vllm = (found: number, lookedUp: number) =>
    counters({
      "vllm:prefix_cache_hits_total": found,
      "vllm:prefix_cache_queries_total": lookedUp,
      "vllm:generation_tokens_total": lookedUp,
    });
  const rateOf = (pages: readonly TimedPage[], kind: string, name: string) =>
    rowOf(tableOf(pages, kind), `${name} (ratio)`)?.[1];
  const prefix = "prefix cache hit rate";
  assert.equal(rateOf([[0, vllm(90, 100)], [1, vllm(115, 200)]], "vLLM", prefix), "0.25");
  assert.equal(rateOf([[0, vllm(90, 100)], [1, vllm(90, 100)]], "vLLM", prefix), undefined);
  const llama = (cached: number, processed: number) =>
    counters({
      "llamacpp:prompt_tokens_cached_total": cached,
      "llamacpp:prompt_tokens_total": processed,
    });
  const pages: TimedPage[] = [[0, llama(1, 1)], [1, llama(21, 81)]];
  assert.equal(rateOf(pages, "llama.cpp", prefix), "0.2");
});

/** Pages of real servers: other people's text, which is not everywhere that these tests are. */
const REAL_PAGES = new URL("../../../../shared/cases/servers/", import.meta.url);

/** Pages before and after a load, and what the table of it must hold. */
const REAL: Readonly<Record<string, readonly [before: string, after: string, RegExp[]]>> = {
  "llama.cpp": ["llama.cpp/metrics_idle.txt", "llama.cpp/metrics_after_load.txt", [
    /tokens_predicted \(tokens\).* 6,264 /,
    /prompt_tokens_cached \(tokens\).* 897 /,
    /prefix cache hit rate \(ratio\) +│ +0\.0437 /,
  ]],
  "vLLM": ["vllm-cpu/metrics_idle.txt", "vllm-cpu/metrics_after_prefix_cache_load.txt", [
    /request_queue_time_seconds \(seconds\).* 80 /,
    /request_inference_time_seconds \(seconds\).* 80 /,
    /prompt_tokens_cached_by_source \{source=device\} \(tokens\).* 17,024 /,
    /prefix cache hit rate \(ratio\) +│ +0\.684 /,
    /zero throughout: .*admission_rejections.*estimated_write_bytes_per_gpu/,
  ]],
  "Dynamo frontend": [
    "dynamo/metrics_frontend_after_first_load.txt",
    "dynamo/metrics_frontend_after_load.txt",
    [
      /frontend_stage_duration_seconds \{stage=preprocess\} \(seconds\).* 203 /,
      /frontend_failures \{class=NotFound, reason=request\.not_found\}.* 5 /,
      /frontend_cached_tokens \(tokens\)/,
      /zero throughout: .*kv_hit_rate/,
    ],
  ],
};

for (const [kind, [before, after, rows]] of Object.entries(REAL)) {
  Deno.test({
    name: `keyMetricsTables shows what a real ${kind} server did`,
    ignore: !exists(REAL_PAGES),
    fn: async () => {
      const pages = [before, after].map((file) => Deno.readTextFile(new URL(file, REAL_PAGES)));
      const [first = "", second = ""] = await Promise.all(pages);
      for (const row of rows) {
        assert.match(tableOf([[0, first], [1, second]], kind, 240), row);
      }
      tableOf([[0, first], [1, second]], kind, 80);
    },
  });
}

function exists(folder: URL): boolean {
  try {
    return Deno.statSync(folder).isDirectory;
  } catch {
    return false;
  }
}

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
  const pages = Array.from({ length: 11 }, (_, second): TimedPage => [
    second,
    metricLines("vllm:num_requests_running", "gauge", second),
  ]);
  const report = reportOfPages(pages, WINDOW);
  const [endpoint] = report.endpoints;
  assert.ok(endpoint !== undefined);
  const text = serverMetricsReportText({
    ...report,
    endpoints: [{ ...endpoint, failures: { "HTTP 500": 3, "HTTP 502": 4 }, skippedScrapes: 5 }],
    wasCancelled: true,
    notes: ["A note \x1b[2J of somebody"],
  }, { width: 120, color: false, directory: "/tmp/x", files: [] });
  assert.match(text, /http:\/\/node1:8000\/metrics +│ +11 +│ +11 +│ +7 +│ +5 +│ +1\.00 +│/);
  assert.match(text, /server metrics: 1 metrics, 1 series, 10\.0 s, INTERRUPTED/);
  assert.match(text, /^note: A note +\[2J of somebody$/m);
  assert.doesNotMatch(text, /artifacts:/);
});
