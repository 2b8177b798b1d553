/** Statistics of series that were written down by hand, worked out by hand. */

import assert from "node:assert/strict";
import type { SeriesReport } from "../../../src/report/model/series_report.ts";
import {
  BASE_EPOCH_NS,
  ENDPOINT_URL,
  endpointOf,
  onlySeries,
  reportOf,
  reportOfPages,
  type ReportSettings,
  scrapedEndpoint,
  type TimedPage,
} from "../../support/metrics_pages.ts";

/** Pages with the values of one metric, one a second, the first of them at `from`. */
function pagesOf(type: string, values: readonly number[], from = 0): TimedPage[] {
  return values.map((value, index) => [from + index, `# TYPE a ${type}\na ${value}\nz ${index}\n`]);
}

function statsOf(type: string, values: readonly number[], settings: ReportSettings): SeriesReport {
  return onlySeries(reportOfPages(pagesOf(type, values), settings), "a");
}

/** Slices with their times in seconds of the run. */
function slicesOf({ slices }: SeriesReport): unknown {
  return slices?.map(({ startNs, endNs, isComplete, stats, buckets }) => ({
    from: Number(startNs - BASE_EPOCH_NS) / 1e9,
    to: Number(endNs - BASE_EPOCH_NS) / 1e9,
    ...(isComplete ? {} : { isComplete }),
    ...stats,
    ...(buckets === undefined ? {} : { buckets: Object.fromEntries(buckets) }),
  }));
}

/** Equal within rounding. */
function assertClose(actual: Readonly<Record<string, number>>, expected: Record<string, number>) {
  assert.deepEqual(Object.keys(actual), Object.keys(expected));
  for (const [name, value] of Object.entries(expected)) {
    const difference = Math.abs((actual[name] as number) - value);
    assert.ok(difference <= 1e-12 * Math.abs(value), `${name}: ${actual[name]}, not ${value}`);
  }
}

Deno.test("seriesReports has the statistics of a gauge's samples in the window", () => {
  // What is before the start and after the end counts for nothing, updates or not.
  const { stats, type, slices, reset } = statsOf("gauge", [99, 2, 6, 4, 4, 98, 97], {
    start: 1,
    end: 4,
  });
  assert.deepEqual([type, slices, reset], ["gauge", undefined, false]);
  assertClose(stats, {
    avg: 4,
    min: 2,
    max: 6,
    std: Math.sqrt(8 / 3),
    p1: 2.06,
    p5: 2.3,
    p10: 2.6,
    p25: 3.5,
    p50: 4,
    p75: 4.5,
    p90: 5.4,
    p95: 5.7,
    p99: 5.94,
  });
});

Deno.test("seriesReports counts a repeated page as a sample of its gauges", () => {
  const page = (value: number) => `# TYPE a gauge\na ${value}\n`;
  const report = reportOfPages([[0, page(1)], [1, page(1)], [2, page(1)], [3, page(5)]], {
    start: 0,
    end: 3,
  });
  assert.equal(onlySeries(report, "a").stats["avg"], 2);
  assert.deepEqual(
    report.endpoints.map(({ totalFetches, uniqueUpdates }) => [totalFetches, uniqueUpdates]),
    [[4, 2]],
  );
});

Deno.test("seriesReports says of a constant gauge exactly what it was", () => {
  for (let count = 2; count < 20; count++) {
    const { stats } = statsOf("gauge", Array.from({ length: count }, () => 0.1), {
      start: 0,
      end: 20,
    });
    const { std, ...rest } = stats;
    assert.equal(std, 0);
    assert.deepEqual(new Set(Object.values(rest)), new Set([0.1]));
  }
});

Deno.test("seriesReports has no deviation of a single sample", () => {
  const { stats } = statsOf("gauge", [7], { start: 0, end: 1 });
  assert.deepEqual([stats["avg"], stats["std"], stats["p99"]], [7, 0, 7]);
});

Deno.test("seriesReports treats a metric without a type as a gauge of unknown type", () => {
  const { type, stats } = statsOf("untyped", [1, 3], { start: 0, end: 1 });
  assert.equal(type, "unknown");
  assert.deepEqual([stats["avg"], stats["max"]], [2, 3]);
});

Deno.test("seriesReports leaves out what has no sample in the window", () => {
  const report = reportOfPages(
    [[0, "# TYPE a gauge\na 1\n# TYPE b counter\nb 1\n"], [1, "c 1\n"], [2, "c 2\n"]],
    { start: 1, end: 2 },
  );
  assert.deepEqual(report.metrics.map(({ name }) => name), ["c"]);
});

