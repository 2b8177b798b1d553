/** Metrics endpoints with every fault, beside healthy ones and a benchmark that must not notice. */

import assert from "node:assert/strict";
import { readArtifacts, withFolder } from "../support/artifacts.ts";
import { listenerLog } from "../support/listener_log.ts";
import {
  endpointInfo,
  type MetricsArtifacts,
  readMetricsArtifacts,
} from "../support/metrics_artifacts.ts";
import {
  HOSTILE_LABELS,
  METRICS_FAULTS,
  type MetricsFaultServer,
  startMetricsFaultServer,
} from "../support/metrics_fault_server.ts";
import { type MockProcess, startMock } from "../support/mock_process.ts";
import { endOf } from "../support/profile_run.ts";
import { spawnCli } from "../support/run_cli.ts";

const GOOD = ["good_latency_seconds", "good_requests", "good_running"];
const REQUESTS = 30;

/** What becomes of an endpoint. */
interface Outcome {
  /** Metrics in the JSON, those that every good page has left out; undefined for no data. */
  readonly metrics?: readonly string[];
  /** The only way in which scrapes fail; undefined if none does. */
  readonly failure?: RegExp;
  /** How many of them fail; undefined if that depends on time. */
  readonly failures?: number;
  /** What the notes say. */
  readonly note?: RegExp;
  /** Whether the metrics of a good page are missing. */
  readonly withoutGood?: true;
}

