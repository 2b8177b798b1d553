/** A benchmark with the metrics of its server: the window, the figures of both sides, bad ends. */

import assert from "node:assert/strict";
import { readArtifacts, withFolder } from "../support/artifacts.ts";
import { endpointInfo, readMetricsArtifacts, statsAt } from "../support/metrics_artifacts.ts";
import { type LocalMock, startLocalMock } from "../support/local_mock.ts";
import { endOf } from "../support/profile_run.ts";
import { startRecordingServer } from "../support/recording_server.ts";
import { type CliResult, runCli, spawnCli } from "../support/run_cli.ts";
import { until } from "../support/until.ts";

const FORMATS = ["--server-metrics-formats", "json", "csv", "parquet", "jsonl"];

function profileArgs(mock: LocalMock, folder: string, args: readonly string[]): string[] {
  return [
    ...["profile", "--url", mock.url, "--model", "mock-model", "--streaming"],
    ...["--artifact-dir", folder, "--server-metrics-interval", "50ms"],
    ...["--server-metrics-flush-period", "0.2", "--isl", "20", "--osl", "8", ...FORMATS, ...args],
  ];
}

function profile(mock: LocalMock, folder: string, args: readonly string[]): Promise<CliResult> {
  return runCli(profileArgs(mock, folder, args));
}

// deno-lint-ignore no-explicit-any -- what a reader of the file sees
type Json = any;

function totalOf(json: Json, metric: string): number {
  return json.metrics[metric].series.reduce(
    (sum: number, { stats }: Json) => sum + (stats.total ?? stats.count),
    0,
  );
}

Deno.test("server metrics are those of the profiling phase, to the request", () =>
  withFolder(async (folder) => {
    using mock = await startLocalMock(["--ttft", "8", "--itl", "2"]);
    const { code, stdout, stderr } = await profile(mock, folder, [
      ...["--concurrency", "5", "--request-count", "40", "--warmup-request-count", "15"],
    ]);
    assert.equal(code, 0, stderr);
    const { json, lines, parquet } = await readMetricsArtifacts(folder);
    const { requests } = await mock.stats();
    assert.equal(requests, 55, "the server served both phases");
    assert.equal(totalOf(json, "vllm:request_success"), 40);
    assert.equal(totalOf(json, "vllm:generation_tokens"), 40 * 8);
    assert.equal(totalOf(json, "vllm:time_to_first_token_seconds"), 40);
    assert.equal(totalOf(json, "vllm:inter_token_latency_seconds"), 40 * 7);
    // The first line was scraped before anything was sent, the last one when all was done.
    const servedAt = (line: Json): number =>
      line.metrics["vllm:request_success"].reduce((sum: number, one: Json) => sum + one.value, 0);
    assert.deepEqual([servedAt(lines[0]), servedAt(lines.at(-1))], [0, 55]);
    const counted = parquet.rows.filter((row) => row["metric_name"] === "vllm:generation_tokens")
      .map((row) => row["value"] as number);
    assert.equal(counted.at(-1), 40 * 8);
    assert.deepEqual(counted, counted.toSorted((a, b) => a - b));
    assert.match(stdout, /^server {2}running \S+ of 5/m);
    assert.match(stdout, /^agree {3}.*tokens/m);
    const console = await Deno.readTextFile(`${folder}/profile_export_console.txt`);
    assert.match(console, /inferometer \| Server Metrics \(vLLM; ~ estimated\)/);
    assert.match(console, /inferometer \| Client and Server/);
  }));

Deno.test("the client's and the server's figures agree where the server is the product's own", () =>
  withFolder(async (folder) => {
    using mock = await startLocalMock(["--ttft", "30", "--itl", "5"]);
    const { code, stderr } = await profile(mock, folder, [
      ...["--concurrency", "4", "--request-count", "40"],
    ]);
    assert.equal(code, 0, stderr);
    const { json: run } = await readArtifacts(folder);
    const rows: Json[] = run.server_reconciliation ?? [];
    const row = (quantity: string): Json => {
      const found = rows.find((one) => one.quantity === quantity);
      assert.ok(found !== undefined, `${quantity}: ${JSON.stringify(rows)}`);
      return found;
    };
    for (const quantity of ["requests", "prompt tokens", "generation tokens"]) {
      assert.equal(row(quantity).client, row(quantity).server, quantity);
      assert.equal(row(quantity).doubt ?? undefined, undefined);
    }
    const { json } = await readMetricsArtifacts(folder);
    const ttft = statsAt(json, `${mock.url}/metrics`, "vllm:time_to_first_token_seconds");
    assert.ok(ttft.avg >= 0.03, `the server took ${ttft.avg} s to the first token`);
    assert.ok(run.time_to_first_token.avg >= ttft.avg * 1e3, "the client cannot be quicker");
  }));

