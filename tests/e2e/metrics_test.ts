/** Every figure that is exported, computed again from the exported records. */

import { parse } from "csv-parse/sync";
import assert from "node:assert/strict";
import { type RecordLine, withFolder } from "../support/artifacts.ts";
import { startLocalMock } from "../support/local_mock.ts";
import { runProfile } from "../support/profile_run.ts";
import { startRecordingServer } from "../support/recording_server.ts";
import { wavesOf } from "../support/waves.ts";
import {
  isClose,
  readRelativeTimes,
  statisticsOf,
  valueOf,
  valuesByTag,
} from "../support/recomputed.ts";

/** Metric objects by their tags, as a file has them. */
type MetricObjects = Readonly<Record<string, Readonly<Record<string, number | string>>>>;

/** Settings of {@linkcode assertFollows}. */
interface Expectations {
  /** Seconds that rates are divided by, if not the benchmark's duration. */
  readonly seconds?: number;
  /** Largest TTFT and ITL of a good request. */
  readonly objectives?: { readonly ttft: number; readonly itl: number };
}

/** The metric objects among the keys of a file. */
function metricsIn(json: Readonly<Record<string, unknown>>): MetricObjects {
  return Object.fromEntries(
    Object.entries(json).filter(([, value]) =>
      typeof value === "object" && value !== null && "unit" in value
    ),
  ) as MetricObjects;
}

/** Checks that the metrics are those of the records: all of them, and nothing but them. */
function assertFollows(
  metrics: MetricObjects,
  records: readonly RecordLine[],
  expectations: Expectations = {},
): void {
  const valid = records.filter(({ error }) => error === undefined);
  const expected = new Map<string, Record<string, number>>();
  for (const [tag, values] of valuesByTag(records)) expected.set(tag, statisticsOf(values));
  for (const [tag, value] of scalarsOf(records, valid, expectations)) {
    expected.set(tag, { avg: value });
  }
  const levels = Object.keys(metrics).filter((tag) => LEVEL.test(tag));
  assert.deepEqual(Object.keys(metrics).sort(), [...expected.keys(), ...levels].sort());
  if (expectations.seconds === undefined) assertLevels(metrics, valid);
  else assert.deepEqual(levels, []);
  for (const [tag, statistics] of expected) {
    const { unit, ...found } = metrics[tag] as Record<string, number | string>;
    assert.equal(typeof unit, "string");
    assert.deepEqual(Object.keys(found).sort(), Object.keys(statistics).sort(), tag);
    for (const [name, value] of Object.entries(statistics)) {
      assert.ok(isClose(found[name] as number, value), `${tag}.${name}: ${found[name]}, ${value}`);
    }
  }
}

/** What stands at a level at every moment. */
const LEVEL = /^(effective|active)_(decode_|prefill_|total_)?(throughput|concurrency)/;

/** Checks means of levels: what all requests took or brought, over the time. */
function assertLevels(metrics: MetricObjects, valid: readonly RecordLine[]): void {
  const seconds = metrics["benchmark_duration"]?.["avg"] as number;
  const sum = (value: (record: RecordLine) => number) =>
    valid.reduce((total, record) => total + value(record), 0);
  const durationOf = (tag: string) => sum((record) => valueOf(record, tag)) / 1e3;
  const tokensIn = sum((record) => valueOf(record, "input_sequence_length"));
  // The first token takes no time after itself, nor do others that came with it.
  const tokensOut = sum((record) =>
    valueOf(record, "decode_duration") > 0 ? valueOf(record, "output_sequence_length") - 1 : 0
  );
  const means = {
    "effective_prefill_concurrency": durationOf("time_to_first_token"),
    "effective_decode_concurrency": durationOf("decode_duration"),
    "effective_prefill_throughput": tokensIn,
    "effective_decode_throughput": tokensOut,
    "effective_total_throughput": tokensIn + tokensOut,
  };
  for (const [tag, amount] of Object.entries(means)) {
    const { unit, ...found } = metrics[tag] as Record<string, number | string>;
    assert.equal(typeof unit, "string");
    const names = ["avg", "p50", "p90", "p95", "p99", "min", "max", "std"];
    assert.deepEqual(Object.keys(found), names, tag);
    assert.ok(isClose(found["avg"] as number, amount / seconds), `${tag}: ${found["avg"]}`);
  }
  // Failed requests were in flight, too.
  const inFlight = metrics["effective_concurrency"]?.["avg"] as number;
  assert.ok(inFlight >= durationOf("request_latency") / seconds * (1 - 1e-9), `${inFlight}`);
}

