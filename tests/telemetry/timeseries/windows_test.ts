/** Windows, references, and births of series, written down by hand. */

import assert from "node:assert/strict";
import { EndpointSeries } from "../../../src/telemetry/timeseries/endpoint_series.ts";
import { histogramSamples } from "../../../src/telemetry/timeseries/histogram_samples.ts";
import { metricRows, type NumberName } from "../../../src/telemetry/timeseries/metric_rows.ts";
import { scalarWindow } from "../../../src/telemetry/timeseries/scalar_window.ts";
import { HistogramSeries, ScalarSeries } from "../../../src/telemetry/timeseries/series.ts";
import type { TimeWindow } from "../../../src/telemetry/timeseries/time_window.ts";
import { endpointOf, type TimedPage } from "../../support/metrics_pages.ts";

function seconds(start: number, end: number): TimeWindow {
  return { startNs: start * 1e9, endNs: end * 1e9 };
}

/** A window of the only series as `[second, value]`, its reference first. */
function windowOf(endpoint: EndpointSeries, window: TimeWindow, name = "a"): unknown {
  const series = [...endpoint.series].find(({ identity }) => identity.name === name);
  assert.ok(series instanceof ScalarSeries);
  const samples = scalarWindow(
    series.values,
    endpoint.timesNs,
    endpoint.firstPageNs(series),
    window,
  );
  if (samples === undefined) return undefined;
  const { timesNs, values, reference } = samples;
  return {
    reference: reference === undefined ? undefined : [reference.timeNs / 1e9, reference.value],
    samples: [...values].map((value, index) => [(timesNs[index] as number) / 1e9, value]),
  };
}

/** A counter `a` with a value at each second; undefined for a page without it. */
function counter(...values: readonly (number | undefined)[]): EndpointSeries {
  return endpointOf(values.map((value, second): TimedPage => [
    second,
    `# TYPE other gauge\nother ${second}\n` +
    (value === undefined ? "" : `# TYPE a counter\na ${value}\n`),
  ]));
}

Deno.test("scalarWindow has the samples from start to end, both included", () => {
  const endpoint = counter(1, 2, 3, 4, 5);
  assert.deepEqual(windowOf(endpoint, seconds(1, 3)), {
    reference: [0, 1],
    samples: [[1, 2], [2, 3], [3, 4]],
  });
  assert.deepEqual(windowOf(endpoint, seconds(1.5, 3.5)), {
    reference: [1, 2],
    samples: [[2, 3], [3, 4]],
  });
});

Deno.test("scalarWindow has no reference where nothing was scraped before", () => {
  assert.deepEqual(windowOf(counter(1, 2, 3), seconds(0, 9)), {
    reference: undefined,
    samples: [[0, 1], [1, 2], [2, 3]],
  });
});

Deno.test("scalarWindow has the last sample before a gap as its reference", () => {
  assert.deepEqual(windowOf(counter(1, 2, undefined, undefined, 5), seconds(3, 4)), {
    reference: [1, 2],
    samples: [[4, 5]],
  });
});

Deno.test("scalarWindow is undefined without a sample in the window", () => {
  assert.equal(windowOf(counter(1, 2, undefined, undefined), seconds(2, 3)), undefined);
  assert.equal(windowOf(counter(undefined, undefined, 3), seconds(0, 1)), undefined);
  assert.equal(windowOf(counter(1, 2), seconds(5, 9)), undefined);
  assert.equal(windowOf(counter(1, 2, 3), seconds(1.2, 1.8)), undefined);
});

Deno.test("scalarWindow lets a series count from zero that the scrape before did not have", () => {
  assert.deepEqual(windowOf(counter(undefined, undefined, 7, 8), seconds(1.5, 3)), {
    reference: [1, 0],
    samples: [[2, 7], [3, 8]],
  });
  assert.deepEqual(windowOf(counter(undefined, undefined, undefined, 8), seconds(1.5, 3)), {
    reference: [1, 0],
    samples: [[3, 8]],
  });
});

Deno.test("scalarWindow finds a birth also where all scrapes are in the window", () => {
  assert.deepEqual(windowOf(counter(undefined, undefined, 7, 8), seconds(0, 3)), {
    reference: [0, 0],
    samples: [[2, 7], [3, 8]],
  });
});

