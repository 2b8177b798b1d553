import assert from "node:assert/strict";
import { CANARY_KIND } from "../../../src/measurement/canary/canary_kind.ts";
import { CanaryLog } from "../../../src/measurement/canary/canary_log.ts";
import { distributionOf } from "../../../src/measurement/metrics/metric_results.ts";
import { computeResults } from "../../../src/measurement/metrics/compute_results.ts";
import type { MetricTag } from "../../../src/measurement/metrics/metric_tag.ts";
import type { RecordTable } from "../../../src/measurement/metrics/record_table.ts";
import type { RequestRecord } from "../../../src/measurement/metrics/request_record.ts";
import { delaysByKind } from "../../../src/measurement/own_error/delays_by_kind.ts";
import { measureError } from "../../../src/measurement/own_error/measure_error.ts";
import type { BoundedStatistic } from "../../../src/measurement/own_error/bounded_statistics.ts";
import { type RandomStream, randomStream } from "../../../src/core/statistics/random_stream.ts";
import { summarize } from "../../../src/core/statistics/summarize.ts";
import { recordTable } from "../../support/record_tables.ts";
import { recordWith } from "../../support/records.ts";

const MS = 1e6;
const REQUESTS = 400;
const TOKENS = 21;
const STATISTICS = ["avg", "p50", "p90", "p95", "p99"] as const;

/** A run whose delays are known: requests that start 10 ms apart on one load worker. */
interface SimulatedRun {
  readonly table: RecordTable;
  readonly canaries: CanaryLog;
  /** True values by tag. */
  readonly truth: ReadonlyMap<MetricTag, Float64Array>;
}

/**
 * Simulates a run.
 * @param delayMs how long what is written at a time lies unread; all of one time alike
 * @param waitMs the most that a chunk of some delay can have lain unread, as the load worker says
 * @param apartMs time between the starts of requests
 * @param fields of every record
 */
function simulate(
  random: RandomStream,
  delayMs: (atMs: number) => number,
  waitMs: (delayMs: number) => number = () => NaN,
  apartMs = 10,
  fields: Partial<RequestRecord> = {},
): SimulatedRun {
  const table = recordTable();
  const canaries = new CanaryLog();
  const values = new Float64Array(table.metrics.length);
  const truth = {
    ttft: new Float64Array(REQUESTS),
    latency: new Float64Array(REQUESTS),
    itl: new Float64Array(REQUESTS),
  };
  for (let i = 0; i < REQUESTS; i++) {
    const startMs = 100 + i * apartMs;
    const ttftMs = 40 + 20 * random();
    const latencyMs = ttftMs + (TOKENS - 1) * (4 + 2 * random());
    const firstMs = startMs + ttftMs;
    const lastMs = startMs + latencyMs;
    truth.ttft[i] = ttftMs;
    truth.latency[i] = latencyMs;
    truth.itl[i] = (latencyMs - ttftMs) / (TOKENS - 1);
    const stamps = [firstMs, (firstMs + lastMs) / 2, lastMs]
      .map((at) => Math.round((at + delayMs(at)) * MS));
    const chunkNs = Float64Array.from(stamps).sort();
    table.add(
      recordWith({
        startNs: startMs * MS,
        chunkNs,
        endNs: chunkNs.at(-1) as number,
        worker: 0,
        outputTokens: TOKENS,
        firstOutputChunk: 1,
        firstWaitNs: waitMs(delayMs(firstMs)) * MS,
        lastWaitNs: waitMs(delayMs(lastMs)) * MS,
        ...fields,
      }),
      values,
    );
    // Every third request has its shadows.
    if (i % 3 !== 0) continue;
    for (const [kind, at] of [["first", firstMs], ["last", lastMs]] as const) {
      const writtenMs = at + random();
      canaries.add(0, row(CANARY_KIND[kind], writtenMs, delayMs(writtenMs)));
    }
  }
  for (let atMs = 100; atMs < 4200; atMs += 100 * random()) {
    canaries.add(0, row(CANARY_KIND.poisson, atMs, delayMs(atMs)));
  }
  return {
    table,
    canaries,
    truth: new Map<MetricTag, Float64Array>([
      ["time_to_first_token", truth.ttft],
      ["request_latency", truth.latency],
      ["inter_token_latency", truth.itl],
      ["output_token_throughput_per_user", truth.itl.map((itl) => 1000 / itl)],
    ]),
  };
}

function row(kind: number, writtenMs: number, delayMs: number): Float64Array {
  return Float64Array.of(kind, writtenMs * MS, writtenMs * MS, (writtenMs + delayMs) * MS);
}