Deno.test("seriesReports counts a counter from the last sample before the window", () => {
  const { stats } = statsOf("counter", [100, 110, 125, 145], { start: 0.5, end: 3.5 });
  assert.deepEqual(stats, { total: 45, rate: 15 });
});

Deno.test("seriesReports divides what was told since the start by the length of the phase", () => {
  // The samples at 2 and 3 come after the end and bring what was counted before it.
  for (const end of [1, 1.5, 2.5, 4, 9]) {
    const { stats } = statsOf("counter", [100, 110, 125, 145], { start: 0.5, end });
    assert.deepEqual(stats, { total: 45, rate: 45 / (end - 0.5) }, `end ${end}`);
  }
  const empty = statsOf("counter", [100, 110], { start: 0.5, end: 0.5 });
  assert.deepEqual(empty.stats, { total: 10, rate: 0 });
});

Deno.test("seriesReports counts nothing that is told after the end of a part of a run", () => {
  const part = { start: 0.5, end: 2.5, goesOn: true };
  const { stats } = statsOf("counter", [100, 110, 125, 145], part);
  assert.deepEqual(stats, { total: 25, rate: 12.5 });
  const buckets = [1, 4, 9, 30].map((count, second): TimedPage => [
    second,
    `# TYPE h histogram\nh_bucket{le="1"} ${count}\nh_bucket{le="+Inf"} ${count}\n` +
    `h_sum ${count}\nh_count ${count}\n`,
  ]);
  const histogram = onlySeries(reportOfPages(buckets, part), "h");
  assert.deepEqual([histogram?.stats["count"], histogram?.stats["count_rate"]], [8, 4]);
});

Deno.test("seriesReports gives equal load equal rates, whatever else its page tells", () => {
  const tokens = [0, 100, 200, 300, 300, 300];
  const busy = (second: number) => `# TYPE cpu counter\ncpu ${second / 9}\n`;
  const page = (second: number) => `# TYPE a counter\na ${tokens[second]}\n`;
  const settings = { start: 0.5, end: 3, slice: 1 };
  const [plain, changing] = [() => "", busy].map((more) => {
    const pages = tokens.map((_, second): TimedPage => [second, page(second) + more(second)]);
    return onlySeries(reportOfPages(pages, settings), "a");
  });
  assert.deepEqual(plain?.stats["rate"], 120);
  assert.deepEqual(plain, changing);
});

Deno.test("seriesReports leaves gauges out of a phase without a scrape, and says so", () => {
  const pages = [0, 1, 2].map((second): TimedPage => [
    second,
    `# TYPE a counter\na ${second}\n# TYPE g gauge\ng ${second}\n`,
  ]);
  const { metrics, notes } = reportOfPages(pages, { start: 0.2, end: 0.7 });
  assert.deepEqual(metrics.map(({ name, series }) => [name, series[0]?.stats]), [
    ["a", { total: 2, rate: 4 }],
  ]);
  assert.deepEqual(notes, [
    `${ENDPOINT_URL}: no scrape fell between start and end, so gauges are left out`,
  ]);
});

Deno.test("seriesReports counts a counter without reference from its first sample", () => {
  assert.deepEqual(statsOf("counter", [100, 110, 130], { start: 0, end: 2 }).stats, {
    total: 30,
    rate: 15,
  });
  assert.deepEqual(statsOf("counter", [100], { start: 0, end: 2 }).stats, { total: 0, rate: 0 });
});

Deno.test("seriesReports clamps a counter that ended below its reference", () => {
  const below = statsOf("counter", [100, 120, 5, 20], { start: 0.5, end: 3.5 });
  assert.deepEqual([below.stats, below.reset], [{ total: 0, rate: 0 }, true]);
  const above = statsOf("counter", [100, 120, 5, 160], { start: 0.5, end: 3.5 });
  assert.deepEqual([above.stats, above.reset], [{ total: 60, rate: 20 }, true]);
  const atStart = statsOf("counter", [100, 50, 60], { start: 0.5, end: 2 });
  assert.equal(atStart.reset, true, "the fall is from the reference to the first sample");
});

