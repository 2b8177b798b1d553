/** Metrics endpoints with every fault, beside healthy ones and a benchmark that must not notice. */

import assert from "node:assert/strict";
import { readArtifacts, withFolder } from "../support/artifacts.ts";
import { listenerLog } from "../support/listener_log.ts";
import {
  countedInWindow,
  endpointInfo,
  type MetricsArtifacts,
  readMetricsArtifacts,
  statsAt,
} from "../support/metrics_artifacts.ts";
import {
  HOSTILE_LABELS,
  METRICS_FAULTS,
  type MetricsFaultServer,
  startMetricsFaultServer,
} from "../support/metrics_fault_server.ts";
import { endOf } from "../support/profile_run.ts";
import { startRecordingServer } from "../support/recording_server.ts";
import { spawnCli } from "../support/run_cli.ts";
import { until } from "../support/until.ts";

const GOOD = ["good_latency_seconds", "good_requests", "good_running"];
const REQUESTS = 30;

/** What becomes of an endpoint. */
interface Outcome {
  /** Metrics in the JSON, those that every good page has left out; undefined for no data. */
  readonly metrics?: readonly string[];
  /** The only way in which scrapes fail; undefined if none does. */
  readonly failure?: RegExp;
  /** How many of them fail; undefined if that depends on how many scrapes there are. */
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
  "counters_reset": { metrics: [], note: /server restarted: counters decreased.*good_requests/ },
  "type_changes": { metrics: ["changing"] },
  "bounds_change": { metrics: [], note: /Bucket bounds changed.*good_latency_seconds/ },
  "nan_everywhere": { note: /nan_everywhere\S+ non-finite values/ },
  "split_family": { metrics: ["other", "split"], withoutGood: true },
  "open_metrics": { metrics: ["build_info", "good_requests", "state"], withoutGood: true },
  "status_401": { note: /status_401\S+ HTTP 401/ },
  "status_404": { note: /status_404\S+ HTTP 404/ },
  "hostile_labels": { metrics: ["evil", "evil_path"] },
  "control_characters": { note: /control_characters\S+ returned non-Prometheus content-type/ },
  "vanishes": { metrics: [], failure: /^connection_closed: .* without a reply$/ },
};

/** Faults that only a timeout ends: before an endpoint has given its first page, and later. */
const STALLS_AT_FIRST = ["stall_before_head", "stall_in_body"];
const STALL_LATER = "stall_later";

/** Faults that cost a lot, each with a run of its own. */
const HOSTILE: Readonly<Record<string, Outcome>> = {
  "infinite_body": { note: /page is longer than 33554432 bytes/ },
  "infinite_line": { note: /page is longer than 33554432 bytes/ },
  "gzip_bomb": { note: /page is longer than 33554432 bytes/ },
  "one_byte_chunks": { note: /page is longer than 33554432 bytes/ },
  // The series that were let in are those of the baseline, which is not of the run.
  "new_series": { metrics: [], note: /\d{4,} new series were left out/ },
  "many_series": { metrics: ["many"], note: /\d{5} new series were left out/ },
  "big_page": { metrics: Array.from({ length: 2000 }, (_, index) => `big_${index}`) },
};
/** Most memory that any of them may cost: two pages of 32 MB, and what is made of them. */
const MOST_GROWTH_MB = 80;

/** A benchmark beside which endpoints are scraped. */
interface FaultRun {
  readonly output: string;
  /** Most memory that the process had, in megabytes. */
  readonly peakMb: number;
}

/** So long no scrape takes that has an end, however slow the machine is. */
const PATIENT = "10m";
const IMPATIENT = "300ms";

/** What a run is beside. */
interface Beside {
  readonly urls: readonly string[];
  readonly folder: string;
  /** The replies to the benchmark's requests wait for this. */
  readonly isEnough: () => boolean;
  /** Longest that the first scrape of an endpoint may take, and later ones. */
  readonly timeouts?: readonly [first: string, later: string];
}

/**
 * Whether all of these faults have been met so often, and some times since the first request, which
 * is when it is asked first.
 */
function met(server: MetricsFaultServer, faults: readonly string[], times: number): () => boolean {
  let least: number[] | undefined;
  return () => {
    if (least === undefined) {
      server.vanishAfter(2);
      least = faults.map((fault) => Math.max(times, server.count(fault) + 3));
    }
    return faults.every((fault, index) => server.count(fault) >= (least?.[index] as number));
  };
}