/** Delays of an idle machine: a tenth of a millisecond, now and then more. */
function idle(random: RandomStream): (atMs: number) => number {
  return () => 0.1 - 0.1 * Math.log(1 - random());
}

/** Delays of a machine that is taken away for some tenths of a second every second. */
function busy(random: RandomStream): (atMs: number) => number {
  const stops = Array.from({ length: 10 }, () => 200 * random());
  return (atMs) => {
    const intoSecondMs = atMs % 1000;
    const stopMs = stops[Math.floor(atMs / 1000)] ?? 0;
    return (intoSecondMs < stopMs ? stopMs - intoSecondMs : 0) + 0.2 - Math.log(1 - random());
  };
}

function errorOf({ table, canaries }: SimulatedRun) {
  const results = computeResults(table, 0n);
  return { results, error: measureError({ table, delays: delaysByKind(canaries), results }) };
}

for (const [name, delays] of [["idle", idle], ["busy", busy]] as const) {
  Deno.test(`measureError holds the true statistics of 20 runs on a machine that is ${name}`, () => {
    let held = 0;
    let all = 0;
    for (let seed = 0; seed < 20; seed++) {
      const random = randomStream(seed, "run");
      const run = simulate(random, delays(random));
      const { error } = errorOf(run);
      for (const [tag, values] of run.truth) {
        const truth = summarize(values);
        for (const statistic of STATISTICS) {
          const bounds = error?.metrics.get(tag)?.[statistic];
          assert.ok(bounds, `${tag} ${statistic}`);
          assert.ok(Number.isFinite(bounds.lower) && Number.isFinite(bounds.upper));
          all++;
          if (bounds.lower <= truth[statistic] && truth[statistic] <= bounds.upper) held++;
        }
      }
      const itl = summarize(run.truth.get("inter_token_latency") ?? assert.fail());
      const pooled = error?.metrics.get("interactivity")?.avg;
      assert.ok(pooled !== undefined && pooled.lower < pooled.upper);
      all++;
      if (pooled.lower <= 1000 / itl.avg && 1000 / itl.avg <= pooled.upper) held++;
    }
    assert.ok(held / all >= 0.95, `${held} of ${all}`);
  });
}

Deno.test("measureError calls an idle machine's run valid, and bounds its error closely", () => {
  const random = randomStream(1, "run");
  const { error, results } = errorOf(simulate(random, idle(random)));
  assert.equal(error?.verdict, "valid");
  const widthOf = (tag: MetricTag, statistic: BoundedStatistic): number => {
    const result = results.get(tag);
    const bounds = error?.metrics.get(tag)?.[statistic];
    assert.ok(result && "summary" in result && bounds);
    return Math.max(
      result.summary[statistic] - bounds.lower,
      bounds.upper - result.summary[statistic],
    );
  };
  // Twice, and four times, the mean of 0.2 ms (the latest of 15, some 0.5 ms), and 0.5 ms.
  assert.ok(widthOf("time_to_first_token", "avg") < 1);
  assert.ok(widthOf("time_to_first_token", "p50") < 2);
  assert.ok(widthOf("inter_token_latency", "avg") < 0.08);
  assert.ok(widthOf("inter_token_latency", "p50") < 0.2);
});

Deno.test("measureError includes what is not known of the tokens after first chunks", () => {
  const random = randomStream(3, "run");
  const open = { firstChunkTokens: NaN, lastChunkTokens: NaN, endedAtLimit: 0 };
  const { error, results } = errorOf(simulate(random, idle(random), () => NaN, 10, open));
  const itl = error?.metrics.get("inter_token_latency")?.p50;
  const pooled = error?.metrics.get("interactivity")?.avg;
  const measured = distributionOf(results, "inter_token_latency")?.p50 ?? NaN;
  assert.ok(itl !== undefined && pooled !== undefined);
  // The stop token is no token of a chunk, or all but two came with the first of three chunks.
  assert.ok(itl.lower < measured * (TOKENS - 2) / (TOKENS - 1));
  assert.ok(itl.upper > measured * (TOKENS - 2) / 2.5);
  assert.deepEqual([itl.verdict, pooled.verdict, error?.verdict], [
    "invalid",
    "invalid",
    "invalid",
  ]);
});