Deno.test("seriesReports slices a counter by the window, not by its samples", () => {
  // Increases of 1, 2, 3, ... a second; slices of 2 s in a window of 5.
  const counter = statsOf("counter", [0, 1, 3, 6, 10, 15, 21], { start: 1, end: 6, slice: 2 });
  assert.deepEqual(slicesOf(counter), [
    { from: 1, to: 3, total: 5, rate: 2.5 },
    { from: 3, to: 5, total: 9, rate: 4.5 },
    { from: 5, to: 6, isComplete: false, total: 6, rate: 6 },
  ]);
  // Rates of the complete slices alone.
  assertClose(counter.stats, {
    total: 21,
    rate: 4.2,
    rate_avg: 3.5,
    rate_min: 2.5,
    rate_max: 4.5,
    rate_std: Math.SQRT2,
  });
});

Deno.test("seriesReports ends slices with the phase, and tells nothing of later ones", () => {
  const settings = { start: 1, end: 4.5, slice: 2 };
  const values = [0, 1, 3, 6, 10, 15, 21, 28, 36];
  assert.deepEqual(slicesOf(statsOf("counter", values, settings)), [
    { from: 1, to: 3, total: 5, rate: 2.5 },
    { from: 3, to: 4.5, isComplete: false, total: 4, rate: 4 / 1.5 },
  ]);
  assert.deepEqual(slicesOf(statsOf("gauge", values, settings)), [
    { from: 1, to: 3, avg: 2, min: 1, max: 3 },
    { from: 3, to: 4.5, isComplete: false, avg: 8, min: 6, max: 10 },
  ]);
  const pages = values.map((value, second): TimedPage => [
    second,
    `# TYPE h histogram\nh_bucket{le="+Inf"} ${value}\nh_sum ${value * 2}\nh_count ${value}\n`,
  ]);
  const histogram = onlySeries(reportOfPages(pages, settings), "h");
  assert.equal(histogram.stats["count"], 36);
  assert.deepEqual(slicesOf(histogram), [
    { from: 1, to: 3, count: 5, sum: 10, avg: 2, buckets: { "+Inf": 5 } },
    { from: 3, to: 4.5, isComplete: false, count: 4, sum: 8, avg: 2, buckets: { "+Inf": 4 } },
  ]);
});

Deno.test("seriesReports makes no slice of an interval that ends after the phase", () => {
  const counter = statsOf("counter", [0, 1, 3, 6, 10, 15], { start: 0.5, end: 3.5, slice: 0.2 });
  assert.deepEqual(slicesOf(counter), [
    { from: 1, to: 2, total: 2, rate: 2 },
    { from: 2, to: 3, total: 3, rate: 3 },
  ]);
});

Deno.test("seriesReports has no deviation of a single slice", () => {
  const { stats } = statsOf("counter", [0, 1, 3, 6], { start: 1, end: 4, slice: 2 });
  assert.deepEqual([stats["rate_avg"], stats["rate_std"]], [2.5, 0]);
});

Deno.test("seriesReports leaves a fall out of the slice that it is in", () => {
  const counter = statsOf("counter", [0, 10, 20, 4, 8, 12], { start: 1, end: 5, slice: 2 });
  assert.deepEqual(slicesOf(counter), [
    { from: 1, to: 3, total: 0, rate: 0 },
    { from: 3, to: 5, total: 8, rate: 4 },
  ]);
});

Deno.test("seriesReports has no slices of a counter with one sample", () => {
  const pages: TimedPage[] = [[0, "z 1\n# TYPE a counter\na 1\n"], [1, "z 2\n"], [2, "z 3\n"]];
  const lone = onlySeries(reportOfPages(pages, { start: 0, end: 2, slice: 1 }), "a");
  assert.deepEqual(slicesOf(lone), []);
  assert.deepEqual(lone.stats, { total: 0, rate: 0 });
});

Deno.test("seriesReports puts a gauge's sample into the slice that begins at or before it", () => {
  const gauge = statsOf("gauge", [1, 2, 3, 4, 5, 6, 9], { start: 1, end: 6, slice: 2 });
  assert.deepEqual(slicesOf(gauge), [
    { from: 1, to: 3, avg: 2.5, min: 2, max: 3 },
    { from: 3, to: 5, avg: 4.5, min: 4, max: 5 },
    // The sample at the very end belongs to the last slice.
    { from: 5, to: 6, isComplete: false, avg: 7.5, min: 6, max: 9 },
  ]);
});