function scalarsOf(
  records: readonly RecordLine[],
  valid: readonly RecordLine[],
  { seconds, objectives }: Expectations,
): [string, number][] {
  // A request may be without a metric: one whose few tokens are all reasoning has no output tokens.
  const sum = (tag: string) =>
    valid.map((record) => valueOf(record, tag) || 0).reduce((total, value) => total + value, 0);
  const startsNs = valid.map(({ metadata }) => Number(metadata.request_start_ns));
  const endsNs = valid.map((record, index) =>
    (startsNs[index] as number) + valueOf(record, "request_latency") * 1e6
  );
  const failedEndsNs = records.filter(({ error }) => error !== undefined)
    .map(({ metadata }) => Number(metadata.request_end_ns));
  // Requests that failed may have been the first and the last one.
  const firstNs = Math.min(...records.map(({ metadata }) => Number(metadata.request_start_ns)));
  const durationSeconds = (Math.max(...failedEndsNs, ...endsNs) - firstNs) / 1e9;
  const failed = records.filter(({ error }) => error !== undefined);
  const scalars: [string, number][] = [
    ["request_count", valid.length],
    ["error_request_count", failed.length],
    ["completed_request_count", records.length],
    ["request_error_rate", failed.length / records.length * 100],
    ["usage_discrepancy_count", 0],
    ["osl_mismatch_count", 0],
    ["total_isl", sum("input_sequence_length")],
    ["total_osl", sum("output_sequence_length")],
    ["total_output_tokens", sum("output_token_count")],
    ["total_usage_prompt_tokens", sum("usage_prompt_tokens")],
    ["total_usage_completion_tokens", sum("usage_completion_tokens")],
    ["total_usage_total_tokens", sum("usage_total_tokens")],
    ["min_request_timestamp", firstNs],
    ["max_response_timestamp", Math.max(...endsNs)],
    ["benchmark_duration", durationSeconds],
  ];
  if (valid.some(({ metrics }) => "reasoning_token_count" in metrics)) {
    scalars.push(
      ["total_reasoning_tokens", sum("reasoning_token_count")],
      ["total_usage_reasoning_tokens", sum("usage_reasoning_tokens")],
    );
  }
  if (failed.length > 0) {
    const tokens = failed.map((record) => valueOf(record, "error_isl"));
    scalars.push(["total_error_isl", tokens.reduce((total, value) => total + value, 0)]);
  }
  const divisor = seconds ?? durationSeconds;
  const tokensOut = sum("output_sequence_length");
  scalars.push(
    ["request_throughput", valid.length / divisor],
    ["output_token_throughput", tokensOut / divisor],
    ["input_token_throughput", sum("input_sequence_length") / divisor],
    ["total_token_throughput", (sum("input_sequence_length") + tokensOut) / divisor],
  );
  const streamed = valid.filter((record) => valueOf(record, "inter_token_latency") >= 0);
  if (seconds === undefined && streamed.length > 0) {
    const decodeMs = streamed.map((record) => valueOf(record, "decode_duration"));
    // Chunks that were read together took no time.
    const tokens = streamed.map((record, index) =>
      decodeMs[index] === 0
        ? valueOf(record, "output_sequence_length") - 1
        : (decodeMs[index] as number) / valueOf(record, "inter_token_latency")
    );
    const sumOf = (values: readonly number[]) => values.reduce((total, one) => total + one, 0);
    scalars.push(["interactivity", sumOf(tokens) / sumOf(decodeMs) * 1000]);
  }
  if (objectives !== undefined) {
    const good = valid.filter((record) =>
      valueOf(record, "time_to_first_token") <= objectives.ttft &&
      valueOf(record, "inter_token_latency") <= objectives.itl
    ).length;
    scalars.push(
      ["good_request_count", good],
      ["good_request_fraction", good / records.length],
      ["goodput", good / divisor],
    );
  }
  return scalars;
}