Deno.test("measureError calls no statistic valid that the client shifted by more than 5 %", () => {
  for (let seed = 100; seed < 115; seed++) {
    const random = randomStream(seed, "run");
    const run = simulate(random, busy(random));
    const { error, results } = errorOf(run);
    for (const [tag, values] of run.truth) {
      const truth = summarize(values);
      const result = results.get(tag);
      assert.ok(result && "summary" in result);
      for (const statistic of STATISTICS) {
        const share = Math.abs(result.summary[statistic] - truth[statistic]) / truth[statistic];
        if (share <= 0.05) continue;
        assert.notEqual(
          error?.metrics.get(tag)?.[statistic]?.verdict,
          "valid",
          `${tag} ${statistic}`,
        );
      }
    }
  }
});

Deno.test("measureError calls nothing but rates valid if threads lost a tenth of their time", () => {
  const verdictsOf = (lostMs: number) => {
    const random = randomStream(1, "run");
    const run = simulate(random, idle(random));
    // Of four seconds; the canaries say nothing of it.
    const rows = [CANARY_KIND.stall, 1000 * MS, NaN, (1000 + lostMs) * MS];
    run.canaries.add(0, Float64Array.from(rows));
    const { error } = errorOf(run);
    const verdicts = [...error?.metrics ?? []]
      .filter(([tag]) => !tag.endsWith("_throughput"))
      .flatMap(([, statistics]) => Object.values(statistics))
      .map(({ verdict }) => verdict);
    return {
      of: error?.verdict,
      times: verdicts.includes("valid"),
      rate: error?.metrics.get("request_throughput")?.avg?.verdict,
    };
  };
  assert.deepEqual(verdictsOf(300), { of: "valid", times: true, rate: "valid" });
  assert.deepEqual(verdictsOf(600), { of: "suspect", times: false, rate: "valid" });
});

/** How late the bound of the request rate takes the run's last response to be, in ms. */
function lastResponseLateMs({ table, canaries }: SimulatedRun): number {
  const results = computeResults(table, 0n);
  const rate = results.get("request_throughput");
  assert.ok(rate && "value" in rate);
  const error = measureError({ table, delays: delaysByKind(canaries), results });
  const upper = error?.metrics.get("request_throughput")?.avg?.upper as number;
  return (1 - Number(rate.value) / upper) * (lastEndMs(table) - 100);
}

function lastEndMs(table: RecordTable): number {
  return table.contentEndNs.values.reduce((last, end) => Math.max(last, end), 0) / MS;
}

Deno.test("measureError bounds rates by four times the canaries' delay near the last response", () => {
  const lateMs = (delayMs: number, beforeEndMs: number): number => {
    const run = simulate(randomStream(1, "run"), () => 0.1);
    const writtenMs = lastEndMs(run.table) - beforeEndMs - delayMs;
    run.canaries.add(0, row(CANARY_KIND.poisson, writtenMs, delayMs));
    return lastResponseLateMs(run);
  };
  // 0.5 ms for any chunk, and 2 ms for the last one of a run.
  for (const delayMs of [0.1, 20]) {
    assert.ok(Math.abs(lateMs(delayMs, 0) - 4 * delayMs - 2.5) < 0.01, `${lateMs(delayMs, 0)}`);
  }
  assert.ok(Math.abs(lateMs(20, 1000) - 2.9) < 0.01, "a canary of a second before");
  // It was not written before its request began.
  const longest = lateMs(500, 0);
  assert.ok(longest > 120 && longest < 200, `${longest}`);
});

Deno.test("measureError says nothing without canaries", () => {
  const random = randomStream(1, "run");
  const { table } = simulate(random, idle(random));
  const results = computeResults(table, 0n);
  assert.equal(measureError({ table, delays: delaysByKind(new CanaryLog()), results }), undefined);
});