Deno.test("seriesReports leaves out slices without a sample of the gauge", () => {
  const gauge = onlySeries(
    reportOfPages(
      [[0, "z 1\n# TYPE a gauge\na 1\n"], [1, "z 2\n"], [2, "z 3\n"], [3, "z 4\n"], [
        4,
        "z 5\n# TYPE a gauge\na 3\n",
      ]],
      { start: 0, end: 4, slice: 2 },
    ),
    "a",
  );
  assert.deepEqual(slicesOf(gauge), [
    { from: 0, to: 2, avg: 1, min: 1, max: 1 },
    { from: 2, to: 4, avg: 3, min: 3, max: 3 },
  ]);
  const seldom = onlySeries(
    reportOfPages(
      [
        [0, "z 1\n# TYPE a gauge\na 1\n"],
        ...[1, 2, 3, 4, 5].map((second): TimedPage => [
          second,
          `z ${second}\n${second === 5 ? "# TYPE a gauge\na 3\n" : ""}`,
        ]),
      ],
      { start: 0, end: 6, slice: 2 },
    ),
    "a",
  );
  assert.deepEqual((slicesOf(seldom) as { from: number }[]).map(({ from }) => from), [0, 4]);
});

Deno.test("seriesReports makes each interval a slice where slices are narrower", () => {
  const settings = { start: 1, end: 4, slice: 0.2 };
  assert.deepEqual(slicesOf(statsOf("counter", [0, 1, 3, 6, 10], settings)), [
    { from: 1, to: 2, total: 2, rate: 2 },
    { from: 2, to: 3, total: 3, rate: 3 },
    { from: 3, to: 4, total: 4, rate: 4 },
  ]);
  assert.deepEqual(slicesOf(statsOf("gauge", [0, 1, 3, 6, 10], settings)), [
    { from: 1, to: 2, avg: 1, min: 1, max: 1 },
    { from: 2, to: 3, avg: 3, min: 3, max: 3 },
    { from: 3, to: 4, avg: 8, min: 6, max: 10 },
  ]);
});

Deno.test("seriesReports makes no slices without end of a window with few samples", () => {
  for (const slice of [1e-9, 1e-6, 0.001]) {
    const one = statsOf("counter", [5, 7], { start: 0.5, end: 1, slice });
    assert.deepEqual(slicesOf(one), [], `${slice}`);
    assert.equal(one.stats["total"], 2);
  }
});

/** Pages with a histogram of bounds 1, 2, and infinity, one a second. */
function histogramPages(...states: readonly (readonly number[])[]): TimedPage[] {
  return states.map(([one, two, infinite, sum], second) => [
    second,
    `# TYPE h histogram\nh_bucket{le="1"} ${one}\nh_bucket{le="2"} ${two}\n` +
    `h_bucket{le="+Inf"} ${infinite}\nh_sum ${sum}\nh_count ${infinite}\n`,
  ]);
}

Deno.test("seriesReports has the observations of a histogram in the window", () => {
  const pages = histogramPages([10, 20, 20, 25], [11, 22, 22, 28], [12, 24, 24, 31]);
  const histogram = onlySeries(reportOfPages(pages, { start: 0.5, end: 2.5 }), "h");
  const { count, sum, avg, count_rate, sum_rate, ...estimates } = histogram.stats;
  assert.deepEqual({ count, sum, avg, count_rate, sum_rate }, {
    count: 4,
    sum: 6,
    avg: 1.5,
    count_rate: 2,
    sum_rate: 3,
  });
  assert.deepEqual(
    Object.keys(estimates),
    [1, 5, 10, 25, 50, 75, 90, 95, 99].map((p) => `p${p}_estimate`),
  );
  assert.deepEqual(histogram.buckets, [["1", 2], ["2", 4], ["+Inf", 4]]);
  for (const estimate of Object.values(estimates)) assert.ok(estimate > 0 && estimate <= 2);
});

Deno.test("seriesReports says of a histogram without observations that there were none", () => {
  const pages = histogramPages([10, 20, 20, 25], [10, 20, 20, 25]);
  const histogram = onlySeries(reportOfPages(pages, { start: 0.5, end: 1 }), "h");
  assert.deepEqual(histogram.stats, { count: 0 });
  assert.deepEqual(histogram.buckets, [["1", 0], ["2", 0], ["+Inf", 0]]);
});

Deno.test("seriesReports leaves out a histogram that does not say how much it counted", () => {
  const page = (second: number) =>
    `z ${second}\n# TYPE h histogram\nh_bucket{le="1"} ${second}\nh_sum ${second}\n`;
  const { metrics } = reportOfPages([[0, page(0)], [1, page(1)]], { start: 0.5, end: 1 });
  assert.deepEqual(metrics.map(({ name }) => name), ["z"]);
});

