import assert from "node:assert/strict";
import { independentLoad } from "../../../scripts/bench/observations/simulated_runs.ts";
import type { RunSample } from "../../../src/measurement/compare/run_sample.ts";
import { comparisonPage } from "../../../src/report/html/comparison_page.ts";
import { comparisonTimeline } from "../../../src/report/html/comparison_timeline.ts";
import {
  comparisonVerdict,
  differenceFinding,
} from "../../../src/report/html/difference_findings.ts";
import { comparisonView } from "../../support/comparison_views.ts";

const load = independentLoad(400, 8);
const HOSTILE = `</script><img src=x onerror=alert(1)>"'&`;

function pageOf(view: ReturnType<typeof comparisonView>): string {
  return [...comparisonPage(view, { summaryJson: "{}", summaryName: "comparison.json" })].join("");
}

/** What a reader sees: the page without its script, style and data. */
function shown(page: string): string {
  return page.replace(/<(script|style)[^>]*>[^]*?<\/\1>/g, "");
}

/** A run of which nothing succeeded. */
function failed(run: RunSample): RunSample {
  return { ...run, endSeconds: run.endSeconds.map(() => NaN), columns: new Map() };
}

Deno.test("comparisonPage has all sides in every picture, and the words of the comparison", () => {
  const view = comparisonView([
    ["old", [load.run(1, 1)]],
    ["new", [load.run(2, 1.2)]],
    ["next", [load.run(3, 1), load.run(4, 1)]],
  ]);
  const page = pageOf(view);
  assert.match(page, /<h1>new, next compared with old<\/h1>/);
  assert.match(page, /<strong>Compared with old, new is worse in .*latency p50 \(\+[12]\d\.\d %\)/);
  assert.match(page, /<strong>No difference between old and next is significant/);
  assert.match(page, /2 runs, 800 requests/);
  const data = JSON.parse(/id="data">([^]*?)<\/script>/.exec(page)?.[1] ?? "");
  assert.ok(data.charts.length >= 12);
  for (const { id, series } of data.charts) {
    const labels = series.map(({ label }: { label: string }) => label.replace(/ p\d+$/, ""));
    assert.deepEqual(new Set(labels), new Set(["old", "new", "next"]), id);
    assert.ok(page.includes(`id="chart-${id}"`), id);
  }
  for (const figure of page.match(/<figure[^]*?<\/figure>/g) ?? []) {
    assert.match(figure, /<h3>[^<]+<\/h3>/);
    assert.match(figure, /role="img" aria-label="[^"]+"/);
    assert.match(figure, /<table>/);
  }
  assert.doesNotMatch(shown(page), /\s(style|on\w+)=|(src|href)="(?!#)|NaN|undefined|Infinity/);
});

Deno.test("comparisonPage shows names as text", () => {
  const page = pageOf(
    comparisonView([[HOSTILE, [load.run(1, 1)]], ["b", [load.run(2, 1)]]], {
      settings: [{ name: HOSTILE, values: [HOSTILE, "2"] }],
    }),
  );
  assert.doesNotMatch(shown(page), /<img/);
  assert.equal(page.match(/<\/script>/g)?.length, 3);
});

Deno.test("comparisonPage tells of sides without a success, and of plans that differ", () => {
  const none = pageOf(comparisonView([["a", [load.run(1, 1)]], ["b", [failed(load.run(2, 1))]]]));
  assert.match(none, /chart-time-failed/);
  assert.doesNotMatch(shown(none), /NaN|undefined|Infinity/);
  const empty = pageOf(
    comparisonView([["a", [failed(load.run(1, 1))]], ["b", [failed(load.run(2, 1))]]]),
  );
  assert.doesNotMatch(shown(empty), /chart-ttft|NaN|undefined|Infinity/);
  const settings = [{ name: "seed", values: ["1", "2"] }];
  const page = pageOf(
    comparisonView([["a", [load.run(1, 1)]], ["b", [load.run(2, 1)]]], { settings }),
  );
  assert.match(page, /<th scope="row">seed<\/th><td class="text">1<\/td><td class="text">2<\/td>/);
});

Deno.test("comparisonTimeline ends a side's rates with its last run, and means those that go on", () => {
  const [short, long] = [independentLoad(100, 8).run(1, 1), independentLoad(400, 8).run(1, 1)];
  const charts = comparisonTimeline(comparisonView([["a", [short]], ["b", [long, short]]]));
  const rates = charts.find(({ id }) => id === "time-requests");
  const [a, b] = rates?.series ?? [];
  const half = Math.floor((a?.y.length ?? 0) / 2);
  assert.equal(a?.y[half], null);
  assert.ok((b?.y[half] ?? 0) > 0);
  // Of b's second run, which is a's, all is like a while it goes on.
  assert.ok(Math.abs((a?.y[1] ?? 0) - (b?.y[1] ?? 0)) < 0.5 * (a?.y[1] ?? 0));
  const flight = charts.find(({ id }) => id === "time-in-flight")?.series[1];
  assert.ok(Math.max(...(flight?.y ?? []).map((value) => value ?? 0)) <= 8.01);
});

Deno.test("differenceFinding and comparisonVerdict say what is worse, better, or not to be told", () => {
  const { comparisons } = comparisonView([["a", [load.run(1, 1)]], ["b", [load.run(2, 0.8)]]]);
  assert.match(
    differenceFinding(comparisons, "latency p50"),
    /^latency p50 is better: \d+ -> \d+ ms \(-\d\d\.\d %\)$/,
  );
  assert.match(
    differenceFinding(comparisons, "error rate"),
    /^error rate: not significant \(0 -> 0 %, 0.0 points\)$/,
  );
  assert.equal(differenceFinding(comparisons, "nothing"), "");
  const [one] = comparisons;
  assert.match(
    comparisonVerdict(one as NonNullable<typeof one>),
    /^Compared with a, b is better in /,
  );
});