Deno.test("measureError knows nothing of chunks after the last canary", () => {
  const random = randomStream(1, "run");
  const { canaries, table } = simulate(random, idle(random), (delayMs) => delayMs + 0.2);
  const results = computeResults(table, 0n);
  const upTo = (endMs: number) => {
    const log = new CanaryLog();
    const columns = [0, 1, 2, 3].map((field) => canaries.column(field as 0 | 1 | 2 | 3));
    for (let at = 0; at < canaries.length; at++) {
      const row = Float64Array.from(columns, (column) => column[at] as number);
      if ((row[3] as number) < endMs * MS) log.add(0, row);
    }
    const error = measureError({ table, delays: delaysByKind(log), results });
    assert.ok(error !== undefined);
    return error;
  };
  const whole = upTo(Infinity);
  assert.equal(whole.verdict, "valid");
  // Of four seconds, the last one is more than three after it.
  const early = upTo(200);
  assert.equal(early.verdict, "suspect", "by its medians and throughputs");
  const verdictOf = (tag: MetricTag, statistic: BoundedStatistic) =>
    early.metrics.get(tag)?.[statistic]?.verdict;
  assert.equal(verdictOf("time_to_first_token", "avg"), "invalid");
  // Nothing is known of a quarter of the chunks, which lowers each percentile as if all were late.
  const lowerOf = (tag: MetricTag, statistic: BoundedStatistic) =>
    early.metrics.get(tag)?.[statistic]?.lower ?? NaN;
  assert.ok(lowerOf("time_to_first_token", "p99") < lowerOf("time_to_first_token", "p50") + 20);
  assert.notEqual(verdictOf("request_latency", "avg"), "valid");
  assert.equal(verdictOf("inter_token_latency", "avg"), "invalid");
  // The last response was not written before its request began: 140 to 180 of 4,100 ms before.
  const { lower = 0, upper = 0 } = early.metrics.get("request_throughput")?.avg ?? {};
  assert.ok(upper / lower > 1.03 && upper / lower < 1.05, `${upper / lower}`);
  // Three in four chunks are known, wherever in the order the others stand.
  assert.notEqual(verdictOf("time_to_first_token", "p50"), "invalid");
});

Deno.test("measureError does not take a thread that reads no canary for one of the others", () => {
  const random = randomStream(1, "run");
  const { canaries, table } = simulate(random, idle(random));
  const results = computeResults(table, 0n);
  const verdictOf = (worker: number, endMs: number) => {
    const log = new CanaryLog();
    const columns = [0, 1, 2, 3].map((field) => canaries.column(field as 0 | 1 | 2 | 3));
    for (let at = 0; at < canaries.length; at++) {
      const row = Float64Array.from(columns, (column) => column[at] as number);
      if ((row[3] as number) < endMs * MS) log.add(worker, row);
    }
    return measureError({ table, delays: delaysByKind(log), results })?.verdict;
  };
  assert.equal(verdictOf(0, Infinity), "valid");
  assert.equal(verdictOf(1, Infinity), "invalid", "all requests were on another thread");
  // It may not have come to its first one yet.
  assert.notEqual(verdictOf(1, 2500), "invalid");
});

/** Delays that are the same at a time whenever it is asked for: seldom long ones. */
function seldomLate(atMs: number): number {
  const part = Math.abs(Math.sin(atMs * 12.9898) * 43758.5453) % 1;
  return part > 0.99 ? 4 : 0.1 + part / 10;
}

/** What a run's p99 of the TTFT may be lower, and by how much it was measured too high. */
function p99Of(run: SimulatedRun): { readonly bound: number; readonly error: number } {
  const { error, results } = errorOf(run);
  const reported = results.get("time_to_first_token");
  const bounds = error?.metrics.get("time_to_first_token")?.p99;
  assert.ok(reported && "summary" in reported && bounds);
  const truth = summarize(run.truth.get("time_to_first_token") as Float64Array);
  const { p99 } = reported.summary;
  return { bound: p99 - bounds.lower, error: p99 - truth.p99 };
}

Deno.test("measureError bounds a percentile by what its own chunks can have waited", () => {
  const waitMs = (delayMs: number): number => delayMs + 0.2;
  const without = p99Of(simulate(randomStream(1, "run"), seldomLate));
  const withWaits = p99Of(simulate(randomStream(1, "run"), seldomLate, waitMs));
  assert.ok(withWaits.bound < without.bound / 2, `${withWaits.bound} of ${without.bound}`);
  assert.ok(withWaits.bound >= withWaits.error);
});

Deno.test("measureError takes no chunk to have been there before its request began", () => {
  const seldomLong = (atMs: number): number => seldomLate(atMs) > 1 ? 60 : 0.1;
  /** By how much the mean TTFT may be too high if nothing is known of so many chunks. */
  const boundOf = (unknown: number): number => {
    let chunks = 0;
    const waitMs = (delayMs: number): number => chunks++ < unknown ? NaN : delayMs + 0.05;
    const { error, results } = errorOf(simulate(randomStream(1, "run"), seldomLong, waitMs));
    const reported = results.get("time_to_first_token");
    const bounds = error?.metrics.get("time_to_first_token")?.avg;
    assert.ok(reported && "summary" in reported && bounds);
    return reported.summary.avg - bounds.lower;
  };
  const [all, allButOne, none] = [boundOf(0), boundOf(1), boundOf(Infinity)];
  assert.ok(allButOne > all && allButOne <= all + 61 / REQUESTS, `${allButOne} after ${all}`);
  assert.ok(none > 1.5 * allButOne, `${none} after ${allButOne}`);
});

