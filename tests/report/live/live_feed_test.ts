import assert from "node:assert/strict";
import type { RunPlan } from "../../../src/config/plan/run_plan.ts";
import { LiveFeed, type LiveReading } from "../../../src/report/live/live_feed.ts";
import { liveModel } from "../../support/live_models.ts";
import { closedPhase } from "../../support/load_phases.ts";

const PLAN = {
  targets: [{ redactedUrl: "http://node1/" }],
  models: ["a", "b"],
  benchmarkId: "id",
} as unknown as RunPlan;
const PHASE = closedPhase(4, { requestCount: 100 });
const { load, results } = liveModel();

function reading(seconds: number, fields: Partial<LiveReading> = {}): LiveReading {
  const done = seconds * 2;
  return {
    phase: PHASE,
    stage: "",
    elapsedSeconds: seconds,
    load,
    sent: done + 4,
    ...{ arrived: 0, begun: done + 4, inProgress: 4, hasSessions: false },
    succeeded: done - 1,
    failed: 1,
    cancelled: 0,
    inFlight: 4,
    tokensPerChunk: 3,
    workers: [{ inFlight: 4, chunks: seconds * 10, isAlive: true }],
    results,
    cpuSeconds: seconds / 4,
    machine: { total: seconds * 200, stolen: seconds * 20 },
    warnings: [],
    ...fields,
  };
}

/** The model after readings four times a second. */
function modelAt(feed: LiveFeed, seconds: number, from = 0) {
  let model = feed.model(reading(from));
  for (let at = from + 0.25; at <= seconds; at += 0.25) model = feed.model(reading(at));
  return model;
}

Deno.test("LiveFeed tells rates of the last seconds, what is left, and what the client costs", () => {
  const model = modelAt(new LiveFeed(PLAN, 2), 20);
  assert.deepEqual([model.requestsPerSecond, model.tokensPerSecond], [2, 30]);
  assert.deepEqual([model.share, model.leftSeconds], [0.4, 30]);
  assert.deepEqual([model.cpuCores, model.cores, model.stolenShare], [0.25, 2, 0.1]);
  assert.deepEqual([model.outputTokens, model.contentChunks], [600, 200]);
  assert.equal(model.workers[0]?.chunksPerSecond, 10);
  assert.deepEqual([model.model, model.targets], ["a, b", ["http://node1/"]]);
});

Deno.test("LiveFeed counts sessions of several requests apart from their requests", () => {
  const phase = closedPhase(8, { requestCount: Infinity, sessionCount: 40 });
  const sessions = { ...{ arrived: 13, begun: 10, inProgress: 6, hasSessions: true }, inFlight: 9 };
  const model = new LiveFeed(PLAN, 2).model(reading(20, { phase, ...sessions }));
  assert.deepEqual(model.sessions, {
    ...{ inProgress: 6, begun: 10, planned: 40, isRateOfSessions: false },
  });
  assert.deepEqual([model.inFlight, model.sent, model.queued, model.share], [9, 44, 3, 0.25]);
  assert.equal(new LiveFeed(PLAN, 2).model(reading(20)).sessions, undefined);
});

Deno.test("LiveFeed forgets what is older than its rates: they follow the load", () => {
  const feed = new LiveFeed(PLAN, 2);
  modelAt(feed, 20);
  const stalled = (at: number) => feed.model(reading(at, { succeeded: 39, failed: 1 }));
  for (let at = 20.25; at < 25; at += 0.25) assert.ok(stalled(at).requestsPerSecond > 0);
  assert.equal(stalled(25.25).requestsPerSecond, 0);
  assert.ok(Number.isNaN(stalled(26).leftSeconds), "at this pace it never ends");
});

Deno.test("LiveFeed remembers a value a second, five minutes long", () => {
  const feed = new LiveFeed(PLAN, 2);
  const { history } = modelAt(feed, 10);
  assert.deepEqual(history.requestsPerSecond, new Array(10).fill(2));
  assert.deepEqual(history.ttftP99Ms, new Array(10).fill(98));
  assert.deepEqual(history.running, new Array(10).fill(14.7));
  assert.equal(modelAt(new LiveFeed(PLAN, 2), 400).history.inFlight.length, 300);
});

Deno.test("LiveFeed begins anew with each phase, and waits for its figures", () => {
  const feed = new LiveFeed(PLAN, 2);
  modelAt(feed, 10);
  const phase = { ...PHASE, kind: "warmup" } as const;
  const model = feed.model(reading(0, { phase }));
  assert.equal(model.history.inFlight.length, 0);
  assert.equal(model.requestsPerSecond, 0);
  assert.deepEqual([model.results.valid, model.results.phase], [0, "warmup"]);
});

Deno.test("LiveFeed keeps its curves while the results are written", () => {
  const feed = new LiveFeed(PLAN, 2);
  modelAt(feed, 10);
  const model = feed.model(reading(15, { stage: "writing 12 files" }));
  assert.equal(model.history.inFlight.length, 10);
  assert.ok(Number.isNaN(model.leftSeconds));
});
