import fc from "fast-check";
import assert from "node:assert/strict";
import { randomExponential, randomLogNormal, randomNormal } from "d3-random";
import type { HistogramWindow } from "../../../../src/core/statistics/histogram/histogram_window.ts";
import { INTERPOLATION_ESTIMATOR } from "../../../../src/core/statistics/histogram/interpolation_estimator.ts";
import { INTERVAL_ESTIMATOR } from "../../../../src/core/statistics/histogram/interval_estimator.ts";
import {
  percentileBounds,
  withinBounds,
} from "../../../../src/core/statistics/histogram/percentile_bounds.ts";
import { percentile } from "../../../../src/core/statistics/percentile.ts";
import { POLYNOMIAL_ESTIMATOR } from "../../../../src/core/statistics/histogram/polynomial_estimator.ts";
import { randomStream } from "../../../../src/core/statistics/random_stream.ts";
import { type HistogramRow, scrape, windowOf } from "../histogram_windows.ts";

const TTFT = "0.001 0.005 0.01 0.02 0.04 0.06 0.08 0.1 0.25 0.5 0.75 1 2.5 5 7.5 10 20 40 80 +Inf"
  .split(" ");
const PERCENTILES = [1, 5, 10, 25, 50, 75, 90, 95, 99];

function estimate(window: HistogramWindow, percentiles: readonly number[] = PERCENTILES): number[] {
  const estimates = INTERVAL_ESTIMATOR.estimate(window, percentiles);
  assert.ok(estimates !== null);
  return estimates;
}

/** As many observations per interval as `sizes` says, over and over. */
function drawn(draw: () => number, length: number, sizes: readonly number[]): number[][] {
  return Array.from(
    { length },
    (_, i) => Array.from({ length: sizes[i % sizes.length] as number }, draw),
  );
}

/** Mean relative error over the percentiles from the median up. */
function meanError(estimates: readonly number[] | null, intervals: readonly number[][]): number {
  const sorted = Float64Array.from(intervals.flat()).sort();
  const upper = [50, 75, 90, 95, 99];
  return upper.reduce((sum, p) => {
    const estimated = estimates?.[PERCENTILES.indexOf(p)] ?? NaN;
    return sum + Math.abs(estimated / percentile(sorted, p) - 1) / upper.length;
  }, 0);
}

Deno.test("interval gives the observations themselves when each has an interval of its own", () => {
  const draw = randomLogNormal.source(randomStream(1, "alone"))(Math.log(0.3), 0.8);
  const intervals = drawn(draw, 120, [1, 0]);
  const sorted = Float64Array.from(intervals.flat()).sort();
  const estimates = estimate(scrape(TTFT, intervals));
  PERCENTILES.forEach((p, i) => {
    const truth = percentile(sorted, p);
    assert.ok(Math.abs((estimates[i] as number) - truth) < 1e-9 * truth, `p${p}`);
  });
});

Deno.test("interval knows an outlier among many small observations", () => {
  const draw = randomNormal.source(randomStream(2, "outlier"))(0.03, 0.002);
  const intervals = drawn(draw, 100, [20, 25, 18]);
  intervals[40]?.push(27.5);
  const [p100] = estimate(scrape(TTFT, intervals), [100]);
  // Interpolation says 40, the bucket's end.
  assert.ok(Math.abs((p100 as number) - 27.5) < 0.1, `${p100}`);
});

for (const sizes of [[1], [1, 2, 3], [40, 55, 47], [3]]) {
  Deno.test(`interval leaves equal observations equal, ${sizes} at a time`, () => {
    for (const value of [0.125, 0.3, 0.25, 7]) {
      const window = scrape(TTFT, drawn(() => value, 60, sizes));
      for (const estimated of estimate(window)) {
        assert.ok(Math.abs(estimated / value - 1) < 1e-9, `${estimated} for ${value}`);
      }
    }
  });
}

Deno.test("interval tells two constants apart that come mixed", () => {
  const random = randomStream(3, "two");
  const intervals = drawn(() => random() < 0.7 ? 0.07 : 1.7, 100, [30, 35, 42]);
  const [p50, p99] = estimate(scrape(TTFT, intervals), [50, 99]);
  assert.ok(Math.abs((p50 as number) / 0.07 - 1) < 1e-3, `${p50}`);
  assert.ok(Math.abs((p99 as number) / 1.7 - 1) < 1e-3, `${p99}`);
});

const SHAPES: Readonly<Record<string, (random: () => number) => () => number>> = {
  "log-normal": (random) => randomLogNormal.source(random)(Math.log(0.3), 0.6),
  "exponential": (random) => randomExponential.source(random)(1 / 0.4),
  "narrow": (random) => randomNormal.source(random)(0.24, 0.012),
};