Deno.test("measureError does not trust what canaries contradict", () => {
  const contradicted = (share: number, layMs = 5): number => {
    const run = simulate(randomStream(1, "run"), seldomLate, () => 0.01);
    const times = Math.ceil(run.canaries.length * share);
    for (let i = 0; i < times; i++) {
      const atNs = (4200 * (i + 0.5)) / times * MS;
      const writtenNs = atNs - layMs * MS;
      run.canaries.add(0, Float64Array.of(CANARY_KIND.contradiction, writtenNs, atNs, atNs));
    }
    return p99Of(run).bound;
  };
  const believed = contradicted(0);
  assert.ok(believed < 0.1, `${believed}`);
  assert.ok(contradicted(0.005) > believed, "not near a canary that says otherwise");
  assert.equal(contradicted(0.005, 0), believed, "it had not lain unread");
  const without = p99Of(simulate(randomStream(1, "run"), seldomLate)).bound;
  assert.equal(contradicted(0.05), without);
});

Deno.test("measureError trusts no chunk's own waiting time where its thread had just stood still", () => {
  /** Whatever was written within 200 ms is read after them. */
  const stopped = (atMs: number): number =>
    seldomLate(atMs) + (atMs >= 1000 && atMs < 1200 ? 1200 - atMs : 0);
  const run = simulate(randomStream(1, "run"), stopped, () => 3);
  run.canaries.add(0, Float64Array.of(CANARY_KIND.stall, 1000 * MS, NaN, 1200 * MS));
  const { error } = errorOf(run);
  for (const [tag, values] of run.truth) {
    const truth = summarize(values);
    for (const statistic of ["avg", "p90", "p95", "p99"] as const) {
      const bounds = error?.metrics.get(tag)?.[statistic];
      assert.ok(bounds !== undefined && bounds.lower <= truth[statistic], `${tag} ${statistic}`);
      assert.ok(truth[statistic] <= bounds.upper, `${tag} ${statistic}`);
    }
  }
});

Deno.test("measureError knows of times that end with untold chunks what is certain alone", () => {
  const random = randomStream(1, "run");
  const { canaries, table } = simulate(random, idle(random));
  const results = computeResults(table, 0n);
  const errorWith = (areCanariesOther: boolean, itlMs: number) => {
    const delays = delaysByKind(canaries, { isByFetch: true, areCanariesOther, itlMs });
    return measureError({ table, delays, results });
  };
  const verdicts = (...facts: Parameters<typeof errorWith>) => {
    const error = errorWith(...facts);
    const of = (tag: MetricTag) => error?.metrics.get(tag)?.p50?.verdict;
    // The answer begins with the second chunk.
    const later = ["time_to_first_output_token", "request_latency", "inter_token_latency"] as const;
    return [error?.verdict, of("time_to_first_token"), ...later.map(of)];
  };
  const all = (verdict: string) => new Array(3).fill(verdict);
  assert.deepEqual(verdicts(false, 5), ["valid", "valid", ...all("valid")]);
  assert.deepEqual(verdicts(false, 0.1), ["invalid", "valid", ...all("invalid")]);
  assert.deepEqual(verdicts(true, 5), ["invalid", "invalid", ...all("invalid")]);
  const { metrics } = errorWith(false, 0.1) ?? assert.fail();
  assert.equal(metrics.get("request_latency")?.p99?.lower, 0);
  assert.equal(metrics.get("output_token_throughput_per_user")?.p50?.lower, 0);
  assert.equal(metrics.get("interactivity")?.avg?.lower, 0);
  // The last response was not written before its request began: 140 to 180 of 4,100 ms before.
  const rate = metrics.get("request_throughput")?.avg;
  const result = results.get("request_throughput");
  assert.ok(rate && result && "value" in result);
  const lateShare = 1 - Number(result.value) / rate.upper;
  assert.ok(lateShare > 0.02 && lateShare < 0.05, `${lateShare}`);
});