const byPhase = (records: readonly RecordLine[], phase: string): RecordLine[] =>
  records.filter(({ metadata }) => metadata.benchmark_phase === phase);

Deno.test("profile's summary is that of its records, warm-up and failures apart", () =>
  withFolder(async (folder) => {
    using mock = await startLocalMock([
      ...["--ttft", "uniform:1:30", "--itl", "uniform:1:4", "--reasoning-tokens", "3"],
      ...["--faults", "500:0.15", "in-band:0.1"],
    ]);
    const { code, stderr, artifacts } = await runProfile(folder, [
      ...["--url", mock.url, "--streaming", "--concurrency", "6", "--request-count", "80"],
      ...["--isl", "40", "--isl-stddev", "15", "--osl", "10", "--osl-stddev", "2"],
      ...["--warmup-request-count", "12", "--goodput", "ttft:15 itl:10", "--tokenizer", "builtin"],
    ]);
    assert.equal(code, 0, stderr);
    const { baseNs, value: records } = await readRelativeTimes<RecordLine[]>(
      `${folder}/profile_export.jsonl`,
    );
    // deno-lint-ignore no-explicit-any -- what a reader of the file sees
    const { value: json } = await readRelativeTimes<any>(
      `${folder}/profile_export_aiperf.json`,
      baseNs,
    );
    const warmup = byPhase(records, "warmup");
    const profiling = byPhase(records, "profiling");
    assert.deepEqual([warmup.length, profiling.length], [12, 80]);
    const objectives = { ttft: 15, itl: 10 };
    const { "warmup_metrics": warmupMetrics, ...rest } = json;
    assertFollows(metricsIn(rest), profiling, { objectives });
    assertFollows(metricsIn(warmupMetrics), warmup, { objectives });
    assert.ok(json.error_request_count.avg > 0, "the mock injects failures");
    const { avg: good } = json.good_request_count;
    assert.ok(good < json.request_count.avg, "some requests are not good");
    assertCsvRepeats(artifacts.csv, metricsIn(artifacts.json));
    assert.equal(json.requests.sent, 80);
    assert.equal(json.requests.succeeded, json.request_count.avg);
    assert.equal(json.requests.failed, json.error_request_count.avg);
    const counted = json.error_summary.map(({ count }: { count: number }) => count);
    assert.equal(
      counted.reduce((total: number, count: number) => total + count, 0),
      json.error_request_count.avg,
    );
    const lastWarmup = Math.max(...warmup.map(({ metadata }) => Number(metadata.request_end_ns)));
    const first = Math.min(...profiling.map(({ metadata }) => Number(metadata.request_start_ns)));
    assert.ok(lastWarmup <= first, "warm-up is over before profiling begins");
  }));

/** Each row has the rounded figures of exactly one metric object. */
function assertCsvRepeats(csv: string, metrics: MetricObjects): void {
  const rows: string[][] = parse(csv, { relax_column_count: true, skip_empty_lines: true });
  const [head = [], ...others] = rows;
  const names = head.slice(1);
  const isSpread = (metric: MetricObjects[string]) => "p50" in metric;
  const figures = Object.values(metrics).map((metric) =>
    (isSpread(metric) ? names : ["avg"]).map((name) =>
      name in metric ? Number(metric[name]).toFixed(2) : ""
    ).join(" ")
  );
  const shown = others.filter(([name]) => name !== "Metric").map((row) => row.slice(1).join(" "));
  // Nanoseconds since 1970 do not fit the doubles of this test; they stand there digit by digit.
  const isShort = (text: string) => text.length < 22 || text.includes(" ");
  assert.deepEqual(shown.filter(isShort).sort(), figures.filter(isShort).sort());
  assert.equal(shown.length, figures.length);
}