for (const [shape, draw] of Object.entries(SHAPES)) {
  for (const sizes of [[1, 2, 0, 1], [5, 8, 6], [100, 120, 110]]) {
    Deno.test(`interval errs less than the others on ${shape} latencies, ${sizes} at a time`, () => {
      const estimators = [INTERVAL_ESTIMATOR, POLYNOMIAL_ESTIMATOR, INTERPOLATION_ESTIMATOR];
      const errors = estimators.map(() => 0);
      const seeds = [1, 2, 3, 4, 5];
      for (const seed of seeds) {
        const intervals = drawn(draw(randomStream(seed, shape)), 200, sizes);
        const window = scrape(TTFT, intervals);
        estimators.forEach((estimator, i) => {
          const error = meanError(estimator.estimate(window, PERCENTILES), intervals);
          errors[i] = (errors[i] as number) + error / seeds.length;
        });
      }
      const [error = NaN, ...others] = errors;
      assert.ok(error < 0.06, `${error}`);
      assert.ok(others.every((other) => error < other), `${errors}`);
    });
  }
}

Deno.test("interval is not misled by observations that come in batches", () => {
  const normal = randomNormal.source(randomStream(5, "steps"))(0.026, 0.002);
  const bounds = ["0.01", "0.025", "0.05", "0.075", "0.1", "+Inf"];
  // Twenty decoding steps per interval, each seen by 32 requests.
  const intervals = Array.from(
    { length: 200 },
    () => Array.from({ length: 20 }, normal).flatMap((step) => Array<number>(32).fill(step)),
  );
  const error = meanError(estimate(scrape(bounds, intervals)), intervals);
  assert.ok(error < 0.03, `${error}`);
});

Deno.test("interval follows latencies that drift during the run", () => {
  const draw = randomLogNormal.source(randomStream(6, "drift"))(Math.log(0.2), 0.3);
  const intervals = drawn(draw, 300, [50, 60]).map((values, i) =>
    values.map((value) => value * (0.5 + i / 200))
  );
  const error = meanError(estimate(scrape(TTFT, intervals)), intervals);
  assert.ok(error < 0.06, `${error}`);
});

function rowsOf(window: HistogramWindow): HistogramRow[] {
  const width = window.upperBounds.length;
  return Array.from({ length: window.length }, (_, row) => ({
    cumulative: [...window.cumulative.subarray(row * width, (row + 1) * width)],
    sum: window.sums[row] as number,
    count: window.counts[row] as number,
  }));
}

Deno.test("interval puts right what a scrape tore apart", () => {
  const draw = randomLogNormal.source(randomStream(8, "torn"))(Math.log(0.3), 0.6);
  const intervals = drawn(draw, 200, [1, 0, 2]);
  const window = scrape(TTFT, intervals);
  // Every tenth scrape sees the sum before the count: the next observation is in it already.
  const sums = window.sums.map((sum, row) =>
    row % 10 === 5 ? sum + ((intervals[row] ?? [])[0] ?? 0) : sum
  );
  const error = meanError(estimate({ ...window, sums }), intervals);
  assert.ok(error < 0.03, `${error}`);
});

Deno.test("interval makes do with some of the sums, or with none", () => {
  const draw = randomLogNormal.source(randomStream(9, "gaps"))(Math.log(0.3), 0.6);
  const intervals = drawn(draw, 200, [2, 3]);
  const window = scrape(TTFT, intervals);
  const some = window.sums.map((sum, row) => row % 7 === 3 || row < 20 ? NaN : sum);
  assert.ok(meanError(estimate({ ...window, sums: some }), intervals) < 0.05);
  const none = estimate({ ...window, sums: window.sums.map(() => NaN) });
  const interpolated = INTERPOLATION_ESTIMATOR.estimate(window, PERCENTILES);
  assert.ok(meanError(none, intervals) < meanError(interpolated, intervals));
});

Deno.test("interval takes the count for the missing last bucket", () => {
  const intervals = drawn(randomExponential.source(randomStream(10, "cut"))(1 / 3), 200, [2, 1, 3]);
  const whole = scrape(["1", "5", "+Inf"], intervals);
  const rows = rowsOf(whole).map(({ cumulative, ...rest }) => ({
    ...rest,
    cumulative: cumulative.slice(0, 2),
  }));
  assert.deepEqual(estimate(windowOf(["1", "5"], rows)), estimate(whole));
});

