import assert from "node:assert/strict";
import { CANARY_KIND } from "../../../src/measurement/canary/canary_kind.ts";
import { chat } from "../../../src/client/endpoint/openai/chat.ts";
import type { MetricTag } from "../../../src/measurement/metrics/metric_tag.ts";
import type { RequestRecord } from "../../../src/measurement/metrics/request_record.ts";
import type { ProfileOptions } from "../../../src/config/options/profile/profile_types.ts";
import type { ErrorKind } from "../../../src/client/record/error_kind.ts";
import { resolvePlan } from "../../../src/config/plan/resolve/resolve_plan.ts";
import type { ProfileReport, TimeSlice } from "../../../src/report/model/profile_report.ts";
import { slicesCsv } from "../../../src/report/export/summary/profile_csv.ts";
import { slicesJson } from "../../../src/report/export/summary/slices_json.ts";
import type { ServerMetricsReport } from "../../../src/report/model/server_metrics_report.ts";
import type { RunFacts, RunSummary } from "../../../src/results/collect/run_manifest.ts";
import { buildProfileReport } from "../../../src/results/collect/build_profile_report.ts";
import { RunRecords } from "../../../src/results/collect/run_records.ts";
import { reportOfPages } from "../../support/metrics_pages.ts";
import { recordWith } from "../../support/records.ts";
import { BASE_EPOCH_NS, MACHINE } from "../../support/reports.ts";

const SUMMARY: RunSummary = {
  wasCancelled: false,
  isComplete: true,
  startNs: 1e9,
  endNs: 9e9,
  sent: 0,
  unsentArrivals: 0,
  loopLagMs: [],
  cpuCores: 0.1,
  notes: [],
};

/** The report of some records. */
async function reportOf(
  records: readonly RequestRecord[],
  options: ProfileOptions = {},
  summary: Partial<RunSummary> = {},
  error = "It failed",
  metrics?: ServerMetricsReport,
  canaries = new Float64Array(),
  servers: RunFacts["servers"] = [],
): Promise<ProfileReport> {
  const plan = await resolvePlan(
    { url: ["http://127.0.0.1:1"], model: "m", streaming: true, isl: 10, ...options },
    { cores: 2, cliCommand: "test", findModel: () => Promise.reject(new Error("not asked")) },
  );
  const run = new RunRecords(plan, chat, false);
  for (const record of records) {
    run.add({
      record,
      requestId: "id",
      finishReason: null,
      error: record.errorKind < 0 ? undefined : error,
      rawReply: undefined,
    });
  }
  run.canaries.add(0, canaries);
  const facts: RunFacts = {
    plan,
    baseEpochNs: BASE_EPOCH_NS,
    tokenizer: "builtin",
    hasImages: false,
    machine: MACHINE,
    threads: [],
    servers,
  };
  const whole = { ...SUMMARY, sent: records.length, ...summary };
  return buildProfileReport(run, facts, whole, [], metrics);
}

function value(report: Pick<ProfileReport, "results">, tag: MetricTag): number {
  const result = report.results.get(tag);
  assert.ok(result !== undefined && "value" in result, tag);
  return Number(result.value);
}

Deno.test("buildProfileReport counts cancelled requests apart, those that were cut off as failed", async () => {
  const ends = [undefined, "cancelled", "cut_off", "cancelled", "timeout"] as const;
  const records = ends.map((error, index) =>
    recordWith({ startNs: (1 + index) * 1e9, ...(error === undefined ? {} : { error }) })
  );
  const report = await reportOf(records, { sliceDuration: 2, tokenizer: "builtin" });
  const { sent, succeeded, failed, cancelled } = report.requests;
  assert.deepEqual([sent, succeeded, failed, cancelled], [5, 1, 2, 2]);
  assert.equal(value(report, "error_request_count"), 2);
  assert.equal(value(report, "total_error_isl"), 20, "of those that failed");
  assert.deepEqual(
    report.slices.map((slice) => value(slice, "error_request_count")),
    [0, 1, 1],
  );
  assert.deepEqual(report.errors.map(({ kind }) => kind).sort(), ["cut_off", "timeout"]);
  for (const tag of ["time_to_first_token", "inter_chunk_latency", "request_latency"] as const) {
    const result = report.results.get(tag);
    assert.ok(result !== undefined && "summary" in result);
    assert.equal(result.summary.count, tag === "inter_chunk_latency" ? 2 : 1, tag);
  }
});

