import assert from "node:assert/strict";
import type { LocalDelays } from "../../src/own_error/local_delays.ts";
import { perUserErrors } from "../../src/own_error/per_user_errors.ts";
import { TimedDelays } from "../../src/own_error/timed_delays.ts";
import { summarize } from "../../src/statistics/summarize.ts";

const REQUESTS = 20;
const GAPS = 10;
const ITL_MS = 5;

/** Delays of which nothing is known but the mean, and what standstills did. */
function delays(more: Partial<LocalDelays> = {}): LocalDelays {
  // As many canaries as are enough, read at once.
  const none = new Float64Array(60);
  const timed = new TimedDelays([{ readNs: none, delayNs: none, weight: none }]);
  return {
    ...{ delaysNs: Float64Array.of(0, 1e6), timed, timedOfAll: timed },
    ...{ exceeding: Float64Array.of(0, 0), exceedingAtMost: Float64Array.of(0, 0) },
    ...{ meanNs: 0, meanAtLeastNs: 0, meanAtMostNs: 0, oneMoreNs: 0, longestNs: 1e6 },
    ...{ kind: "last" as const, unwatched: 0, factor: 1, together: 1, stood: 0, stoodMeanNs: 0 },
    ...{ atMostMs: undefined, stoodMs: undefined, busyMs: undefined, areFew: false, wakeMs: 0 },
    areOfFirstWave: false,
    ...more,
  };
}

/** Bounds of the average of requests that are alike, but for one whose time between tokens is told. */
function averageOf(oddItlMs: number, later: LocalDelays, earlier: LocalDelays, isPart = false) {
  const itlMs = new Float64Array(REQUESTS).fill(ITL_MS);
  itlMs[3] = oddItlMs;
  const summary = summarize(itlMs.map((itl) => 1000 / itl));
  const { avg } = perUserErrors({
    ...{ summary, itlMs, later, earlier },
    divisors: new Float64Array(REQUESTS).fill(GAPS),
    isPart,
  });
  assert.ok(avg);
  return { ...avg, measured: summary.avg };
}

/** A standstill that made the odd one late. */
function stood(ms: number): Partial<LocalDelays> {
  const stoodMs = new Float64Array(REQUESTS);
  stoodMs[3] = ms;
  const stoodMeanNs = ms / REQUESTS * 1e6;
  return { stood: 1, stoodMs, stoodMeanNs, meanAtMostNs: stoodMeanNs };
}

Deno.test("a first chunk that its thread's standstill made late may have made its rate any greater", () => {
  // 40 of 50 ms were gone when the first chunk was read.
  const { lower, measured, upper } = averageOf(1, delays(), delays(stood(40)));
  const truth = 1000 / ITL_MS;
  assert.ok(lower <= truth, `${lower} of ${measured}`);
  assert.ok(lower > truth - 1);
  assert.ok(upper < measured + 0.5);
});

Deno.test("a last chunk that its thread's standstill made late has made its rate less", () => {
  const { lower, measured, upper } = averageOf(ITL_MS + 10, delays(stood(100)), delays());
  const truth = 1000 / ITL_MS;
  assert.ok(upper > truth - 1e-9, `${upper} of ${measured}`);
  assert.ok(upper < truth + 1);
  assert.ok(lower > measured - 0.5);
});

Deno.test("a rate has no upper bound where the last chunk may have come with the first", () => {
  const { upper } = averageOf(ITL_MS, delays(stood(50)), delays());
  assert.equal(upper, Number.MAX_VALUE);
});

Deno.test("delays of last chunks make up for no more than they are for certain", () => {
  const late = (least: number, most: number) =>
    delays({ meanNs: most * 1e6, meanAtLeastNs: least * 1e6, meanAtMostNs: most * 1e6 });
  const { lower: apart } = averageOf(ITL_MS, late(0, 1), late(0, 1));
  const { lower: near } = averageOf(ITL_MS, late(0.9, 1), late(0, 1));
  // 1 ms of 10 gaps of 5 ms.
  assert.ok(Math.abs(200 - apart - 200 * 0.02) < 1e-6, `${apart}`);
  assert.ok(Math.abs(200 - near - 200 * 0.002) < 1e-6, `${near}`);
});

Deno.test("the average of a part of a run goes as far as turns allow for, however prompt canaries were", () => {
  const late = (ms: number, factor = 1) =>
    delays({ atMostMs: new Float64Array(REQUESTS).fill(ms), factor });
  const ofRun = averageOf(ITL_MS, late(10), late(5));
  assert.ok(ofRun.upper - ofRun.measured < 1e-6 && ofRun.measured - ofRun.lower < 1e-6);
  const ofPart = averageOf(ITL_MS, late(10), late(5), true);
  // 1 ms of each 5 ms between tokens may be the client's, or 0.5 ms of them missing.
  assert.ok(Math.abs(ofPart.upper - 1000 / 4) < 1e-6, `${ofPart.upper}`);
  assert.ok(Math.abs(ofPart.lower - 1000 / 5.5) < 1e-6, `${ofPart.lower}`);
  const crowded = averageOf(ITL_MS, late(10, 3), late(5), true);
  assert.ok(Math.abs(crowded.upper - (200 + 3 * 50)) < 1e-6, `${crowded.upper}`);
  const endless = averageOf(ITL_MS, late(Infinity), late(5), true);
  assert.ok(endless.upper - endless.measured < 1e-6, "what turns do not tell is left to canaries");
});