Deno.test("interval finds the shape of what lies beyond the last bound", () => {
  const draw = randomExponential.source(randomStream(11, "tail"))(1 / 6);
  const intervals = drawn(draw, 300, [6, 9, 4]);
  const window = scrape(["1", "2.5", "5", "7.5", "10", "+Inf"], intervals);
  const sorted = Float64Array.from(intervals.flat()).sort();
  // A fifth lies above 10 s; interpolation says 10.
  const [p95, p99] = estimate(window, [95, 99]) as [number, number];
  assert.ok(Math.abs(p95 / percentile(sorted, 95) - 1) < 0.1, `${p95}`);
  assert.ok(Math.abs(p99 / percentile(sorted, 99) - 1) < 0.1, `${p99}`);
});

Deno.test("interval knows values below zero", () => {
  const draw = randomNormal.source(randomStream(12, "signed"))(-1, 3);
  const intervals = drawn(draw, 300, [2, 1]);
  const sorted = Float64Array.from(intervals.flat()).sort();
  const estimates = estimate(scrape(["-5", "-2", "0", "2", "5", "+Inf"], intervals));
  PERCENTILES.forEach((p, i) => {
    const off = Math.abs((estimates[i] as number) - percentile(sorted, p));
    // Of a deviation of 3, in buckets of 2 to 3, of which the outer ones have no end.
    assert.ok(off < 0.5, `p${p} is off by ${off}`);
  });
});

Deno.test("interval takes a lowest bound of zero for zeros", () => {
  const random = randomStream(13, "zeros");
  const intervals = drawn(() => random() < 0.4 ? 0 : 1 + random(), 200, [3, 5]);
  const [p25, p75] = estimate(scrape(["0", "1", "2", "4", "+Inf"], intervals), [25, 75]);
  assert.ok(Math.abs(p25 as number) < 1e-3, `${p25}`);
  assert.ok((p75 as number) > 1.4 && (p75 as number) < 1.8, `${p75}`);
});

Deno.test("interval needs a finite bound", () => {
  assert.equal(INTERVAL_ESTIMATOR.estimate(scrape(["+Inf"], [[1, 2], [3]]), [50]), null);
});

Deno.test("interval falls back to interpolation where squares are no numbers any more", () => {
  const window = scrape(["1", "+Inf"], [[0.5, 1e200], [1e250], [0.2, 1e199]]);
  const bounds = percentileBounds(window, PERCENTILES) ?? [];
  const interpolated = INTERPOLATION_ESTIMATOR.estimate(window, PERCENTILES) ?? [];
  assert.deepEqual(estimate(window), withinBounds(interpolated, bounds));
  // Interpolation knows nothing of the sum, by which the largest is far above the last bound.
  const [p100] = estimate(window, [100]) as [number];
  assert.ok(p100 > 1e249, `${p100}`);
});

Deno.test("interval does without interpolation where a bucket's observations are next to zero", () => {
  const window = scrape(
    ["0.001", "0.0010000000000000002", "+Inf"],
    [[0, 0, 0], [0, 0.18, 0.18, 0.18, 0.3], [0, 0, 0.18, 0.18, 0.185]],
  );
  const [p25, p50, p75] = estimate(window, [25, 50, 75]) as [number, number, number];
  assert.ok(p25 >= 0 && p25 < 1e-9, `${p25}`);
  // Between 0 and 0.18, which interpolation cannot tell.
  assert.ok(p50 > 0.01 && p50 < 0.18, `${p50}`);
  assert.ok(p75 > 0.15 && p75 < 0.25, `${p75}`);
});

/** What moves during a run: each draws so many observations of an interval. */
const MOVING: Readonly<Record<string, (random: () => number) => (i: number) => number[]>> = {
  "a sawtooth": (random) => (i) => {
    const draw = randomLogNormal.source(random)(Math.log(0.2 + 0.03 * (i % 40)), 0.08);
    return Array.from({ length: 30 }, draw);
  },
  "bursts": (random) => (i) => {
    const isBurst = i % 25 < 5;
    const draw = randomLogNormal.source(random)(Math.log(isBurst ? 1.7 : 0.5), 0.2);
    return Array.from({ length: isBurst ? 60 : 20 }, draw);
  },
  "a wave": (random) => (i) => {
    const draw = randomLogNormal.source(random)(Math.log(1 + 0.6 * Math.sin(i / 12)), 0.15);
    return Array.from({ length: 12 }, draw);
  },
};