Deno.test("buildProfileReport says why a run ended early, and nothing of arrivals then", async () => {
  const summary = { unsentArrivals: 3, endedEarly: "the server was not there" };
  const early = await reportOf([recordWith()], {}, summary);
  assert.equal(early.endedEarly, summary.endedEarly);
  assert.deepEqual(early.notes, ["The run ended early: the server was not there"]);
  const late = await reportOf([recordWith()], {}, { unsentArrivals: 3 });
  assert.match(late.notes.join(), /^3 of 4 arrivals found no free slot/);
});

Deno.test("buildProfileReport says why turns of sessions were not sent", async () => {
  const first = { turn: 0, turns: 3 };
  const noteOf = async (...ends: (ErrorKind | undefined)[]) => {
    const records = ends.map((error, session) =>
      recordWith({ ...first, session, ...(error === undefined ? {} : { error }) })
    );
    const { notes } = await reportOf(records, { sessionTurnsMean: 3, tokenizer: "builtin" });
    return notes.find((note) => note.includes("not sent"));
  };
  assert.equal(
    await noteOf(undefined),
    "2 turns were not sent: the run ended before their sessions",
  );
  assert.match(await noteOf("timeout") ?? "", /a request that fails, as 1 session did/);
  assert.match(
    await noteOf("cancelled_on_purpose", "cancelled_on_purpose", undefined) ?? "",
    /^6 turns .* a request that is cancelled on purpose, as 2 sessions did, and with the run$/,
  );
  assert.match(
    await noteOf("cancelled_on_purpose", "timeout") ?? "",
    /that fails or is cancelled on purpose, as 2 sessions did/,
  );
});

Deno.test("buildProfileReport says when the process stood still, and for how long", async () => {
  const stall = (startS: number, endS: number) => ({ startNs: startS * 1e9, endNs: endS * 1e9 });
  const once = await reportOf([recordWith()], {}, { stalls: [stall(13.3, 18.3)] });
  assert.deepEqual(once.notes, [
    "The process was suspended (machine or debugger) for 5.0 s at 12.3 s; results from that " +
    "period are affected",
  ]);
  assert.deepEqual(once.clientHealth.problems, ["the process stalled for 5.0 s"]);
  assert.deepEqual(once.clientHealth.stalls, [{ startSeconds: 12.3, seconds: 5 }]);
  const stalls = [stall(2, 2.5), stall(4, 6), stall(9, 9.3)];
  const often = await reportOf([recordWith()], {}, { stalls });
  assert.deepEqual(often.notes, [
    "The process was suspended (machine or debugger) 3 times, 2.8 s in total, the longest " +
    "for 2.0 s at 3.0 s; results from those periods are affected",
  ]);
});

Deno.test("buildProfileReport names files that the client could not open as its own fault", async () => {
  const records = [
    recordWith(),
    recordWith({ error: "connect" }),
    recordWith({ error: "connect" }),
  ];
  const message = "Cannot connect to h:1: Too many open files (os error 24)";
  const { clientHealth } = await reportOf(records, {}, {}, message);
  assert.match(clientHealth.problems.join(), /^2 requests failed for lack of file descriptors/);
  assert.equal((await reportOf(records)).clientHealth.ok, true);
  // A server may have too many files open, too.
  const ofServer = [recordWith(), recordWith({ error: "http_status" })];
  const { clientHealth: other } = await reportOf(ofServer, {}, {}, "HTTP 500: too many open files");
  assert.deepEqual(other.problems, []);
});

Deno.test("buildProfileReport notes replies that were not streams, and counts that were none", async () => {
  const { notes } = await reportOf([recordWith({ isWhole: 1 }), recordWith({ refusedCounts: 2 })]);
  assert.match(notes.join("\n"), /^1 of 2 replies were not streamed/);
  assert.match(notes.join("\n"), /\nThe usage in 1 replies has numbers/);
});

Deno.test("buildProfileReport puts a request into the slice in which it started", async () => {
  const starts = [1e9, 1.4e9, 1.999e9, 2e9, 4.5e9, 5.9e9];
  const records = starts.map((startNs) => recordWith({ startNs }));
  const { slices } = await reportOf(records, { sliceDuration: 1 });
  // The third slice, from 3 to 4 s, has no request.
  assert.deepEqual(
    slices.map((slice) => [
      Number(slice.startNs - BASE_EPOCH_NS) / 1e9,
      Number(slice.endNs - BASE_EPOCH_NS) / 1e9,
      slice.isComplete,
      value(slice, "request_count"),
    ]),
    [[1, 2, true, 3], [2, 3, true, 1], [4, 5, true, 1], [5, 6, true, 1]],
  );
  // A request belongs to one slice, though it ended in the next one.
  assert.equal(value(slices[0] as TimeSlice, "request_throughput"), 3);
});