/** Runs a benchmark beside which these endpoints are scraped. */
async function runBeside({ urls, folder, isEnough, timeouts }: Beside): Promise<FaultRun> {
  const [first, later] = timeouts ?? [PATIENT, PATIENT];
  let hasEnded = false;
  // Before the run begins nothing that is scraped is of it.
  let scraped: Promise<unknown> | undefined;
  await using inference = startRecordingServer({
    answer: async () => {
      scraped ??= until("enough scrapes", () => hasEnded || isEnough());
      await scraped;
      return undefined;
    },
  });
  const child = spawnCli([
    ...["profile", "--url", inference.url, "--model", "mock", "--streaming", "--osl", "2"],
    ...["--concurrency", "4", "--request-count", String(REQUESTS), "--artifact-dir", folder],
    ...["--server-metrics-interval", "50ms", "--server-metrics-flush-period", "0.1"],
    ...["--server-metrics-reachability-timeout", first, "--server-metrics-timeout", later],
    ...["--server-metrics-formats", "json", "csv", "parquet", "jsonl", "--server-metrics", ...urls],
  ]);
  let peakMb = 0;
  const watch = setInterval(() => {
    peakMb = Math.max(peakMb, peakMemoryMb(child.pid));
  }, 10);
  const { code, stdout, stderr } = await endOf(child);
  hasEnded = true;
  clearInterval(watch);
  assert.equal(code, 0, stderr);
  const { json } = await readArtifacts(folder);
  assert.equal(json.request_count.avg, REQUESTS, "every request succeeded");
  assert.equal(json.requests.failed, 0);
  return { output: stdout + stderr, peakMb };
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

Deno.test("every fault of a metrics endpoint has an expected outcome", () => {
  assert.deepEqual(
    [...Object.keys(MILD), ...STALLS_AT_FIRST, STALL_LATER, ...Object.keys(HOSTILE)].sort(),
    Object.keys(METRICS_FAULTS).sort(),
  );
});

Deno.test("profile survives metrics endpoints with all kinds of faults at once", () =>
  withFolder(async (folder) => {
    using server = startMetricsFaultServer();
    await using elsewhere = listenerLog();
    const faults = Object.keys(MILD);
    const redirects = [
      `http://127.0.0.1:${elsewhere.port}/metrics`,
      "http://169.254.169.254/latest/meta-data/",
      "file:///etc/passwd",
    ].map((to) => `${server.url("redirect")}?to=${encodeURIComponent(to)}`);
    const moved = ["json_here", "not_here"].map((fault) => server.url(fault));
    const scraped = faults.filter((fault) => MILD[fault]?.metrics !== undefined);
    const { output } = await runBeside({
      urls: [...faults.map((fault) => server.url(fault)), ...redirects, ...moved],
      folder,
      isEnough: met(server, scraped, 9),
    });
    const artifacts = await readMetricsArtifacts(folder);
    for (const fault of faults) {
      assertOutcome(artifacts, server.url(fault), MILD[fault] as Outcome);
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
  }));

Deno.test("profile does without metrics endpoints that do not answer in time", async (t) => {
  using server = startMetricsFaultServer();
  await t.step("at first", () =>
    withFolder(async (folder) => {
      const { output } = await runBeside({
        urls: STALLS_AT_FIRST.map((fault) => server.url(fault)),
        folder,
        isEnough: () => true,
        timeouts: [IMPATIENT, PATIENT],
      });
      for (const fault of STALLS_AT_FIRST) {
        const reason = `${server.url(fault)} are not collected: no answer within 0.3 s\n`;
        assert.ok(output.includes(`warning: Server metrics of ${reason}`), output);
      }
      const { names } = await readArtifacts(folder);
      assert.deepEqual(names.filter((name) => name.includes("server_metrics")), []);
      assertPrintable(output);
    }));
  await t.step("later", () =>
    withFolder(async (folder) => {
      const url = server.url(STALL_LATER);
      const { output } = await runBeside({
        urls: [url],
        folder,
        isEnough: () => server.hasResumed,
        timeouts: [PATIENT, IMPATIENT],
      });
      const outcome = { metrics: [], failure: /^no answer within 0\.3 s$/ };
      assertOutcome(await readMetricsArtifacts(folder), url, outcome);
      assertPrintable(output);
    }));
});

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

/** What broken pages must not have done to the figures: what was counted is what the pages said. */
function assertUnharmed(artifacts: MetricsArtifacts, server: MetricsFaultServer): void {
  for (
    const fault of ["good", "half_page_first", "one_bad_line", "bounds_change", "status_500_third"]
  ) {
    const url = server.url(fault);
    const { total } = countedInWindow(artifacts, url, "good_requests");
    assert.ok(total >= 5, `${fault}: ${total}`);
    assert.equal(statsAt(artifacts.json, url, "good_requests").total, total, fault);
  }
}

/** Most memory of a run beside an endpoint without faults; what the others are compared with. */
let healthy: Promise<FaultRun> | undefined;

for (const [fault, outcome] of Object.entries(HOSTILE)) {
  Deno.test(`profile survives a metrics endpoint with ${fault}, in bounded memory`, async () => {
    const { peakMb } = await (healthy ??= runAlone([], () => {}));
    let growthMb = Infinity;
    // What the machine does besides is no part of it.
    for (let attempt = 0; attempt < 3 && growthMb > MOST_GROWTH_MB; attempt++) {
      const hostile = await runAlone([fault], (artifacts, url) => {
        assertOutcome(artifacts, url(fault), outcome);
        assertOutcome(artifacts, url("good"), { metrics: [] });
      });
      growthMb = hostile.peakMb - peakMb;
      assertPrintable(hostile.output);
    }
    assert.ok(growthMb <= MOST_GROWTH_MB, `${growthMb} MB more than beside a healthy endpoint`);
  });
}

/** A run beside endpoints with these faults and one without. */
async function runAlone(
  faults: readonly string[],
  check: (artifacts: MetricsArtifacts, url: MetricsFaultServer["url"]) => void,
): Promise<FaultRun> {
  using server = startMetricsFaultServer();
  const all = [...faults, "good"];
  const scraped = all.filter((fault) => fault === "good" || HOSTILE[fault]?.metrics !== undefined);
  let run: FaultRun | undefined;
  await withFolder(async (folder) => {
    run = await runBeside({
      urls: all.map((fault) => server.url(fault)),
      folder,
      isEnough: met(server, scraped, 5),
    });
    const artifacts = await readMetricsArtifacts(folder);
    // However long the others take to be read: what was answered is taken in, to the last page.
    const { total_fetches: taken } = artifacts.json.summary.endpoint_info[server.url("good")];
    assert.equal(taken, server.count("good"));
    check(artifacts, server.url);
  });
  return run as FaultRun;
}