Deno.test("seriesReports has no buckets of a histogram that fell", () => {
  const pages = histogramPages([10, 20, 20, 25], [1, 2, 30, 60]);
  const mixed = onlySeries(reportOfPages(pages, { start: 0.5, end: 1.5 }), "h");
  assert.deepEqual(mixed.stats, { count: 10, sum: 35, avg: 3.5, count_rate: 10, sum_rate: 35 });
  assert.deepEqual([mixed.buckets, mixed.reset], [undefined, true]);
  const below = histogramPages([10, 20, 20, 25], [1, 2, 2, 3]);
  const fallen = onlySeries(reportOfPages(below, { start: 0.5, end: 1 }), "h");
  assert.deepEqual([fallen.stats, fallen.buckets, fallen.reset], [{ count: 0 }, undefined, true]);
});

Deno.test("seriesReports has between which values each percentile of a histogram lies", () => {
  const pages = histogramPages([10, 20, 20, 25], [13, 24, 24, 29.5], [16, 28, 29, 45]);
  const { stats, bounds } = onlySeries(reportOfPages(pages, { start: 0.5, end: 2 }), "h");
  const names = Object.keys(stats).filter((name) => name.endsWith("_estimate"));
  assert.deepEqual(Object.keys(bounds ?? {}), names);
  for (const name of names) {
    const [lower, upper] = bounds?.[name] ?? [NaN, NaN];
    const estimate = stats[name] as number;
    assert.ok(lower <= estimate && estimate <= upper, `${name}: ${lower} ${estimate} ${upper}`);
  }
  assert.deepEqual(bounds?.["p50_estimate"], [0, 1]);
  // The ninth of nine is above 2, and is what the others leave of 20.
  const [lower, upper] = bounds?.["p99_estimate"] ?? [NaN, NaN];
  assert.ok(lower === 1 && upper > 17.9 && upper < 18.1, `${lower} ${upper}`);
});

Deno.test("seriesReports estimates what a histogram counted since a restart, as its count does", () => {
  // Two slow observations, then a server that has only fast ones.
  const pages = histogramPages(
    ...[[0, 0, 0, 0], [0, 0, 2, 40], [1, 1, 1, 0.5], [8, 8, 8, 4]],
  );
  const { stats, bounds, buckets, reset } = onlySeries(
    reportOfPages(pages, { start: 0.5, end: 3 }),
    "h",
  );
  assert.deepEqual([stats["count"], stats["sum"], reset], [8, 4, true]);
  assert.deepEqual(buckets, [["1", 8], ["2", 8], ["+Inf", 8]]);
  assert.ok((stats["p99_estimate"] as number) <= 1, `${stats["p99_estimate"]}`);
  assert.deepEqual(bounds?.["p25_estimate"]?.[0], 0);
  assert.ok((bounds?.["p99_estimate"]?.[1] as number) <= 1);
  // From another reference the difference is that of no observations in particular.
  const later = histogramPages(...[[1, 1, 1, 1], [1, 1, 3, 41], [2, 2, 2, 1], [8, 8, 8, 4]]);
  const mixed = onlySeries(reportOfPages(later, { start: 0.5, end: 3 }), "h");
  assert.deepEqual([mixed.stats["count"], mixed.stats["sum"], mixed.reset], [7, 3, true]);
  assert.ok((mixed.stats["p99_estimate"] as number) <= 1);
  assert.deepEqual(mixed.bounds, {});
});

Deno.test("seriesReports slices a histogram", () => {
  const pages = histogramPages([0, 0, 0, 0], [1, 2, 2, 3], [2, 4, 4, 6], [2, 4, 5, 16]);
  const histogram = onlySeries(reportOfPages(pages, { start: 0.5, end: 3, slice: 1 }), "h");
  assert.deepEqual(slicesOf(histogram), [
    { from: 0.5, to: 1.5, count: 2, sum: 3, avg: 1.5, buckets: { "1": 1, "2": 2, "+Inf": 2 } },
    { from: 1.5, to: 2.5, count: 2, sum: 3, avg: 1.5, buckets: { "1": 1, "2": 2, "+Inf": 2 } },
    {
      from: 2.5,
      to: 3,
      isComplete: false,
      count: 1,
      sum: 10,
      avg: 10,
      buckets: { "1": 0, "2": 0, "+Inf": 1 },
    },
  ]);
});