for (const [name, draw] of Object.entries(MOVING)) {
  Deno.test(`interval follows ${name}`, () => {
    const errors = [1, 2, 3].map((seed) => {
      const intervals = Array.from({ length: 250 }, (_, i) => draw(randomStream(seed, name, i))(i));
      return meanError(estimate(scrape(TTFT, intervals)), intervals);
    });
    assert.ok(errors.every((error) => error < 0.03), `${errors}`);
  });
}

for (const [name, sizes] of Object.entries({ "one": [1], "one to three": [1, 2, 3, 1] })) {
  Deno.test(`interval finds two modes in one bucket where ${name} are observed at a time`, () => {
    const random = randomStream(14, name);
    const normal = randomNormal.source(random)(0, 0.03);
    const intervals = drawn(() => (random() < 0.6 ? 1.25 : 2.2) + normal(), 300, sizes);
    const sorted = Float64Array.from(intervals.flat()).sort();
    estimate(scrape(TTFT, intervals), [10, 40, 75, 95]).forEach((value, i) => {
      const truth = percentile(sorted, [10, 40, 75, 95][i] as number);
      assert.ok(Math.abs(value / truth - 1) < 0.04, `${value} for ${truth}`);
    });
  });
}

Deno.test("interval does not spread what the sum holds together", () => {
  // Sixteen requests of 179 to 204 ms in a bucket of 2 s, in one scrape.
  const together = Array.from({ length: 16 }, (_, i) => 0.179 + 0.025 * i / 15);
  const [p25, p50, p99] = estimate(scrape(["2", "4", "+Inf"], [together]), [25, 50, 99]);
  assert.ok((p25 as number) > 0.1 && (p99 as number) < 0.4, `${p25} ${p99}`);
  assert.ok(Math.abs((p50 as number) / 0.19 - 1) < 0.1, `${p50}`);
  // Near the upper end as well.
  const high = estimate(scrape(["2", "4", "+Inf"], [together.map((value) => 2 - value / 10)]));
  assert.ok(high.every((value) => value > 1.9 && value <= 2), `${high}`);
  const tiny = estimate(scrape(["0.5", "1", "+Inf"], [Array<number>(16).fill(0.000025)]));
  assert.ok(tiny.every((value) => value <= 0.0004), `${tiny}`);
});

Deno.test("interval multiplies with its observations", () => {
  const draws = fc.array(
    fc.array(fc.oneof(fc.double({ min: 0.01, max: 30, noNaN: true }), fc.constantFrom(0.1, 1, 2)), {
      maxLength: 9,
    }),
    { minLength: 3, maxLength: 25 },
  ).filter((intervals) => intervals.flat().length > 0);
  fc.assert(fc.property(draws, fc.constantFrom(2 ** -20, 0.25, 8, 1024), (intervals, factor) => {
    const bounds = [0.05, 0.1, 0.5, 1, 2.5, 10];
    const texts = (by: number) => [...bounds.map((bound) => String(bound * by)), "+Inf"];
    // None of them falls between two observations, where a rounding decides for one or the other.
    const percentiles = [1.37, 23.71, 51.93, 77.13, 93.39];
    const once = estimate(scrape(texts(1), intervals), percentiles);
    const multiplied = intervals.map((values) => values.map((value) => value * factor));
    const scaled = estimate(scrape(texts(factor), multiplied), percentiles);
    scaled.forEach((value, i) => {
      const expected = (once[i] as number) * factor;
      assert.ok(Math.abs(value - expected) <= 1e-6 * expected, `${value} for ${expected}`);
    });
  }));
});

Deno.test("interval counts what the totals count when the server was restarted", () => {
  const draw = (mean: number, seed: number) =>
    drawn(randomLogNormal.source(randomStream(seed, "restart"))(Math.log(mean), 0.2), 60, [3, 4]);
  const rows = [draw(0.3, 1), draw(5, 2)].flatMap((intervals) => rowsOf(scrape(TTFT, intervals)));
  const after = draw(5, 2);
  // From zero to what was counted since the restart: nothing of the first life is in it.
  assert.ok(meanError(estimate(windowOf(TTFT, rows)), after) < 0.05);
  // Counts before the window make the difference that of no life in particular.
  const alike = [draw(0.3, 3), draw(0.3, 4)].flatMap((intervals) =>
    rowsOf(scrape(TTFT, intervals))
  );
  const totals = windowOf(TTFT, [alike[5] as HistogramRow, alike.at(-1) as HistogramRow]);
  assert.deepEqual(estimate(windowOf(TTFT, alike.slice(5))), estimate(totals));
  // Below the reference totals are none.
  assert.equal(INTERVAL_ESTIMATOR.estimate(windowOf(TTFT, alike.slice(30, 65)), [50]), null);
});