Deno.test("buildProfileReport has slices for as long as any request is in flight, with load and diagnosis", async () => {
  const served = Array.from(
    { length: 20 },
    (_, index) => recordWith({ startNs: 1e9 + index * 1e8, endNs: 1e9 + (index + 1) * 1e8 }),
  );
  const hung = recordWith({
    ...{ startNs: 2.95e9, endNs: 6.45e9, error: "timeout" as const },
    chunkNs: new Float64Array(),
  });
  const report = await reportOf([...served, hung], { sliceDuration: 1, concurrency: 1 });
  assert.deepEqual(
    report.slices.map(({ load, results }) => [
      value({ results }, "request_count"),
      value({ results }, "error_request_count"),
      Number(load?.meanInFlight.toFixed(2)),
      load?.targetInFlight,
    ]),
    [[10, 0, 1, 1], [10, 1, 1.05, 1], [0, 0, 1, 1], [0, 0, 1, 1], [0, 0, 1, 1], [0, 0, 1, 1]],
  );
  const codes = report.slices.map(({ diagnosis }) => diagnosis?.code);
  assert.deepEqual(codes.slice(2), ["stalled", "stalled", "stalled", "stalled"]);
  assert.notEqual(codes[0], "stalled");
  const last = report.slices.at(-1);
  assert.equal((last?.endNs ?? 0n) - BASE_EPOCH_NS, 6_450_000_000n);
  const json = JSON.parse(slicesJson(report));
  assert.equal(json.timeslices[2].diagnosis.code, "stalled");
  assert.equal(json.timeslices[0].load.served_rate, 9);
});

Deno.test("buildProfileReport cuts the last slice at the last reply", async () => {
  const records = [1e9, 2.5e9].map((startNs) => recordWith({ startNs }));
  const { slices } = await reportOf(records, { sliceDuration: 1 });
  const last = slices.at(-1);
  assert.ok(last !== undefined);
  assert.equal(last.isComplete, false);
  assert.equal(last.endNs - BASE_EPOCH_NS, 2_600_000_000n);
  assert.equal(value(last, "request_throughput"), 1 / 0.6);
});

Deno.test("buildProfileReport has slices of failures too", async () => {
  const records = [1e9, 2.5e9, 4e9].map((startNs, index) =>
    recordWith({ startNs, ...(index === 0 ? {} : { error: "timeout" as const }) })
  );
  const { slices } = await reportOf(records, { sliceDuration: 1 });
  assert.deepEqual(
    slices.map((slice) => [value(slice, "request_count"), value(slice, "error_request_count")]),
    [[1, 0], [0, 1], [0, 1]],
  );
  for (const slice of slices) assert.ok(slice.endNs >= slice.startNs);
});

Deno.test("buildProfileReport counts requests whose start nobody knows, outside of every slice", async () => {
  const lost = recordWith({ startNs: NaN, chunkNs: new Float64Array(0), error: "worker_lost" });
  const report = await reportOf([recordWith(), lost], { sliceDuration: 1 });
  assert.deepEqual([report.requests.succeeded, report.requests.failed], [1, 1]);
  assert.equal(value(report, "error_request_count"), 1);
  assert.equal(report.slices.length, 1);
  assert.equal(JSON.parse(slicesJson(report)).timeslices.length, 1);
  assert.match(slicesCsv(report.slices), /\r\n0,/);
  assert.deepEqual((await reportOf([lost], { sliceDuration: 1 })).slices, []);
});

Deno.test("buildProfileReport has no slices unless they are asked for", async () => {
  assert.deepEqual((await reportOf([recordWith()])).slices, []);
  assert.deepEqual((await reportOf([], { sliceDuration: 1 })).slices, []);
});

Deno.test("buildProfileReport keeps warm-up out of everything but its own metrics", async () => {
  const warmup = recordWith({ phase: 0, startNs: 0.5e9, retried: 1, error: "timeout" });
  const report = await reportOf([warmup, recordWith({ phase: 0 }), recordWith()]);
  assert.equal(value(report, "request_count"), 1);
  assert.deepEqual(report.errors, []);
  assert.equal(report.requests.retried, 0);
  assert.ok(report.warmupResults !== undefined);
  assert.equal(value({ results: report.warmupResults }, "request_count"), 1);
  assert.equal(value({ results: report.warmupResults }, "error_request_count"), 1);
});

