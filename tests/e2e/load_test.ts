/** When requests are sent, how many at once, and what ends a run. */

import assert from "node:assert/strict";
import { type RecordLine, withFolder } from "../support/artifacts.ts";
import { runProfile } from "../support/profile_run.ts";
import { readRelativeTimes, statisticsOf, validRecords, valueOf } from "../support/recomputed.ts";
import { startRecordingServer } from "../support/recording_server.ts";
import { wavesOf } from "../support/waves.ts";

/** Records of a run, in the order of their arrivals, times counted from the first one's. */
async function arrivedRecords(folder: string): Promise<RecordLine[]> {
  const { value } = await readRelativeTimes<RecordLine[]>(`${folder}/profile_export.jsonl`);
  return value.sort((a, b) => intendedNs(a) - intendedNs(b));
}

function intendedNs({ metadata }: RecordLine): number {
  return Number(metadata["credit_issued_ns"]);
}

function intervalsMs(records: readonly RecordLine[]): number[] {
  return records.slice(1).map((record, index) =>
    (intendedNs(record) - intendedNs(records[index] as RecordLine)) / 1e6
  );
}

/** Most requests that were under way at once. */
function peak(records: readonly RecordLine[]): number {
  const steps = records.flatMap((record): [number, number][] => {
    const start = Number(record.metadata.request_start_ns);
    return [[start, 1], [start + valueOf(record, "request_latency") * 1e6, -1]];
  });
  // An end comes before a start at the same time.
  steps.sort(([a, up], [b, down]) => a - b || up - down);
  let now = 0;
  return Math.max(...steps.map(([, step]) => now += step));
}

/** Mean and relative spread of the times between arrivals that each pattern has. */
const PATTERNS: readonly [name: string, args: readonly string[], spread: number][] = [
  ["constant", ["--arrival-pattern", "constant"], 0],
  ["poisson", [], 1],
  ["gamma, bursts", ["--arrival-pattern", "gamma", "--arrival-smoothness", "0.25"], 2],
  ["gamma, smooth", ["--arrival-smoothness", "16"], 0.25],
];

Deno.test("profile's arrivals have the rate and the spread of their pattern", async (t) => {
  await using server = startRecordingServer();
  for (const [name, args, spread] of PATTERNS) {
    await t.step(name, () =>
      withFolder(async (folder) => {
        // The sequence depends on the seed alone, so these figures are the same on any machine.
        const { code, stderr } = await runProfile(folder, [
          ...["--url", server.url, "--model", "m", "--isl", "5", "--random-seed", "11"],
          ...["--request-count", "200", "--request-rate", "500", ...args],
        ]);
        assert.equal(code, 0, stderr);
        const records = await arrivedRecords(folder);
        assert.equal(records.length, 200);
        const { avg = NaN, std = NaN } = statisticsOf(intervalsMs(records));
        assert.ok(Math.abs(avg - 2) <= 2 * 3 * spread / Math.sqrt(200) + 1e-6, `mean ${avg} ms`);
        assert.ok(Math.abs(std / avg - spread) <= spread * 0.3 + 1e-6, `spread ${std / avg}`);
      }));
  }
});

Deno.test("profile keeps its number of requests in flight, and no more", () =>
  withFolder(async (folder) => {
    const waves = wavesOf(5);
    await using server = startRecordingServer(waves);
    const { code, stderr } = await runProfile(folder, [
      ...["--url", server.url, "--model", "m", "--streaming", "--isl", "10", "--workers", "2"],
      ...["--concurrency", "5", "--request-count", "40"],
    ]);
    assert.equal(code, 0, stderr);
    const records = await arrivedRecords(folder);
    assert.equal(records.length, 40);
    assert.equal(peak(records), 5);
    assert.equal(waves.most, 5);
  }));

/** So long a reply takes at least. */
const SERVICE_MS = 40;