Deno.test("server metrics survive Ctrl-C, marked as partial", () =>
  withFolder(async (folder) => {
    using mock = await startLocalMock(["--ttft", "5", "--itl", "5"]);
    const child = spawnCli(profileArgs(mock, folder, [
      ...["--concurrency", "3", "--benchmark-duration", "120", "--warmup-request-count", "3"],
    ]));
    await until("some requests", async () => (await mock.stats()).requests >= 12);
    child.kill("SIGINT");
    const { code, stderr } = await endOf(child);
    assert.equal(code, 130, stderr);
    const { json } = await readMetricsArtifacts(folder);
    assert.equal(json.was_cancelled, true);
    const info = endpointInfo(json, `${mock.url}/metrics`);
    assert.ok(info.total_fetches >= 1);
  }));

Deno.test("server metrics are written though every request failed", () =>
  withFolder(async (folder) => {
    using mock = await startLocalMock(["--faults", "500:1"]);
    const { code } = await profile(mock, folder, ["--concurrency", "2", "--request-count", "10"]);
    assert.equal(code, 1);
    const { json } = await readMetricsArtifacts(folder);
    assert.equal(totalOf(json, "vllm:time_to_first_token_seconds"), 0);
    assert.deepEqual(json.metrics["vllm:time_to_first_token_seconds"].series[0].stats, {
      "count": 0,
    });
  }));

Deno.test("slices, the flat layout, and raw cells are what the options say", () =>
  withFolder(async (folder) => {
    using mock = await startLocalMock(["--ttft", "5", "--itl", "2"]);
    const sliced = await profile(mock, `${folder}/sliced`, [
      ...["--request-rate", "20", "--arrival-pattern", "constant", "--request-count", "40"],
      ...["--slice-duration", "0.5"],
    ]);
    assert.equal(sliced.code, 0, sliced.stderr);
    const { json } = await readMetricsArtifacts(`${folder}/sliced`);
    const [series] = json.metrics["vllm:generation_tokens"].series;
    assert.ok(series.timeslices.length >= 2);
    const inSlices = series.timeslices.reduce((sum: number, { total }: Json) => sum + total, 0);
    // What is told after the last response is in the total alone.
    assert.ok(inSlices > 0 && inSlices <= series.stats.total, `${inSlices}`);
    const endMs = new Date(json.summary.end_time).getTime();
    const lastMs = Math.floor(series.timeslices.at(-1).end_ns / 1e6);
    assert.ok(Math.abs(lastMs - endMs) <= 1, "slices end with the phase");
    const widths = series.timeslices.slice(0, -1).map(
      ({ start_ns: start, end_ns: end }: Json) => Math.round((end - start) / 1e6),
    );
    assert.ok(widths.every((width: number) => width === 500), widths.join());
    const flat = await profile(mock, `${folder}/flat`, [
      ...["--request-count", "10", "--server-metrics-json-layout", "flat", "--csv-raw"],
    ]);
    assert.equal(flat.code, 0, flat.stderr);
    const text = await Deno.readTextFile(`${folder}/flat/server_metrics_export.json`);
    const { metrics } = JSON.parse(text);
    assert.equal(metrics["vllm:generation_tokens"].series[0].delta, 80);
  }));

Deno.test("a server without metrics is measured as ever, without a word on the screen", () =>
  withFolder(async (folder) => {
    await using server = startRecordingServer();
    const { code, stderr } = await runCli([
      ...["profile", "--url", server.url, "--model", "m", "--request-count", "5"],
      ...["--artifact-dir", folder, "--server-metrics-flush-period", "0"],
    ]);
    assert.deepEqual([code, stderr], [0, ""]);
    const { names, json } = await readArtifacts(folder);
    assert.deepEqual(names.filter((name) => name.includes("server_metrics")), []);
    assert.equal(json.request_count.avg, 5);
  }));

Deno.test("a key that is a word of the metrics' names does not hide in them", () =>
  withFolder(async (folder) => {
    using mock = await startLocalMock(["--ttft", "2"]);
    const { code, stderr } = await profile(mock, folder, [
      ...["--concurrency", "1", "--request-count", "3", "--api-key", "token"],
    ]);
    assert.equal(code, 0, stderr);
    const { json, lines } = await readMetricsArtifacts(folder);
    assert.equal(totalOf(json, "vllm:prompt_tokens"), 60);
    for (const line of lines) assert.ok("vllm:inter_token_latency_seconds" in line.metrics);
    assert.doesNotMatch(JSON.stringify(json.metrics), /redacted/);
  }));