Deno.test("the average of few has no upper bound where its last chunks may have come with the first, and turns tell nothing", () => {
  const itlMs = Float64Array.of(ITL_MS, ITL_MS);
  const late = delays({ stood: 2, stoodMs: Float64Array.of(80, 80), meanAtMostNs: 80e6 });
  const { avg } = perUserErrors({
    ...{ summary: summarize(itlMs.map((itl) => 1000 / itl)), itlMs, isPart: false },
    ...{ later: late, earlier: delays(), divisors: Float64Array.of(GAPS, GAPS) },
  });
  assert.equal(avg?.upper, Number.MAX_VALUE);
});

Deno.test("percentiles of rates lie between those with replies that were read at once and without them", () => {
  const itlMs = Float64Array.from({ length: 100 }, (_, at) => at < 5 ? 0 : 4 + at / 50);
  const known = itlMs.filter((itl) => itl > 0);
  const summary = summarize(known.map((itl) => 1000 / itl));
  const errors = perUserErrors({
    ...{ summary, itlMs, divisors: new Float64Array(100).fill(GAPS), isPart: false },
    ...{ later: delays(), earlier: delays() },
  });
  const withFaster = (rate: number) =>
    summarize(
      Float64Array.of(...known.map((itl) => 1000 / itl), ...new Float64Array(5).fill(rate)),
    );
  for (const name of ["p50", "p90"] as const) {
    const { lower = NaN, upper = NaN } = errors[name] ?? {};
    const highest = withFaster(1e9)[name];
    assert.ok(lower <= summary[name] && upper >= highest, `${name}: ${lower} to ${upper}`);
    assert.ok(upper < 1.01 * highest, `${name}: ${upper} of ${highest}`);
  }
  assert.equal(errors.p99?.upper, Number.MAX_VALUE, "the 99th may be any of those");
  assert.equal(errors.avg?.upper, Number.MAX_VALUE);
});

Deno.test("a percentile between a rate and one many times as high goes down to where the true ones lie", () => {
  // Its first chunk lay unread for nearly all of the time.
  const itlMs = new Float64Array(REQUESTS).fill(ITL_MS);
  itlMs[3] = 0.01;
  const late = delays({
    exceeding: Float64Array.of(1, 0),
    delaysNs: Float64Array.of(0, 50e6),
    atMostMs: itlMs.map((itl) => itl < 1 ? 50 : 0),
  });
  const errors = perUserErrors({
    ...{ summary: summarize(itlMs.map((itl) => 1000 / itl)), itlMs, isPart: false },
    ...{ later: delays(), earlier: late, divisors: new Float64Array(REQUESTS).fill(GAPS) },
  });
  const { lower = NaN } = errors.p99 ?? {};
  assert.ok(lower <= 1000 / ITL_MS, `${lower}`);
});

Deno.test("an average rate is no surer than what chunks may have waited for while their thread was busy", () => {
  const busy: Partial<LocalDelays> = { busyMs: new Float64Array(REQUESTS).fill(5) };
  const late = averageOf(ITL_MS, delays(busy), delays());
  // 5 of 50 ms that the last chunk waited: 222 tokens a second instead of 200.
  assert.ok(Math.abs(late.upper - 1000 / 4.5) < 0.01, `${late.upper}`);
  const early = averageOf(ITL_MS, delays(), delays(busy));
  assert.ok(Math.abs(early.lower - 1000 / 5.5) < 0.01, `${early.lower}`);
});

Deno.test("an average rate has room for threads that wake late", () => {
  const wake: Partial<LocalDelays> = { wakeMs: 5 };
  // 5 of 50 ms, as if they came on top of canaries' delays.
  const late = averageOf(ITL_MS, delays(wake), delays());
  assert.ok(Math.abs(late.upper - 1000 / 4.5) < 0.01, `${late.upper}`);
  const early = averageOf(ITL_MS, delays(), delays(wake));
  assert.ok(Math.abs(early.lower - 180) < 0.01, `${early.lower}`);
});

Deno.test("an average rate of first requests is twice as unsure", () => {
  const late = (areOfFirstWave: boolean) =>
    averageOf(ITL_MS, delays({ wakeMs: 1, areOfFirstWave }), delays({ wakeMs: 1 }));
  const [usual, first] = [late(false), late(true)];
  assert.ok(usual.measured - usual.lower > 1);
  assert.ok(Math.abs(first.measured - first.lower - 2 * (usual.measured - usual.lower)) < 1e-6);
  assert.ok(Math.abs(first.upper - first.measured - 2 * (usual.upper - usual.measured)) < 1e-6);
});