Deno.test("seriesReports leaves out a slice in which a histogram fell", () => {
  const pages = histogramPages([4, 8, 8, 9], [5, 9, 9, 10], [0, 1, 1, 2], [9, 12, 12, 15]);
  const histogram = onlySeries(reportOfPages(pages, { start: 0.5, end: 3.5, slice: 1 }), "h");
  assert.deepEqual((slicesOf(histogram) as { from: number }[]).map(({ from }) => from), [0.5, 2.5]);
});

Deno.test("buildServerMetricsReport dates everything with whole nanoseconds", () => {
  const pages = pagesOf("counter", [1, 2, 3], 0.123456789);
  const report = reportOfPages(pages, { start: 0.123456789, end: 2.987654321, slice: 1 });
  assert.equal(report.startNs, 1_765_000_000_246_913_578n);
  assert.equal(report.endNs, 1_765_000_003_111_111_110n);
  assert.equal(report.endpoints[0]?.firstFetchNs, 1_765_000_000_246_913_578n);
  assert.equal(report.endpoints[0]?.lastFetchNs, 1_765_000_002_246_913_578n);
  assert.deepEqual(
    onlySeries(report, "a").slices?.map(({ endNs }) => endNs),
    [1_765_000_001_246_913_578n, 1_765_000_002_246_913_578n, 1_765_000_003_111_111_110n],
  );
});

Deno.test("buildServerMetricsReport tells how each endpoint was scraped, over the whole run", () => {
  const page = (value: number) => `a ${value}\n`;
  const [endpoint] = reportOfPages([
    [0, page(1)],
    [1, page(1)],
    [2, page(2)],
    [3, page(3)],
    [5, page(3)],
    [7, page(4)],
  ], { start: 2, end: 7 }).endpoints;
  assert.deepEqual(endpoint, {
    url: "http://node1:8000/metrics",
    totalFetches: 6,
    firstFetchNs: BASE_EPOCH_NS,
    lastFetchNs: BASE_EPOCH_NS + 7_000_000_000n,
    avgFetchLatencyMs: 1,
    maxFetchLatencyMs: 1,
    // Twice a millisecond in five seconds.
    rateErrorShare: 0.0004,
    uniqueUpdates: 4,
    firstUpdateNs: BASE_EPOCH_NS,
    lastUpdateNs: BASE_EPOCH_NS + 7_000_000_000n,
    durationSeconds: 7,
    avgUpdateIntervalMs: 7000 / 3,
    medianUpdateIntervalMs: 2000,
    failures: {},
    skippedScrapes: 0,
    latenessP99Ms: 0,
    place: undefined,
    parseErrors: 0,
    droppedSeries: 0,
  });
});

Deno.test("buildServerMetricsReport says why an endpoint without data has none", () => {
  const { endpoints, metrics, notes } = reportOf([
    scrapedEndpoint(endpointOf([[0, "a NaN\n"]]), { failures: new Map([["HTTP 500", 7]]) }),
  ], { start: 0, end: 1 });
  assert.deepEqual([endpoints, metrics], [[], []]);
  assert.deepEqual(notes, [
    "http://node1:8000/metrics: non-finite values are left out: a",
    "http://node1:8000/metrics: scrapes failed: 7 x HTTP 500",
  ]);
});

Deno.test("buildServerMetricsReport says that it leaves out how long a server runs", () => {
  const page = "svc_uptime_seconds 55\nother_uptime 3\nuptime_seconds 7\nx_created 1.7e9\n";
  const { metrics, notes } = reportOfPages([[0, page], [1, page]], { start: 0, end: 1 });
  assert.deepEqual(metrics.map(({ name }) => name), ["uptime_seconds"]);
  assert.deepEqual(notes, [
    "http://node1:8000/metrics: uptime metrics are left out, as in AIPerf: " +
    "svc_uptime_seconds, other_uptime",
  ]);
});

Deno.test("buildServerMetricsReport names at most five metrics in a note", () => {
  const page = Array.from({ length: 7 }, (_, index) => `m${index} NaN\n`).join("");
  const { notes } = reportOfPages([[0, `ok 1\n${page}`]], { start: 0, end: 1 });
  assert.match(notes[0] ?? "", /left out: m0, m1, m2, m3, m4 and 2 more$/);
});

Deno.test("buildServerMetricsReport has no interval between fewer than two updates", () => {
  const [endpoint] = reportOfPages([[0, "a 1\n"], [1, "a 1\n"]], { start: 0, end: 1 }).endpoints;
  assert.equal(endpoint?.avgUpdateIntervalMs, 0);
  assert.ok(Number.isNaN(endpoint?.medianUpdateIntervalMs));
});
