import assert from "node:assert/strict";
import fc from "fast-check";
import type { LevelSummary } from "../../../src/core/statistics/level_summary.ts";
import {
  LEVEL_METRICS,
  type LevelMetricTag,
  levelResults,
} from "../../../src/measurement/metrics/level_metrics.ts";
import { recordTable } from "../../support/record_tables.ts";
import { recordWith } from "../../support/records.ts";

/** A request in whole milliseconds. */
interface Flight {
  readonly start: number;
  /** After the start. */
  readonly first: number;
  /** After the first token. */
  readonly rest: number;
  readonly inputTokens: number;
  readonly outputTokens: number;
  readonly failed: boolean;
}

function levelsOf(
  flights: readonly Flight[],
  fromMs: number,
  toMs: number,
  streaming = true,
): Map<LevelMetricTag, LevelSummary> {
  const table = recordTable({ streaming });
  const values = new Float64Array(table.metrics.length);
  for (const { start, first, rest, failed, ...tokens } of flights) {
    const stamps = [start + first, start + first + rest].map((at) => at * 1e6);
    table.add(
      recordWith({
        startNs: start * 1e6,
        chunkNs: Float64Array.from(stamps),
        endNs: stamps[1] as number,
        ...tokens,
        ...(failed ? { error: "timeout" } : {}),
      }),
      values,
    );
  }
  return new Map(
    [...levelResults(table, LEVEL_METRICS, fromMs * 1e6, toMs * 1e6)].map(
      ([{ tag }, level]) => [tag, level],
    ),
  );
}

const flight = (fields: Partial<Flight> = {}): Flight => ({
  ...{ start: 0, first: 10, rest: 40, inputTokens: 20, outputTokens: 5, failed: false },
  ...fields,
});

Deno.test("levelResults counts the requests in flight, and those that prefill and decode", () => {
  // 0-10 prefill, 10-50 decode; 30-40 prefill, 40-80 decode; nothing until 100.
  const levels = levelsOf([flight(), flight({ start: 30 })], 0, 100);
  const concurrency = levels.get("effective_concurrency");
  assert.equal(concurrency?.avg, 1);
  assert.deepEqual([concurrency?.min, concurrency?.max, concurrency?.p50], [0, 2, 1]);
  assert.equal(levels.get("effective_prefill_concurrency")?.avg, 0.2);
  assert.equal(levels.get("effective_decode_concurrency")?.avg, 0.8);
  assert.equal(levels.get("effective_decode_concurrency")?.max, 2);
});

Deno.test("levelResults spreads tokens evenly over the time that they took", () => {
  const levels = levelsOf([flight(), flight({ start: 30 })], 0, 100);
  // 20 tokens in 10 ms; 4 tokens after the first one in 40 ms.
  assert.equal(levels.get("effective_prefill_throughput")?.max, 2000);
  assert.equal(levels.get("effective_prefill_throughput")?.avg, 400);
  assert.equal(levels.get("active_prefill_throughput")?.avg, 2000);
  assert.equal(levels.get("effective_decode_throughput")?.max, 200);
  assert.equal(levels.get("effective_decode_throughput")?.avg, 80);
  // Something was generated for 70 of the 100 ms.
  assert.ok(Math.abs((levels.get("active_decode_throughput")?.avg ?? 0) - 8 / 0.07) < 1e-9);
  assert.deepEqual(levels.get("active_decode_throughput_per_user"), {
    ...{ avg: 100, min: 100, max: 100, std: 0, p50: 100, p90: 100, p95: 100, p99: 100 },
  });
  assert.equal(levels.get("effective_decode_throughput_per_user")?.avg, 70);
  assert.equal(levels.get("effective_total_throughput")?.avg, 480);
  assert.equal(levels.get("active_total_throughput")?.avg, 600);
});

Deno.test("levelResults' rates are zero where nothing is under way, whatever sums round to", () => {
  // 1/3 + 1/7 - 1/3 - 1/7 of numbers is not 0.
  const overlapping = [
    flight({ first: 9, rest: 70, inputTokens: 7, outputTokens: 11 }),
    flight({ start: 1, first: 7, rest: 90, inputTokens: 13, outputTokens: 8 }),
    flight({ start: 2, first: 11, rest: 60, inputTokens: 3, outputTokens: 14 }),
  ];
  const levels = levelsOf(overlapping, 0, 200);
  for (const tag of ["effective_prefill_throughput", "effective_decode_throughput"] as const) {
    assert.equal(levels.get(tag)?.min, 0, tag);
    assert.equal(levels.get(tag)?.p50, 0, tag);
  }
});

Deno.test("levelResults of failed requests knows that they were in flight, and no more", () => {
  const levels = levelsOf([flight({ failed: true })], 0, 100);
  assert.equal(levels.get("effective_concurrency")?.avg, 0.5);
  assert.equal(levels.get("effective_decode_concurrency")?.max, 0);
  assert.equal(levels.get("effective_prefill_throughput")?.max, 0);
  assert.equal(levels.has("active_decode_throughput"), false);
});