Deno.test("scalarWindow finds a birth after a page that was empty", () => {
  const endpoint = endpointOf([[0, ""], [1, "a 7\n"], [2, "a 8\n"]]);
  assert.deepEqual(windowOf(endpoint, seconds(0.5, 3)), {
    reference: [0, 0],
    samples: [[1, 7], [2, 8]],
  });
});

Deno.test("scalarWindow does not believe in a birth after a page that was cut off", () => {
  const whole = "# TYPE b gauge\nb 1\n# TYPE a counter\na ";
  const endpoint = endpointOf([
    [0, whole.slice(0, 20)],
    [1, `${whole}700\n`],
    [2, `${whole}701\n`],
  ]);
  assert.deepEqual(windowOf(endpoint, seconds(0.5, 3)), {
    reference: undefined,
    samples: [[1, 700], [2, 701]],
  });
});

Deno.test("scalarWindow believes a server that never ends its last line", () => {
  const endpoint = endpointOf([[0, "b 1"], [1, "b 1\na 7"], [2, "b 1\na 8"]]);
  assert.deepEqual(windowOf(endpoint, seconds(0.5, 3)), {
    reference: [0, 0],
    samples: [[1, 7], [2, 8]],
  });
});

Deno.test("scalarWindow does not take a value for newborn that was no number before", () => {
  const endpoint = endpointOf([[0, "b 1\na NaN\n"], [1, "b 1\na 700\n"], [2, "b 1\na 701\n"]]);
  assert.deepEqual(windowOf(endpoint, seconds(0.5, 3)), {
    reference: undefined,
    samples: [[1, 700], [2, 701]],
  });
});

/** A histogram `h` at each second: counts of its buckets by bound, and sum and count. */
function histogram(
  ...states: readonly (Readonly<Record<string, number | undefined>> | undefined)[]
): EndpointSeries {
  return endpointOf(states.map((state, second): TimedPage => {
    const lines = Object.entries(state ?? {}).filter(([, value]) => value !== undefined)
      .map(([part, value]) =>
        part === "sum" || part === "count"
          ? `h_${part} ${value}\n`
          : `h_bucket{le="${part}"} ${value}\n`
      );
    return [second, `other ${second}\n# TYPE h histogram\n${lines.join("")}`];
  }));
}

function histogramOf(endpoint: EndpointSeries, window: TimeWindow, unchanged = false): unknown {
  const series = [...endpoint.series].find((series) => series instanceof HistogramSeries);
  assert.ok(series instanceof HistogramSeries);
  const samples = histogramSamples(
    series,
    endpoint.timesNs,
    endpoint.firstPageNs(series),
    window,
    { unchanged },
  );
  if (samples === undefined) return undefined;
  const { bounds, cumulative, sums, counts } = samples.window;
  return {
    bounds,
    rows: [...samples.timesNs].map((timeNs, row) => [
      timeNs / 1e9,
      [...cumulative.subarray(row * bounds.length, (row + 1) * bounds.length)],
      sums[row],
      counts[row],
    ]),
    reset: samples.reset,
    isBorn: samples.isBorn,
    boundsChanged: samples.boundsChanged,
  };
}

const USUAL = { reset: false, isBorn: false, boundsChanged: false };

Deno.test("histogramSamples has the reference and the samples of the window", () => {
  const endpoint = histogram(
    { "1": 1, "+Inf": 2, sum: 3, count: 2 },
    { "1": 2, "+Inf": 4, sum: 6, count: 4 },
    { "1": 3, "+Inf": 6, sum: 9, count: 6 },
    { "1": 4, "+Inf": 8, sum: 12, count: 8 },
  );
  assert.deepEqual(histogramOf(endpoint, seconds(1, 2)), {
    bounds: ["1", "+Inf"],
    rows: [[0, [1, 2], 3, 2], [1, [2, 4], 6, 4], [2, [3, 6], 9, 6]],
    ...USUAL,
  });
});

Deno.test("histogramSamples leaves out samples that equal the one before, but the last", () => {
  const same = { "+Inf": 2, sum: 3, count: 2 };
  const more = { "+Inf": 3, sum: 4, count: 3 };
  const endpoint = histogram(same, same, same, more, more, more);
  const rows = (unchanged: boolean) =>
    (histogramOf(endpoint, seconds(0.5, 9), unchanged) as { rows: number[][] }).rows
      .map(([second]) => second);
  assert.deepEqual(rows(false), [0, 3, 5]);
  assert.deepEqual(rows(true), [0, 1, 2, 3, 4, 5]);
});