Deno.test("measureError takes replies in one piece for written when the first of them was read", () => {
  const lowersOf = (receivingMs: number, isWhole: boolean) => {
    const random = randomStream(1, "run");
    const delays = idle(random);
    const { canaries } = simulate(random, delays);
    const table = recordTable();
    const values = new Float64Array(table.metrics.length);
    for (let i = 0; i < REQUESTS; i++) {
      const startMs = 100 + i * 10;
      const endNs = (startMs + 60) * MS;
      table.add(
        recordWith({
          ...{ startNs: startMs * MS, endNs, lastBodyNs: endNs, worker: 0 },
          ...{ firstBodyNs: endNs - receivingMs * MS, isWhole: isWhole ? 1 : 0 },
          chunkNs: Float64Array.of(endNs),
        }),
        values,
      );
    }
    const results = computeResults(table, 0n);
    const error = measureError({ table, delays: delaysByKind(canaries), results });
    const rate = error?.metrics.get("request_throughput")?.avg?.upper ?? NaN;
    const latency = error?.metrics.get("request_latency");
    return [latency?.avg?.lower ?? NaN, latency?.p99?.lower ?? NaN, rate] as const;
  };
  const [avg, p99, rate] = lowersOf(0, true);
  const [avgLarge, p99Large, rateLarge] = lowersOf(20, true);
  assert.ok(Math.abs(avg - avgLarge - 20) < 1e-6);
  assert.ok(Math.abs(p99 - p99Large - 20) < 1e-6);
  assert.ok(rateLarge > rate);
  // Pieces of a stream have times of their own.
  assert.deepEqual(lowersOf(20, false), lowersOf(0, false));
});

Deno.test("measureError takes chunks for written when reads began to leave something unread", () => {
  const errorOf = (piledMs: readonly [first: number, second: number, last: number]) => {
    const random = randomStream(1, "run");
    const { canaries } = simulate(random, idle(random));
    const table = recordTable();
    const values = new Float64Array(table.metrics.length);
    const [firstPiledNs, secondPiledNs, lastPiledNs] = piledMs.map((ms) => ms * MS) as number[] as [
      ...[number, number, number],
    ];
    for (let i = 0; i < REQUESTS; i++) {
      const startNs = (100 + i * 10) * MS;
      const chunkNs = Float64Array.of(50, 60, 150).map((ms) => startNs + ms * MS);
      table.add(
        recordWith({
          ...{ startNs, endNs: startNs + 150 * MS, worker: 0, chunkNs },
          ...{ firstPiledNs, secondPiledNs, lastPiledNs, outputTokens: TOKENS },
          firstOutputChunk: 1,
        }),
        values,
      );
    }
    const results = computeResults(table, 0n);
    const error = measureError({ table, delays: delaysByKind(canaries), results });
    return (tag: MetricTag, name: BoundedStatistic) => {
      const bounds = error?.metrics.get(tag)?.[name];
      return [bounds?.lower ?? NaN, bounds?.upper ?? NaN] as const;
    };
  };
  const calm = errorOf([0, 0, 0]);
  const piled = errorOf([3, 4, 20]);
  /** By how much both ends are farther off. */
  const changes: readonly [MetricTag, number, number][] = [
    ["time_to_first_token", 3, 0],
    ["time_to_second_token", 4, 3],
    // It may be any of them.
    ["time_to_first_output_token", 20, 0],
    ["request_latency", 20, 0],
    ["decode_duration", 20, 3],
    ["inter_token_latency", 20 / (TOKENS - 1), 3 / (TOKENS - 1)],
  ];
  for (const [tag, down, up] of changes) {
    for (const name of ["avg", "p50", "p99"] as const) {
      const [[lower, upper], [lowerPiled, upperPiled]] = [calm(tag, name), piled(tag, name)];
      assert.ok(Math.abs(lower - lowerPiled - down) < 1e-6, `${tag} ${name} lower`);
      assert.ok(Math.abs(upperPiled - upper - up) < 1e-6, `${tag} ${name} upper`);
    }
  }
  // The time between tokens is 1 ms shorter if the last one had been there 20 ms earlier.
  const [rate, ratePiled] = [calm, piled].map((of) =>
    of("output_token_throughput_per_user", "p50")
  );
  assert.ok(rate && ratePiled);
  assert.ok(Math.abs(1000 / rate[1] - 1000 / ratePiled[1] - 1) < 1e-6);
  assert.ok(Math.abs(1000 / ratePiled[0] - 1000 / rate[0] - 3 / 20) < 1e-6);
  const [, throughput] = calm("request_throughput", "avg");
  assert.ok(piled("request_throughput", "avg")[1] > throughput);
  // Records of other versions do not tell.
  assert.deepEqual(
    errorOf([NaN, NaN, NaN])("request_latency", "avg"),
    calm("request_latency", "avg"),
  );
});
