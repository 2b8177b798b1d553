import assert from "node:assert/strict";
import { chat } from "../../src/endpoint/chat.ts";
import type { MetricTag } from "../../src/metrics/metric_tag.ts";
import type { RequestRecord } from "../../src/metrics/request_record.ts";
import type { ProfileOptions } from "../../src/options/profile_types.ts";
import { resolvePlan } from "../../src/plan/resolve_plan.ts";
import type { ProfileReport, TimeSlice } from "../../src/report/profile_report.ts";
import { slicesCsv } from "../../src/export/profile_csv.ts";
import { slicesJson } from "../../src/export/slices_json.ts";
import type { RunFacts, RunSummary } from "../../src/results/run_manifest.ts";
import { buildProfileReport } from "../../src/results/build_profile_report.ts";
import { RunRecords } from "../../src/results/run_records.ts";
import { recordWith } from "../support/records.ts";
import { BASE_EPOCH_NS, MACHINE } from "../support/reports.ts";

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
): Promise<ProfileReport> {
  const plan = await resolvePlan(
    { url: ["http://127.0.0.1:1"], model: "m", streaming: true, ...options },
    { cores: 2, cliCommand: "test", findModel: () => Promise.reject(new Error("not asked")) },
  );
  const run = new RunRecords(plan, chat, false);
  for (const record of records) {
    run.add({
      record,
      requestId: "id",
      finishReason: null,
      error: record.errorKind < 0 ? undefined : "It failed",
      rawReply: undefined,
    });
  }
  const facts: RunFacts = {
    plan,
    baseEpochNs: BASE_EPOCH_NS,
    tokenizer: "builtin",
    hasImages: false,
    machine: MACHINE,
    threads: [],
  };
  return buildProfileReport(run, facts, { ...SUMMARY, sent: records.length }, [], undefined);
}

function value(report: Pick<ProfileReport, "results">, tag: MetricTag): number {
  const result = report.results.get(tag);
  assert.ok(result !== undefined && "value" in result, tag);
  return Number(result.value);
}

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
  ]);
  assert.deepEqual(notes.map((note) => note.split(":")[0]), [
    "Token counts of 1 of 3 requests differ by more than 10 % from the server's",
    "1 of 3 outputs are not as long as asked for",
  ]);
  assert.deepEqual((await reportOf([recordWith()])).notes, []);
});