Deno.test("buildProfileReport notes where token counts and lengths are not what they should be", async () => {
  const { notes } = await reportOf([
    recordWith({ promptTokens: 12 }),
    recordWith({ requestedTokens: 50 }),
    recordWith(),
  ], { tokenizer: "builtin" });
  assert.deepEqual(notes.map((note) => note.split(":")[0]), [
    "Token counts of 1 of 3 requests differ by more than 10 % from the server's",
    "1 of 3 outputs do not have the requested length",
  ]);
  assert.deepEqual((await reportOf([recordWith()])).notes, []);
});

Deno.test("buildProfileReport blames no server for arrivals that nothing kept back", async () => {
  const noteOf = async (options: ProfileOptions) => {
    const given = { requestRate: 5, benchmarkDuration: 2, tokenizer: "builtin", ...options };
    const { notes } = await reportOf([recordWith()], given, { unsentArrivals: 1 });
    return notes.find((note) => note.includes("arrivals")) ?? "";
  };
  assert.match(
    await noteOf({}),
    /^1 of 2 arrivals were not sent before the end: the client fell behind/,
  );
  assert.match(await noteOf({ concurrency: 4 }), /found no free slot/);
  assert.match(await noteOf({ prefillConcurrency: 4 }), /found no free slot/);
});

Deno.test("buildProfileReport blames no server for arrivals that a person kept back", async () => {
  const unsent = { unsentArrivals: 2 };
  const noteOf = async (summary: Partial<RunSummary>) =>
    (await reportOf([recordWith({})], {}, summary)).notes.find((note) => /arrivals/.test(note));
  assert.match(
    await noteOf(unsent) ?? "",
    /^2 of 3 arrivals found no free slot: .* the server is saturated/,
  );
  const pause = { atNs: 2e9, phase: "profiling", action: "pause" } as const;
  assert.equal(
    await noteOf({ ...unsent, changes: [pause] }),
    "2 of 3 arrivals were not sent before the end because the load was changed manually; their " +
      "queueing time is not included in any statistic",
  );
  const mark = { ...pause, action: "mark", value: 1 } as const;
  assert.match(await noteOf({ ...unsent, changes: [mark] }) ?? "", /the server is saturated/);
  assert.match(
    await noteOf({ ...unsent, stalls: [{ startNs: 1e9, endNs: 3e9 }] }) ?? "",
    /^2 of 3 arrivals were not sent before the end because the client stalled; /,
  );
  const blink = [{ startNs: 1e9, endNs: 1.2e9 }];
  assert.match(await noteOf({ ...unsent, stalls: blink }) ?? "", /the server is saturated/);
});

Deno.test("buildProfileReport tells of records that are missing from a whole run", async () => {
  const notesOf = async (summary: Partial<RunSummary>) =>
    (await reportOf([recordWith({})], {}, summary)).notes.filter((note) => /no record/.test(note));
  assert.deepEqual(await notesOf({}), []);
  assert.deepEqual(await notesOf({ sent: 3 }), [
    "2 of 3 requests have no record and are excluded from all statistics: run/records.bin is damaged",
  ]);
  assert.deepEqual(await notesOf({ sent: 3, isComplete: false }), []);
  // One that was ended on purpose has a record, though it is neither a success nor a failure.
  const { notes } = await reportOf(
    [recordWith({}), recordWith({ index: 1, error: "cancelled_on_purpose" })],
    {},
    { sent: 2 },
  );
  assert.deepEqual(notes.filter((note) => /no record/.test(note)), []);
});

Deno.test("buildProfileReport compares no shard, nor what is incomplete, with servers of the whole run", async () => {
  const page = (count: number) =>
    `# TYPE vllm:request_success counter\nvllm:request_success_total ${count}\n`;
  const metrics = reportOfPages(
    [[0, page(0)], [9, page(3)]],
    { start: 1, end: 9 },
  );
  const comparisons = async (options: ProfileOptions, summary: Partial<RunSummary> = {}) => {
    const records = [recordWith({ startNs: 2e9 })];
    const report = await reportOf(records, options, summary, undefined, metrics);
    const notes = report.notes.filter((note) => note.includes("are of the load of all: merge"));
    return [report.reconciliation.length > 0, notes.length > 0];
  };
  assert.deepEqual(await comparisons({}), [true, false]);
  assert.deepEqual(await comparisons({ shard: "0/1" }), [true, false], "the only shard is the run");
  const shard = { shard: "0/3", concurrency: 3, requestCount: 3 };
  assert.deepEqual(await comparisons(shard), [false, true]);
  assert.deepEqual(await comparisons({ tag: ["incomplete=shard 1 of 3 is missing"] }), [
    false,
    false,
  ]);
});