Deno.test("profile's slices are those of the requests that started in them", () =>
  withFolder(async (folder) => {
    // At most four waves begin in a slice, whatever the machine's speed.
    await using server = startRecordingServer(wavesOf(3, 70));
    const { code, stderr } = await runProfile(folder, [
      ...["--url", server.url, "--model", "m", "--streaming", "--isl", "5", "--osl", "3"],
      ...["--request-rate", "60", "--concurrency", "3", "--request-count", "60"],
      ...["--random-seed", "3", "--slice-duration", "200ms", "--tokenizer", "builtin"],
    ]);
    assert.equal(code, 0, stderr);
    const { baseNs, value: records } = await readRelativeTimes<RecordLine[]>(
      `${folder}/profile_export.jsonl`,
    );
    const { value: file } = await readRelativeTimes<{ timeslices: Slice[] }>(
      `${folder}/profile_export_aiperf_timeslices.json`,
      baseNs,
    );
    const slices = file.timeslices;
    const startOf = ({ metadata }: RecordLine) => Number(metadata.request_start_ns);
    assert.ok(slices.length >= 5, "the run is longer than some slices");
    const firstNs = slices[0]?.start_ns as number;
    assert.equal(firstNs, Math.min(...records.map(startOf)));
    let requests = 0;
    slices.forEach((slice, index) => {
      const { start_ns: startNs, end_ns: endNs } = slice;
      const isLast = index === slices.length - 1;
      assert.equal((startNs - firstNs) % SLICE_NS, 0);
      assert.ok(endNs - startNs === SLICE_NS || (isLast && endNs - startNs < SLICE_NS));
      assert.equal(slice.is_complete ?? true, endNs - startNs === SLICE_NS);
      const within = records.filter((record) =>
        startOf(record) >= startNs && startOf(record) < startNs + SLICE_NS
      );
      requests += within.length;
      // A slow machine may start nothing in a slice: then there are counts of nothing.
      if (within.length === 0) {
        const counts = metricsIn({ ...slice });
        assert.deepEqual(Object.keys(counts).sort(), NO_REQUESTS_COUNTS);
        for (const { avg } of Object.values(counts)) assert.equal(avg, 0);
        return;
      }
      assertFollows(metricsIn({ ...slice }), within, { seconds: (endNs - startNs) / 1e9 });
    });
    assert.equal(requests, 60, "each request is in one slice");
    const csv = await Deno.readTextFile(`${folder}/profile_export_aiperf_timeslices.csv`);
    const rows: string[][] = parse(csv);
    assert.equal(rows[0]?.join(), "Timeslice,Start_NS,End_NS,Metric,Unit,Stat,Value");
    const counts = rows.filter((row) => row[3] === "Request Count");
    assert.deepEqual(counts.map((row) => BigInt(row[1] as string) - baseNs), [
      ...slices.map((slice) => BigInt(slice.start_ns)),
    ]);
    const countOf = (slice: Slice) => metricsIn({ ...slice })["request_count"]?.["avg"] as number;
    assert.deepEqual(counts.map((row) => row[6]), slices.map((slice) => countOf(slice).toFixed(2)));
  }));

const SLICE_NS = 200_000_000;

/** Metrics of a slice in which no request starts. */
const NO_REQUESTS_COUNTS = [
  "completed_request_count",
  "error_request_count",
  "request_count",
  "usage_discrepancy_count",
];

interface Slice {
  readonly "start_ns": number;
  readonly "end_ns": number;
  readonly "is_complete"?: boolean;
}
