import assert from "node:assert/strict";
import fc from "fast-check";
import { summarize } from "../../../src/core/statistics/summarize.ts";
import { UNBOUNDED } from "../../../src/core/statistics/unbounded.ts";
import type { ReadDelays } from "../../../src/measurement/own_error/read_delays.ts";
import {
  type Divisors,
  pooledRateBounds,
  rateBounds,
  statisticBounds,
} from "../../../src/measurement/own_error/statistic_bounds.ts";

const STATISTICS = ["avg", "p50", "p90", "p95", "p99"] as const;
/** What the clock leaves open, in ms. */
const CLOCK_MS = 0.01;

function equalDelays(count: number, meanMs: number, latestMs: number): ReadDelays {
  return {
    meanMs: new Float64Array(count).fill(meanMs),
    latestMs: new Float64Array(count).fill(latestMs),
  };
}

function near(actual: number, expected: number, what: string): void {
  assert.ok(Math.abs(actual - expected) < 1e-9, `${what}: ${actual} instead of ${expected}`);
}

Deno.test("statisticBounds lie below by the later chunk's delay and above by the earlier chunk's", () => {
  const values = new Float64Array(100).fill(20);
  const summary = summarize(values);
  const later = equalDelays(100, 1, 3);
  const earlier = equalDelays(100, 0.5, 2);
  const bounds = statisticBounds({ summary, values, divisors: undefined, later, earlier });
  for (const name of STATISTICS) {
    const [down, up] = name === "avg" ? [1, 0.5] : [3, 2];
    near(bounds[name].lower, 20 - down - CLOCK_MS, `${name} lower`);
    near(bounds[name].upper, 20 + up + CLOCK_MS, `${name} upper`);
  }
});

Deno.test("statisticBounds of times from a request's start have no room above", () => {
  const values = Float64Array.from({ length: 50 }, (_, i) => 100 + i);
  const summary = summarize(values);
  const later = equalDelays(50, 1, 1);
  const bounds = statisticBounds({
    ...{ summary, values, divisors: undefined, later, earlier: undefined },
  });
  for (const name of STATISTICS) near(bounds[name].upper, summary[name] + CLOCK_MS, name);
});

Deno.test("statisticBounds of an average of fewer than 30 values use the latest canaries", () => {
  const lowerOf = (count: number): number => {
    const values = new Float64Array(count).fill(20);
    const summary = summarize(values);
    const later = equalDelays(count, 1, 3);
    return statisticBounds({
      ...{ summary, values, divisors: undefined, later, earlier: undefined },
    }).avg.lower;
  };
  near(lowerOf(29), 17 - CLOCK_MS, "29 values");
  near(lowerOf(30), 19 - CLOCK_MS, "30 values");
});

/** Divisors that are the same for all values. */
function equalDivisors(count: number, tokens: number, least = tokens, most = tokens): Divisors {
  const all = (value: number) => new Float64Array(count).fill(value);
  return { tokens: all(tokens), least: all(least), most: all(most) };
}

Deno.test("statisticBounds divide delays by each value's tokens", () => {
  const values = new Float64Array(40).fill(5);
  const summary = summarize(values);
  const divisors = equalDivisors(40, 10);
  const later = equalDelays(40, 2, 2);
  const { p50 } = statisticBounds({ summary, values, divisors, later, earlier: later });
  near(p50.lower, 5 - 0.2 - CLOCK_MS / 10, "lower");
  near(p50.upper, 5 + 0.2 + CLOCK_MS / 10, "upper");
});

Deno.test("statisticBounds divide by the most and the least tokens that there can have been", () => {
  const values = new Float64Array(40).fill(5);
  const summary = summarize(values);
  const divisors = equalDivisors(40, 10, 8, 20);
  const later = equalDelays(40, 2, 2);
  const { avg, p99 } = statisticBounds({ summary, values, divisors, later, earlier: later });
  for (const { lower, upper } of [avg, p99]) {
    near(lower, (50 - 2) / 20 - CLOCK_MS / 8, "lower");
    near(upper, (50 + 2) / 8 + CLOCK_MS / 8, "upper");
  }
});