Deno.test("levelResults leaves out what lies outside of the window", () => {
  const levels = levelsOf([flight({ rest: 990 })], 0, 100);
  assert.equal(levels.get("effective_concurrency")?.avg, 1);
  assert.equal(levels.get("effective_prefill_concurrency")?.avg, 0.1);
});

Deno.test("levelResults needs no tokens, no second token and no time", () => {
  const flights = [
    flight({ inputTokens: NaN, outputTokens: NaN }),
    flight({ rest: 0 }),
    flight({ first: 0, rest: 0 }),
    flight({ outputTokens: 1 }),
  ];
  const levels = levelsOf(flights, 0, 100);
  assert.equal(levels.get("effective_decode_throughput")?.max, 0);
  assert.equal(levels.get("effective_decode_concurrency")?.max, 2);
  assert.equal(levels.get("effective_prefill_throughput")?.max, 4000);
});

/** What goes on in each millisecond, by looking at every request. */
function millisecondsOf(flights: readonly Flight[], toMs: number) {
  return Array.from({ length: toMs }, (_, ms) => {
    const under = flights.filter(({ start, first, rest }) =>
      start <= ms && ms < start + first + rest
    );
    const valid = under.filter(({ failed }) => !failed);
    const prefill = valid.filter(({ start, first }) => ms < start + first);
    const decode = valid.filter(({ start, first }) => ms >= start + first);
    const rateOf = (rates: number[]) => rates.reduce((sum, rate) => sum + rate, 0);
    return {
      inFlight: under.length,
      prefill: prefill.length,
      decode: decode.length,
      prefillRate: rateOf(prefill.map(({ inputTokens, first }) => inputTokens / first * 1e3)),
      decodeRate: rateOf(decode.map(({ outputTokens, rest }) => (outputTokens - 1) / rest * 1e3)),
    };
  });
}

Deno.test("levelResults finds what counting in every millisecond finds", () => {
  const flights = fc.array(
    fc.record({
      start: fc.integer({ min: 0, max: 60 }),
      first: fc.integer({ min: 0, max: 20 }),
      rest: fc.integer({ min: 0, max: 40 }),
      inputTokens: fc.integer({ min: 0, max: 100 }),
      outputTokens: fc.integer({ min: 1, max: 100 }),
      failed: fc.boolean(),
    }),
    { minLength: 1, maxLength: 12 },
  );
  const mean = (values: number[]) => values.reduce((sum, value) => sum + value, 0) / values.length;
  fc.assert(fc.property(flights, (flights) => {
    const levels = levelsOf(flights, 0, 120);
    const all = millisecondsOf(flights, 120);
    const check = (tag: LevelMetricTag, values: number[]): void => {
      const level = levels.get(tag);
      if (values.length === 0) return assert.equal(level, undefined, tag);
      const near = (a: number, b: number) => Math.abs(a - b) <= 1e-6 * Math.max(1, Math.abs(b));
      assert.ok(near(level?.avg ?? NaN, mean(values)), `${tag} avg ${level?.avg}`);
      assert.ok(near(level?.max ?? NaN, Math.max(...values)), `${tag} max ${level?.max}`);
      assert.ok(near(level?.min ?? NaN, Math.min(...values)), `${tag} min ${level?.min}`);
    };
    check("effective_concurrency", all.map(({ inFlight }) => inFlight));
    const { effective_concurrency: whole } = Object.fromEntries(levelsOf(flights, 0, 120, false));
    const { effective_concurrency: streamed } = Object.fromEntries(levels);
    // Of fewer addends, the deviation may be rounded otherwise.
    const exact = (level: LevelSummary | undefined) => ({ ...level, std: level?.std.toFixed(9) });
    assert.deepEqual(exact(whole), exact(streamed), "the same without first tokens");
    check("effective_prefill_concurrency", all.map(({ prefill }) => prefill));
    check("effective_decode_concurrency", all.map(({ decode }) => decode));
    check("effective_prefill_throughput", all.map(({ prefillRate }) => prefillRate));
    check("effective_decode_throughput", all.map(({ decodeRate }) => decodeRate));
    const total = (ms: typeof all[number]) => ms.prefillRate + ms.decodeRate;
    check("effective_total_throughput", all.map(total));
    check("active_total_throughput", all.filter(({ inFlight }) => inFlight > 0).map(total));
    check(
      "active_decode_throughput_per_user",
      all.filter(({ decode }) => decode > 0).map(({ decodeRate, decode }) => decodeRate / decode),
    );
    check(
      "effective_prefill_throughput_per_user",
      all.map(({ prefillRate, prefill }) => prefill > 0 ? prefillRate / prefill : 0),
    );
  }));
});