Deno.test("histogramSamples is undefined for a histogram that was gone before the window", () => {
  const state = { "+Inf": 2, sum: 3, count: 2 };
  assert.equal(
    histogramOf(histogram(state, state, undefined, undefined), seconds(2, 3)),
    undefined,
  );
});

Deno.test("histogramSamples counts from zero where the scrape before had no such histogram", () => {
  const endpoint = histogram(undefined, undefined, { "1": 3, "+Inf": 4, sum: 5, count: 4 });
  assert.deepEqual(histogramOf(endpoint, seconds(1.5, 9)), {
    bounds: ["1", "+Inf"],
    rows: [[1, [0, 0], 0, 0], [2, [3, 4], 5, 4]],
    ...USUAL,
    isBorn: true,
  });
});

Deno.test("histogramSamples counts observations by the infinite bucket where there is no count", () => {
  const endpoint = histogram({ "1": 1, "+Inf": 2, sum: 3 }, { "1": 2, "+Inf": 5, sum: 9 });
  assert.deepEqual(histogramOf(endpoint, seconds(1, 1)), {
    bounds: ["1", "+Inf"],
    rows: [[0, [1, 2], 3, 2], [1, [2, 5], 9, 5]],
    ...USUAL,
  });
});

Deno.test("histogramSamples has no sums where the server tells none", () => {
  const endpoint = histogram({ "1": 1, "+Inf": 2, count: 2 }, { "1": 2, "+Inf": 5, count: 5 });
  assert.deepEqual(histogramOf(endpoint, seconds(1, 1)), {
    bounds: ["1", "+Inf"],
    rows: [[0, [1, 2], NaN, 2], [1, [2, 5], NaN, 5]],
    ...USUAL,
  });
});

Deno.test("histogramSamples uses the bounds that both ends have", () => {
  const endpoint = histogram(
    { "1": 1, "2": 2, "+Inf": 3, sum: 4, count: 3 },
    { "1": 2, "5": 4, "+Inf": 6, sum: 8, count: 6 },
    { "1": 3, "5": 6, "+Inf": 9, sum: 12, count: 9 },
  );
  assert.deepEqual(histogramOf(endpoint, seconds(1, 2)), {
    bounds: ["1", "+Inf"],
    rows: [[0, [1, 3], 4, 3], [1, [2, 6], 8, 6], [2, [3, 9], 12, 9]],
    ...USUAL,
    boundsChanged: true,
  });
  assert.deepEqual(histogramOf(endpoint, seconds(2, 2)), {
    bounds: ["1", "5", "+Inf"],
    rows: [[1, [2, 4, 6], 8, 6], [2, [3, 6, 9], 12, 9]],
    ...USUAL,
  });
});

Deno.test("histogramSamples carries a bucket over a scrape that left it out", () => {
  const endpoint = histogram(
    { "1": 1, "+Inf": 3, sum: 4, count: 3 },
    { "+Inf": 6, sum: 8, count: 6 },
    { "1": 5, "+Inf": 9, sum: 12, count: 9 },
  );
  assert.deepEqual(histogramOf(endpoint, seconds(1, 2)), {
    bounds: ["1", "+Inf"],
    rows: [[0, [1, 3], 4, 3], [1, [1, 6], 8, 6], [2, [5, 9], 12, 9]],
    ...USUAL,
  });
});

Deno.test("histogramSamples tells of numbers that fell", () => {
  const before = { "1": 5, "+Inf": 9, sum: 12, count: 9 };
  const falls = [
    { "1": 1, "+Inf": 2, sum: 3, count: 2 },
    { "1": 4, "+Inf": 9, sum: 12, count: 9 },
    { "1": 5, "+Inf": 9, sum: 12, count: 8 },
  ];
  for (const after of falls) {
    const { reset } = histogramOf(histogram(before, after), seconds(1, 1)) as { reset: boolean };
    assert.equal(reset, true, JSON.stringify(after));
  }
});

