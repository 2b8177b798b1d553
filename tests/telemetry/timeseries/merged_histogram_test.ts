import assert from "node:assert/strict";
import { mergedHistogram } from "../../../src/telemetry/timeseries/merged_histogram.ts";
import { HistogramSeries } from "../../../src/telemetry/timeseries/series.ts";
import { endpointOf, type TimedPage } from "../../support/metrics_pages.ts";

/** A page with counts up to 0.1 s and in all. */
function page(quick: number, all: number, bound = 0.1): string {
  return "# TYPE h histogram\n" +
    `h_bucket{le="${bound}"} ${quick}\nh_bucket{le="+Inf"} ${all}\nh_sum ${all}\nh_count ${all}\n`;
}

function instance(...pages: readonly TimedPage[]) {
  const endpoint = endpointOf(pages);
  const [series] = endpoint.series;
  assert.ok(series instanceof HistogramSeries);
  return { series, timesNs: endpoint.timesNs, firstPageNs: endpoint.firstPageNs(series) };
}

const WINDOW = { startNs: 0.5e9, endNs: 3e9 };

Deno.test("mergedHistogram adds the newest counts of instances at every scrape", () => {
  const a = instance([0, page(1, 2)], [1, page(2, 4)], [2, page(2, 6)]);
  const b = instance([0, page(5, 5)], [1.5, page(6, 7)]);
  const merged = mergedHistogram([a, b], WINDOW);
  assert.deepEqual([...merged?.timesNs ?? []], [0.5e9, 1e9, 1.5e9, 2e9]);
  const { bounds, counts, cumulative, sums } = merged?.window ?? {};
  assert.deepEqual(bounds, ["0.1", "+Inf"]);
  assert.deepEqual([...counts ?? []], [7, 9, 11, 13]);
  assert.deepEqual([...sums ?? []], [7, 9, 11, 13]);
  assert.deepEqual([...cumulative ?? []], [6, 7, 7, 9, 8, 11, 8, 13]);
});

Deno.test("mergedHistogram gives none where bounds differ or counts fell", () => {
  const a = instance([0, page(1, 2)], [1, page(2, 4)]);
  const other = instance([0, page(1, 2, 0.2)], [1, page(2, 4, 0.2)]);
  const restarted = instance([0, page(5, 6)], [1, page(0, 1)]);
  assert.equal(mergedHistogram([a, other], WINDOW), undefined);
  assert.equal(mergedHistogram([a, restarted], WINDOW), undefined);
  assert.equal(mergedHistogram([], WINDOW), undefined);
});