Deno.test("buildProfileReport advises no more workers for one stream, and gives slices reasons of their own", async () => {
  const records = Array.from(
    { length: 8 },
    (_, index) => recordWith({ startNs: (1 + index) * 1e9 }),
  );
  // In the first four seconds they lay unread for 20 ms, then for none.
  const canaries = Float64Array.from({ length: 80 }, (_, at) => at).values().flatMap((at) => {
    const writtenNs = 1e9 + at * 1e8;
    return [CANARY_KIND.poisson, writtenNs, writtenNs, writtenNs + (at < 40 ? 20e6 : 1e3)];
  });
  const rows = Float64Array.from(canaries);
  const options = { sliceDuration: 4 } as const;
  const report = await reportOf(records, options, {}, "", undefined, rows);
  const late = /^Read delay: chunks waited up to 20 ms .*; use an idle machine, /;
  assert.match(report.measurementError?.reasons.join() ?? "", late);
  const [first, second] = report.slices.map(({ measurementError }) => measurementError);
  assert.match(first?.reasons.join() ?? "", late);
  assert.doesNotMatch(second?.reasons.join() ?? "", /unread/);
});

Deno.test("buildProfileReport bounds the rates of the last slice by its run's last response", async () => {
  // One request each 100 ms; the thread stood still when the last one's reply came.
  const records = Array.from({ length: 20 }, (_, index) => {
    const startNs = 1e9 + (index === 19 ? 2.05e9 : index * 1e8);
    const endNs = index === 19 ? 4.4e9 : startNs + 5e7;
    return recordWith({ startNs, endNs, chunkNs: Float64Array.of(startNs + 1e7, endNs) });
  });
  const idle = Array.from({ length: 200 }, (_, index) => {
    const atNs = 1e9 + index * 1e7;
    return [CANARY_KIND.poisson, atNs, atNs, atNs + 1e5];
  });
  const stood = [
    [CANARY_KIND.stall, 3.06e9, NaN, 4.4e9],
    [CANARY_KIND.poisson, 3.1e9, 4.4e9, 4.401e9],
  ];
  const canaries = Float64Array.from([...idle, ...stood].flat());
  const report = await reportOf(
    records,
    { sliceDuration: 2 },
    {},
    undefined,
    undefined,
    canaries,
  );
  const ratioOf = (part: Pick<ProfileReport, "results" | "measurementError">) => {
    const error = part.measurementError?.metrics.get("request_throughput")?.avg;
    return (error?.upper as number) / value(part, "request_throughput");
  };
  assert.ok(ratioOf(report) > 1.5, `${ratioOf(report)}`);
  assert.deepEqual(report.slices.map(({ isComplete }) => isComplete), [true, false]);
  const [first, last] = report.slices.map(ratioOf);
  assert.equal(first, 1, "its time is given");
  assert.ok((last as number) > 4, `${last}`);
});

Deno.test("buildProfileReport has a note about a mock server that sends all tokens at once", async () => {
  const atOnce = recordWith({ chunkNs: Float64Array.of(1.08e9, 1.08e9, 1.08e9) });
  const notesOf = async (record: RequestRecord, owner: string): Promise<string[]> => {
    const servers = [{ url: "http://a", facts: [["owned_by", owner] as const], asked: [] }];
    const { notes } = await reportOf([record], {}, {}, "", undefined, undefined, servers);
    return notes.filter((note) => note.includes("--itl"));
  };
  assert.equal((await notesOf(atOnce, "inferometer mock")).length, 1);
  assert.deepEqual(await notesOf(recordWith(), "inferometer mock"), []);
  assert.deepEqual(await notesOf(atOnce, "vllm"), []);
});

Deno.test("buildProfileReport calls no concurrency missed where no request succeeded", async () => {
  const options = { concurrency: 8, requestCount: 2 };
  const notesOf = async (records: readonly RequestRecord[]): Promise<string[]> =>
    (await reportOf(records, options)).notes.filter((note) => note.includes("in flight"));
  assert.deepEqual(await notesOf([recordWith({ error: "connect" })]), []);
  assert.equal((await notesOf([recordWith()])).length, 1);
});