/** Faults that cost little, which are all there in one run. */
const MILD: Readonly<Record<string, Outcome>> = {
  "good": { metrics: [] },
  "head_hangs": { metrics: [] },
  "head_refused": { metrics: [] },
  "closes_each_time": { metrics: [] },
  "slow": { metrics: [] },
  "stall_before_head": { note: /No server metrics from \S+stall_before_head\S+ no answer within/ },
  "stall_in_body": { note: /No server metrics from \S+stall_in_body\S+ no answer within/ },
  "stall_later": { metrics: [], failure: /^no answer within 0\.3 s$/ },
  "json": { note: /json\/metrics' returned non-Prometheus content-type 'application\/json'/ },
  "json_as_text": { note: /json_as_text\/metrics' returned no metrics \(line 1: / },
  "html": { note: /html\/metrics' returned no metrics \(line 1: / },
  "garbage": { note: /garbage\/metrics' returned no metrics \(line 1: / },
  "not_http": { note: /not_http\S+ protocol: Reply is not HTTP/ },
  "infinite_head": { note: /infinite_head\S+ protocol: Head of the reply is longer than/ },
  "half_page_third": { metrics: [], failure: /^truncated: .* in the middle/, failures: 1 },
  "half_page_unframed": {
    metrics: [],
    failure: /^page ends in the middle of a line$/,
    failures: 1,
  },
  "half_page_first": { metrics: [] },
  "one_bad_line": { metrics: ["after"], note: /one_bad_line\S+ \d+ lines could not be read/ },
  "bad_third": { metrics: [], failure: /returned no metrics/, failures: 1 },
  "json_third": { metrics: [], failure: /content-type 'application\/json'/, failures: 1 },
  "status_500_third": { metrics: [], failure: /^HTTP 500$/, failures: 1 },
  "long_label_third": { metrics: [], failure: /longer than 16384 bytes/, failures: 1 },
  "long_label": { note: /long_label\S+ Label "a" of "long" has a value longer than/ },
  "counters_reset": { metrics: [], note: /Counters fell.*good_requests/ },
  "type_changes": { metrics: ["changing"] },
  "bounds_change": { metrics: [], note: /Bucket bounds changed.*good_latency_seconds/ },
  "nan_everywhere": { note: /nan_everywhere\S+ values that are no finite numbers/ },
  "split_family": { metrics: ["other", "split"], withoutGood: true },
  "open_metrics": { metrics: ["build_info", "good_requests", "state"], withoutGood: true },
  "status_401": { note: /status_401\S+ HTTP 401/ },
  "status_404": { note: /status_404\S+ HTTP 404/ },
  "hostile_labels": { metrics: ["evil", "evil_path"] },
  "control_characters": { note: /control_characters\S+ returned non-Prometheus content-type/ },
  "vanishes": { metrics: [], failure: /^truncated: .* without a reply$/ },
};

/** Faults that cost a lot, each with a run of its own. */
const HOSTILE: Readonly<Record<string, Outcome>> = {
  "infinite_body": { note: /page is longer than 33554432 bytes/ },
  "infinite_line": { note: /page is longer than 33554432 bytes/ },
  "gzip_bomb": { note: /page is longer than 33554432 bytes/ },
  "one_byte_chunks": { note: /no answer within|page is longer/ },
  // The series that were let in are those of the baseline, which is not of the run.
  "new_series": { metrics: [], note: /\d{4,} new series were left out/ },
  "many_series": { metrics: ["many"], note: /\d{5} new series were left out/ },
  "big_page": { metrics: Array.from({ length: 2000 }, (_, index) => `big_${index}`) },
};
/** Most memory that any of them may cost. */
const MOST_GROWTH_MB = 64;

/** A benchmark beside which endpoints are scraped. */
interface FaultRun {
  readonly artifacts: MetricsArtifacts;
  readonly output: string;
  /** Most memory that the process had, in megabytes. */
  readonly peakMb: number;
  readonly seconds: number;
}

/** Runs a benchmark whose servers' metrics, and these, are scraped. */
async function runBeside(
  mock: MockProcess,
  urls: readonly string[],
  folder: string,
  timeout: string,
): Promise<FaultRun> {
  const startMs = performance.now();
  const child = spawnCli([
    ...["profile", "--url", mock.url, "--model", "mock", "--streaming", "--osl", "2"],
    ...["--request-rate", "30", "--request-count", String(REQUESTS), "--artifact-dir", folder],
    ...["--server-metrics-interval", "80ms", "--server-metrics-timeout", timeout],
    ...["--server-metrics-reachability-timeout", timeout, "--server-metrics-flush-period", "0.1"],
    ...["--server-metrics-formats", "json", "csv", "parquet", "jsonl"],
    ...(urls.length === 0 ? [] : ["--server-metrics", ...urls]),
  ]);
  let peakMb = 0;
  const watch = setInterval(() => {
    peakMb = Math.max(peakMb, peakMemoryMb(child.pid));
  }, 10);
  const { code, stdout, stderr } = await endOf(child);
  clearInterval(watch);
  assert.equal(code, 0, stderr);
  const { json } = await readArtifacts(folder);
  assert.equal(json.request_count.avg, REQUESTS, "every request succeeded");
  assert.equal(json.requests.failed, 0);
  const artifacts = await readMetricsArtifacts(folder);
  const own = endpointInfo(artifacts.json, `${mock.url}/metrics`);
  assert.deepEqual(own.failed_fetches, {}, "the healthy endpoint lost nothing");
  assert.ok(own.total_fetches >= 3, `${own.total_fetches} scrapes of the healthy endpoint`);
  const seconds = (performance.now() - startMs) / 1000;
  return { artifacts, output: stdout + stderr, peakMb, seconds };
}

/** The most memory that a process ever had; 0 where the system does not say. */
function peakMemoryMb(pid: number): number {
  try {
    const text = Deno.readTextFileSync(`/proc/${pid}/status`);
    return Number(/VmHWM:\s+(\d+) kB/.exec(text)?.[1] ?? 0) / 1024;
  } catch {
    return 0; // It has ended.
  }
}

function assertOutcome(
  { json, lines, parquet }: MetricsArtifacts,
  url: string,
  outcome: Outcome,
): void {
  const notes = json.notes.join("\n");
  assert.ok(json.summary.endpoints_configured.includes(url), `${url} was asked`);
  const { metrics, failure, failures, note, withoutGood } = outcome;
  if (note !== undefined) assert.match(notes, note);
  const info = endpointInfo(json, url);
  assert.equal(json.summary.endpoints_successful.includes(url), metrics !== undefined, url);
  if (metrics === undefined) {
    assert.equal(info, undefined);
    return;
  }
  const failed = Object.entries(info.failed_fetches);
  if (failure === undefined) assert.deepEqual(failed, [], url);
  else {
    assert.equal(failed.length, 1, `${url}: ${JSON.stringify(failed)}`);
    assert.match(failed[0]?.[0] ?? "", failure);
    if (failures !== undefined) assert.equal(failed[0]?.[1], failures);
  }
  const found = Object.keys(json.metrics).filter((name) =>
    json.metrics[name].series.some((one: { endpoint_url: string }) => one.endpoint_url === url)
  );
  const expected = withoutGood ? metrics : [...GOOD, ...metrics].sort();
  assert.deepEqual(found, expected, url);
  const scraped = lines.filter(({ endpoint_url: from }) => from === url).length;
  assert.equal(scraped, info.unique_updates, `${url}: a line for each scrape`);
  assert.ok(parquet.rows.some((row) => row["endpoint_url"] === url), `${url} is in Parquet`);
}

/** No text of a server may steer the terminal, and no defect of the program show there. */
function assertPrintable(output: string): void {
  // deno-lint-ignore no-control-regex
  assert.doesNotMatch(output, /[\x00-\x08\x0b-\x1f\x7f-\x9f]/);
  assert.doesNotMatch(output, /\bat .*\.ts:\d+/);
}

async function withServers(
  test: (server: MetricsFaultServer, mock: MockProcess) => Promise<void>,
): Promise<void> {
  using server = startMetricsFaultServer();
  await using mock = await startMock(["--ttft", "2", "--itl", "1"]);
  await test(server, mock);
}

Deno.test("every fault of a metrics endpoint has an expected outcome", () => {
  assert.deepEqual(
    [...Object.keys(MILD), ...Object.keys(HOSTILE)].sort(),
    Object.keys(METRICS_FAULTS).sort(),
  );
});

Deno.test("profile survives metrics endpoints with all kinds of faults at once", () =>
  withFolder((folder) =>
    withServers(async (server, mock) => {
      await using elsewhere = listenerLog();
      const urls = new Map(Object.keys(MILD).map((fault) => [fault, server.url(fault)]));
      const redirects = [
        `http://127.0.0.1:${elsewhere.port}/metrics`,
        "http://169.254.169.254/latest/meta-data/",
        "file:///etc/passwd",
      ].map((to) => `${server.url("redirect")}?to=${encodeURIComponent(to)}`);
      const moved = ["json_here", "not_here"].map((fault) => server.url(fault));
      const { artifacts, output, seconds } = await runBeside(
        mock,
        [...urls.values(), ...redirects, ...moved],
        folder,
        "300ms",
      );
      for (const [fault, outcome] of Object.entries(MILD)) {
        assertOutcome(artifacts, urls.get(fault) as string, outcome);
      }
      for (const url of redirects) assert.equal(endpointInfo(artifacts.json, url), undefined);
      assert.match(artifacts.json.notes.join("\n"), /HTTP 307 to \S+, redirects are not followed/);
      assert.equal(await elsewhere.count(), 0, "nothing arrived where a redirect led");
      for (const url of moved) {
        const there = url.replace("/metrics", "/prometheus/metrics");
        assert.deepEqual(endpointInfo(artifacts.json, there)?.failed_fetches, {}, there);
      }
      assertPrintable(output);
      assertHostileLabels(artifacts);
      assertUnharmed(artifacts, server);
      assert.ok(seconds < 120, `it took ${seconds} s`);
    })
  ));

/** Labels that look like formulas and paths are nothing but text. */
function assertHostileLabels({ json, sections, csv }: MetricsArtifacts): void {
  const labels = json.metrics.evil.series.map(
    ({ labels }: { labels: Record<string, string> }) => labels["label"],
  );
  assert.deepEqual(labels.sort(), [...HOSTILE_LABELS].sort());
  const cells = sections.flat().filter(({ Metric }) => Metric === "evil")
    .map(({ label }) => label as string);
  assert.equal(cells.length, HOSTILE_LABELS.length);
  for (const cell of cells) assert.doesNotMatch(cell, /^[=+\-@\t\r]/);
  assert.doesNotMatch(csv, /(^|,|")=HYPERLINK/m);
}

/** What broken pages must not have done to the figures. */
function assertUnharmed({ json }: MetricsArtifacts, server: MetricsFaultServer): void {
  const totalOf = (fault: string): number =>
    json.metrics.good_requests.series.find(
      ({ endpoint_url: url }: { endpoint_url: string }) => url === server.url(fault),
    ).stats.total;
  const fetchesOf = (fault: string): number => endpointInfo(json, server.url(fault)).total_fetches;
  // Every scrape counts five requests; those before the window are not of it.
  for (const fault of ["good", "half_page_first", "one_bad_line", "bounds_change"]) {
    assert.ok(totalOf(fault) <= 5 * (fetchesOf(fault) - 1), `${fault}: ${totalOf(fault)}`);
    assert.ok(totalOf(fault) >= 5 * (fetchesOf(fault) - 4), `${fault}: ${totalOf(fault)}`);
  }
  // A scrape that failed is not missing in what was counted over it.
  assert.ok(totalOf("status_500_third") >= 5 * (fetchesOf("status_500_third") - 3));
}

for (const [fault, outcome] of Object.entries(HOSTILE)) {
  Deno.test(`profile survives a metrics endpoint with ${fault}, in bounded memory`, () =>
    withServers(async (server, mock) => {
      let growthMb = Infinity;
      // What the machine does besides is no part of it.
      for (let attempt = 0; attempt < 3 && growthMb > MOST_GROWTH_MB; attempt++) {
        const healthy = await withRun(mock, [server.url("good")]);
        const hostile = await withRun(mock, [server.url(fault), server.url("good")]);
        growthMb = hostile.peakMb - healthy.peakMb;
        assertOutcome(hostile.artifacts, server.url(fault), outcome);
        assertOutcome(hostile.artifacts, server.url("good"), { metrics: [] });
        assertPrintable(hostile.output);
        assert.ok(hostile.seconds < 120, `it took ${hostile.seconds} s`);
      }
      assert.ok(growthMb <= MOST_GROWTH_MB, `${growthMb} MB more than beside a healthy endpoint`);
    }));
}

async function withRun(mock: MockProcess, urls: readonly string[]): Promise<FaultRun> {
  let run: FaultRun | undefined;
  await withFolder(async (folder) => {
    run = await runBeside(mock, urls, folder, "2s");
  });
  return run as FaultRun;
}