Deno.test("pooledRateBounds are those of all tokens and times together", () => {
  const values = Float64Array.of(5, 20);
  const divisors = {
    tokens: Float64Array.of(10, 30),
    least: Float64Array.of(9, 30),
    most: Float64Array.of(10, 32),
  };
  const metric = {
    ...{ summary: summarize(values), values, divisors },
    ...{ later: equalDelays(2, 2, 4), earlier: equalDelays(2, 1, 3) },
  };
  const value = 40 / 0.65;
  const { lower, upper } = pooledRateBounds(metric, value);
  near(lower, 39 / 0.656, "lower");
  near(upper, 42 / 0.642, "upper");
  const atOnce = { ...metric, later: equalDelays(2, 1000, 1000) };
  assert.equal(pooledRateBounds(atOnce, value).upper, UNBOUNDED);
});

Deno.test("statisticBounds of percentiles follow the values that were delayed", () => {
  // The longest values alone were read late: the median is known, p99 is not.
  const values = Float64Array.from({ length: 101 }, (_, i) => i < 90 ? 50 : 80);
  const delays = values.map((value) => value === 80 ? 30 : 0);
  const bounds = statisticBounds({
    ...{ summary: summarize(values), values, divisors: undefined, earlier: undefined },
    later: { meanMs: delays, latestMs: delays },
  });
  near(bounds.p50.lower, 50 - CLOCK_MS, "p50");
  near(bounds.p99.lower, 50 - CLOCK_MS, "p99");
});

Deno.test("rateBounds are the rates of the shortest and the longest times", () => {
  const values = new Float64Array(40).fill(5);
  const summary = summarize(values.map((ms) => 1000 / ms));
  const divisors = equalDivisors(40, 10);
  const later = equalDelays(40, 10, 10);
  const { p50 } = rateBounds({ summary, values, divisors, later, earlier: later });
  near(p50.lower, 1000 / 6, "lower");
  near(p50.upper, 1000 / 4, "upper");
});

Deno.test("rateBounds have no upper end where a reply may have come all at once", () => {
  const values = new Float64Array(40).fill(5);
  const summary = summarize(values.map((ms) => 1000 / ms));
  const later = equalDelays(40, 5, 5);
  const { avg, p50 } = rateBounds({ summary, values, divisors: undefined, later, earlier: later });
  assert.deepEqual([avg.upper, p50.upper], [UNBOUNDED, UNBOUNDED]);
});

Deno.test("statisticBounds contain the true statistics if no chunk was later than its bound", () => {
  const shares = fc.double({ min: 0, max: 1, noNaN: true });
  const request = fc.record({ trueMs: shares, later: shares, earlier: shares });
  fc.assert(fc.property(fc.array(request, { minLength: 1, maxLength: 80 }), (requests) => {
    const truth = Float64Array.from(requests, ({ trueMs }) => 20 + 40 * trueMs);
    const values = truth.map((ms, i) =>
      ms + 5 * (requests[i]?.later ?? 0) - 5 * (requests[i]?.earlier ?? 0)
    );
    const delays = equalDelays(values.length, 5, 5);
    const bounds = statisticBounds({
      ...{ summary: summarize(values), values, divisors: undefined },
      ...{ later: delays, earlier: delays },
    });
    const expected = summarize(truth);
    for (const name of STATISTICS) {
      const { lower, upper } = bounds[name];
      assert.ok(lower <= expected[name] && expected[name] <= upper, name);
    }
  }));
});

Deno.test("statisticBounds are the same to the last bit in whatever order requests were recorded", () => {
  const request = fc.record({
    value: fc.double({ min: 0.01, max: 1e4, noNaN: true }),
    divisor: fc.integer({ min: 1, max: 1000 }),
    delay: fc.double({ min: 0, max: 50, noNaN: true }),
  });
  fc.assert(fc.property(fc.array(request, { minLength: 1, maxLength: 60 }), (requests) => {
    const boundsOf = (some: typeof requests) => {
      const column = (of: (one: typeof some[number]) => number) => Float64Array.from(some, of);
      const delayMs = column(({ delay }) => delay);
      const tokens = column(({ divisor }) => divisor);
      const values = column(({ value }) => value);
      return statisticBounds({
        ...{ summary: summarize(values), values },
        ...{ divisors: { tokens, least: tokens, most: tokens } },
        ...{ later: { meanMs: delayMs, latestMs: delayMs }, earlier: undefined },
      });
    };
    assert.deepEqual(boundsOf(requests.toReversed()), boundsOf(requests));
  }));
});