Deno.test("profile has arrivals wait for a slot, tells how long, and drops none", () =>
  withFolder(async (folder) => {
    const waves = wavesOf(2, SERVICE_MS);
    await using server = startRecordingServer(waves);
    const { code, stderr, artifacts, stdout } = await runProfile(folder, [
      ...["--url", server.url, "--model", "m", "--streaming", "--isl", "10", "--workers", "2"],
      ...["--request-rate", "200", "--arrival-pattern", "constant", "--concurrency", "2"],
      ...["--request-count", "30"],
    ]);
    assert.equal(code, 0, stderr);
    const records = await arrivedRecords(folder);
    assert.equal(records.length, 30);
    assert.deepEqual(new Set(intervalsMs(records)), new Set([5]));
    assert.equal(waves.most, 2);
    const { requests } = artifacts.json;
    assert.deepEqual([requests.sent, requests.unsent_arrivals], [30, 0]);
    for (const record of records) {
      const parts = valueOf(record, "queue_wait") + valueOf(record, "send_slip") +
        valueOf(record, "request_latency");
      assert.ok(Math.abs(valueOf(record, "effective_latency") - parts) < 1e-3);
      assert.ok(valueOf(record, "queue_wait") >= 0);
    }
    // Fourteen waves before the last one take 560 ms; all have arrived after 150 ms.
    const last = records.at(-1) as RecordLine;
    assert.ok(valueOf(last, "queue_wait") > 350, "the last one waits longest");
    const { client_health: health } = artifacts.json;
    assert.equal(artifacts.json.queue_wait.max, health.queue_wait_ms.max);
    assert.ok(health.cpu_cores_used > 0 && health.cpu_cores_used <= 1.1 * health.cpu_cores);
    assert.match(stdout, /^latency\+queue +ms /m);
    assert.match(artifacts.consoleText, /queue\s+wait\s+p99\s+\d+\.\d+\s+ms/);
  }));

Deno.test("profile counts requests that outlast the grace period as cut off", () =>
  withFolder(async (folder) => {
    await using server = startRecordingServer({
      async answer({ gone }, number) {
        if (number >= 4) await gone;
        return undefined;
      },
    });
    const { code, stderr, artifacts } = await runProfile(folder, [
      ...["--url", server.url, "--model", "m", "--streaming", "--isl", "10", "--concurrency", "4"],
      ...["--benchmark-duration", "1", "--benchmark-grace-period", "200ms"],
    ]);
    assert.equal(code, 0, stderr);
    const { json, records } = artifacts;
    const cut = records.filter(({ error }) => error !== undefined);
    // On a busy machine a user may come in too late.
    assert.ok(cut.length > 0 && cut.length <= 4, `${cut.length} were cut off`);
    assert.deepEqual(cut.map(({ error }) => error?.kind), cut.map(() => "cut_off"));
    for (const { metadata } of cut) {
      assert.equal(metadata["was_cancelled"], true);
      const seconds =
        (Number(metadata["cancellation_time_ns"]) - Number(metadata.request_start_ns)) / 1e9;
      assert.ok(seconds > 0.19, "each had the grace period");
    }
    assert.equal(json.requests.sent, records.length, "every request has a record");
    assert.equal(json.request_count.avg, records.length - cut.length);
    assert.equal(json.error_request_count.avg, cut.length);
    assert.deepEqual(
      json.error_summary.map((group: { error_details: { kind: string }; count: number }) => [
        group.error_details.kind,
        group.count,
      ]),
      [["cut_off", cut.length]],
    );
    assert.deepEqual([json.was_cancelled, json.is_complete], [false, true]);
    assert.ok(server.requests.length <= records.length, "nothing else was sent");
  }));

Deno.test("profile sends for as long as --benchmark-duration and waits for the replies", () =>
  withFolder(async (folder) => {
    await using server = startRecordingServer();
    const { code, stderr, artifacts } = await runProfile(folder, [
      ...["--url", server.url, "--model", "m", "--streaming", "--isl", "10"],
      ...["--benchmark-duration", "0.5", "--request-rate", "100", "--arrival-pattern", "constant"],
    ]);
    assert.equal(code, 0, stderr);
    const records = validRecords(await arrivedRecords(folder));
    const { sent, unsent_arrivals: unsent } = artifacts.json.requests;
    assert.equal(records.length, sent, "all that was sent was answered");
    // One every 10 ms, the first after 10 ms; on a busy machine some may come too late.
    assert.equal(sent + unsent, 49);
    assert.ok(sent > 0);
  }));

Deno.test("profile warms up for as long as --warmup-duration", () =>
  withFolder(async (folder) => {
    await using server = startRecordingServer();
    const { code, stderr, artifacts } = await runProfile(folder, [
      ...[
        "--url",
        server.url,
        "--model",
        "m",
        "--streaming",
        "--isl",
        "10",
        "--request-count",
        "10",
      ],
      ...["--warmup-duration", "0.3", "--warmup-request-rate", "50"],
      ...["--warmup-arrival-pattern", "constant"],
    ]);
    assert.equal(code, 0, stderr);
    const phases = artifacts.records.map(({ metadata }) => metadata.benchmark_phase);
    const warm = phases.filter((phase) => phase === "warmup").length;
    // One every 20 ms, the first after 20 ms; on a busy machine some may come too late.
    assert.ok(warm > 0 && warm <= 14, `${warm} were sent`);
    assert.deepEqual(phases, [...Array(warm).fill("warmup"), ...Array(10).fill("profiling")]);
    assert.equal(artifacts.json.warmup_metrics.request_count.avg, warm);
    assert.equal(artifacts.json.request_count.avg, 10);
  }));