/** The rows one by one, null where there is no number. */
function rowsOf(endpoint: EndpointSeries, window: TimeWindow) {
  return [...metricRows(endpoint, window)].flatMap(({ identity, timesNs, numbers, bounds }) =>
    [...timesNs].map((timeNs, row) => {
      const numberOf = (name: NumberName) => {
        const number = numbers[name]?.[row] ?? NaN;
        return Number.isNaN(number) ? null : number;
      };
      return [
        ...[identity.name, timeNs / 1e9, numberOf("value"), numberOf("sum"), numberOf("count")],
        ...[bounds[row % bounds.length] ?? null, numberOf("bucketCount")],
      ];
    })
  );
}

Deno.test("metricRows has counters as increases since their reference, and gauges as they were", () => {
  const page = (second: number): string =>
    `# TYPE c counter\nc ${10 + second * second}\n# TYPE g gauge\ng ${second}\n` +
    `# TYPE h histogram\nh_bucket{le="1"} ${second}\nh_bucket{le="+Inf"} ${second * 3}\n` +
    `h_sum ${second * 2}\n`;
  const endpoint = endpointOf([0, 1, 2, 3].map((second): TimedPage => [second, page(second)]));
  assert.deepEqual(rowsOf(endpoint, seconds(2, 3)), [
    ["c", 2, 3, null, null, null, null],
    ["c", 3, 8, null, null, null, null],
    ["g", 2, 2, null, null, null, null],
    ["g", 3, 3, null, null, null, null],
    ["h", 2, null, 2, 3, "1", 1],
    ["h", 2, null, 2, 3, "+Inf", 3],
    ["h", 3, null, 4, 6, "1", 2],
    ["h", 3, null, 4, 6, "+Inf", 6],
  ]);
});

Deno.test("metricRows has no sum where the server tells none", () => {
  const page = (count: number) => `# TYPE h histogram\nh_bucket{le="+Inf"} ${count}\n`;
  const rows = rowsOf(endpointOf([[0, page(1)], [1, page(4)]]), seconds(1, 1));
  assert.deepEqual(rows, [["h", 1, null, null, 3, "+Inf", 3]]);
});

Deno.test("metricRows clamps what fell", () => {
  const rows = rowsOf(counter(5, 9, 2, 7), seconds(1, 3));
  assert.deepEqual(rows.filter(([name]) => name === "a").map(([, , value]) => value), [4, 0, 2]);
});

Deno.test("metricRows has no row for the scrape before a series was born", () => {
  const endpoint = endpointOf([
    [0, "other 1\n"],
    [1, '# TYPE c counter\nc 4\n# TYPE h histogram\nh_bucket{le="+Inf"} 3\nh_count 3\n'],
  ]);
  assert.deepEqual(
    rowsOf(endpoint, seconds(0, 1)).map(([name, second, value, , , , bucketCount]) => [
      ...[name, second, value, bucketCount],
    ]),
    [["other", 0, 1, null], ["c", 1, 4, null], ["h", 1, null, 3]],
  );
});

Deno.test("metricRows gives a long histogram in parts, in the order of time", () => {
  const endpoint = new EndpointSeries();
  const samples = 20_000;
  for (let row = 0; row < samples; row++) {
    endpoint.add({
      ...{ sentNs: row, firstByteNs: row, latencyNs: 0, duplicate: false, isWhole: true },
      newSeries: row > 0 ? [] : ["1", "+Inf"].map((bound, id) => ({
        ...{ id, name: "h_bucket", labels: [["le", bound]] as const },
      })),
      metadata: row > 0 ? undefined : [{ name: "h", type: "histogram", help: "", unit: "" }],
      ...{ ids: Int32Array.of(0, 1), values: Float64Array.of(row, row * 2), problemCount: 0 },
    });
  }
  const parts = [...metricRows(endpoint, { startNs: 10, endNs: samples })];
  assert.ok(parts.length > 1);
  assert.ok(parts.every(({ timesNs }) => timesNs.length < samples));
  const counts = parts.flatMap(({ numbers }) => [...numbers.bucketCount ?? []]);
  const times = parts.flatMap(({ timesNs }) => [...timesNs]);
  const expected = Array.from({ length: samples - 10 }, (_, index) => index + 10);
  assert.deepEqual(times, expected.flatMap((row) => [row, row]));
  assert.deepEqual(counts, expected.flatMap((row) => [row - 9, (row - 9) * 2]));
});
