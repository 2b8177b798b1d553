import assert from "node:assert/strict";
import type { ProfileOptions } from "../../../src/config/options/profile/profile_types.ts";
import { resolvePlan } from "../../../src/config/plan/resolve/resolve_plan.ts";
import type { RunPlan } from "../../../src/config/plan/run_plan.ts";
import type { EndReason } from "../../../src/core/run_end/end_reason.ts";
import { summarize } from "../../../src/core/statistics/summarize.ts";
import {
  manifestText,
  planHash,
  readManifest,
  RUN_FORMAT,
  type RunManifest,
  RunManifestError,
  type RunSummary,
} from "../../../src/results/collect/run_manifest.ts";
import { BASE_EPOCH_NS, MACHINE } from "../../support/reports.ts";

async function planOf(options: ProfileOptions = {}): Promise<RunPlan> {
  return await resolvePlan(
    { url: ["http://127.0.0.1:1"], model: "m", randomSeed: 1, ...options },
    { cores: 2, cliCommand: "test", findModel: () => Promise.reject(new Error("not asked")) },
  );
}

async function manifestOf(options?: ProfileOptions): Promise<RunManifest> {
  return {
    format: RUN_FORMAT,
    version: 1,
    product: "inferometer/0.1.0",
    planHash: "aa",
    facts: {
      plan: await planOf(options),
      baseEpochNs: BASE_EPOCH_NS,
      tokenizer: "builtin",
      hasImages: false,
      machine: MACHINE,
      threads: [],
    },
    phases: [{ kind: "profiling", startNs: 1, endNs: 2 }],
    summary: {
      wasCancelled: false,
      isComplete: true,
      startNs: 1,
      endNs: 2,
      sent: 3,
      unsentArrivals: 0,
      loopLagMs: [summarize(new Float64Array(0)), summarize(Float64Array.of(1, 2))],
      cpuCores: NaN,
      notes: ["a"],
      endedEarly: "nobody was there",
      stalls: [{ startNs: 1, endNs: 2 }],
    },
  };
}

Deno.test("readManifest reads what manifestText wrote, numbers that JSON has not included", async () => {
  const manifest = await manifestOf({ requestRate: 3, benchmarkDuration: 2 });
  const read = readManifest(manifestText(manifest));
  // What is undefined is not written; everything else is as it was.
  assert.equal(manifestText(read), manifestText(manifest));
  assert.equal(read.facts.baseEpochNs, BASE_EPOCH_NS);
  assert.equal(read.facts.plan.phases[0]?.requestCount, Infinity);
  assert.equal(read.summary?.cpuCores, NaN);
});

Deno.test("run.json has the code of an early end under the name that other files have", async () => {
  const manifest = await manifestOf({ requestRate: 3, benchmarkDuration: 2 });
  const withReason = (endReason: EndReason | undefined) =>
    manifestText({ ...manifest, summary: manifest.summary && { ...manifest.summary, endReason } });
  const storedIn = (text: string) => JSON.parse(text).summary["ended_early_reason"];
  assert.equal(storedIn(withReason("unreachable")), "unreachable");
  assert.equal(storedIn(withReason(undefined)), null);
  assert.equal(readManifest(withReason("unreachable")).summary?.endReason, "unreachable");
  assert.equal(readManifest(withReason(undefined)).summary?.endReason, undefined);
});

Deno.test("readManifest derives the code of a run.json of version 0.1.0, which has none", async () => {
  const manifest = await manifestOf({ requestRate: 3, benchmarkDuration: 2 });
  const old = (changed: Partial<RunSummary>) => {
    const json = JSON.parse(
      manifestText({ ...manifest, summary: { ...manifest.summary as RunSummary, ...changed } }),
    );
    delete json.summary["ended_early_reason"];
    return readManifest(JSON.stringify(json)).summary?.endReason;
  };
  const refused = "the first 10 requests were all refused, the last one with HTTP 404: it began " +
    "too late (check --url, --endpoint-type and --model)";
  assert.equal(old({ endedEarly: refused }), "all_refused");
  assert.equal(old({ endedEarly: undefined }), undefined);
  assert.equal(old({ endedEarly: undefined, wasCancelled: true }), "interrupted");
  assert.equal(old({ endedEarly: "nobody was there" }), "unknown");
});

Deno.test("manifestText leaves out what lets requests in", async () => {
  const text = manifestText(
    await manifestOf({
      url: ["http://user:sesame-1@127.0.0.1:1/x?token=sesame-2"],
      apiKey: "sesame-3",
      header: ["X-Api-Key: sesame-4"],
    }),
  );
  for (const secret of ["sesame-1", "sesame-2", "sesame-3", "sesame-4"]) {
    assert.ok(!text.includes(secret), secret);
  }
});

Deno.test("planHash changes with what is sent and how it is judged, and with nothing else", async () => {
  const hash = async (options?: ProfileOptions) => await planHash(await planOf(options));
  const base = await hash();
  const same: ProfileOptions[] = [
    { artifactDir: "/tmp/other" },
    { overwrite: true },
    { workers: 7 },
    { apiKey: "sesame-1" },
    { noServerMetrics: true },
  ];
  for (const options of same) assert.equal(await hash(options), base, JSON.stringify(options));
  const others: ProfileOptions[] = [
    { concurrency: 2 },
    { randomSeed: 2 },
    { isl: 3 },
    { model: "n" },
    { url: ["http://127.0.0.1:2"] },
    { extraInputs: ["a:1"] },
    { goodput: "request_latency:3" },
  ];
  const hashes = await Promise.all(others.map(hash));
  assert.equal(new Set([base, ...hashes]).size, others.length + 1);
});

Deno.test("readManifest refuses what is no manifest of this version", () => {
  const refused = (text: string, reason: RegExp) =>
    assert.throws(
      () => readManifest(text),
      (error) => error instanceof RunManifestError && reason.test(error.message),
    );
  refused("{", /Not valid JSON/);
  refused("null", /Not a file of format/);
  refused(JSON.stringify({ format: "other", version: 1 }), /Not a file of format/);
  refused(JSON.stringify({ format: RUN_FORMAT, version: 2 }), /newer/);
  refused(JSON.stringify({ format: RUN_FORMAT, version: 1, facts: {} }), /not complete/);
});
