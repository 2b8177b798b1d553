import assert from "node:assert/strict";
import { type Lane, type LanePlot, laneReading } from "../../../src/core/chart/lane_plot.ts";
import { laneBoxes, lanePlotSvg } from "../../../src/core/chart/lane_plot_svg.ts";

const LANES: readonly Lane[] = [
  {
    label: "main",
    depth: 0,
    calls: [
      { due: 0, start: 0, first: 1, end: 2, criticalUntil: 2, tokens: [900, 0, 20] },
      { from: 2, due: 5, start: 6, first: 7, end: 10, gap: "tool", tokens: [1000, 900, null] },
    ],
  },
  {
    label: 'find <the> "file" in all of the folders',
    depth: 1,
    calls: [{ from: 2, due: 2, start: 2, end: 4, hasFailed: true, tokens: [null, null, null] }],
  },
];
const PLOT: LanePlot = {
  kind: "lanes",
  id: "x",
  name: "Calls of a session",
  duration: 10,
  lanes: LANES,
  links: [{ from: 0, to: 1, at: 2 }],
};

/** The commands of the path with a fill. */
function pathOf(svg: string, fill: string): string {
  return new RegExp(`<path d="([^"]*)" fill="${fill.replace(/[()]/g, "\\$&")}"`).exec(svg)?.[1] ??
    "";
}

Deno.test("laneBoxes places calls by their times, the same scale in all lanes", () => {
  const boxes = laneBoxes(PLOT, 1184);
  assert.deepEqual(boxes.map(({ lane, call }) => [lane, call]), [[0, 0], [0, 1], [1, 0]]);
  const perSecond = (1184 - 14 - 170) / 10;
  assert.deepEqual(boxes.map(({ x, width }) => [x, width]), [
    [170, 2 * perSecond],
    [170 + 5 * perSecond, 5 * perSecond],
    [170 + 2 * perSecond, 2 * perSecond],
  ]);
  const [first, second, third] = boxes.map(({ y }) => y) as [number, number, number];
  assert.equal(first, second);
  assert.ok(third > first);
});

Deno.test("lanePlotSvg draws waiting, prefill, decode, failures and hatched tool time", () => {
  const svg = lanePlotSvg(PLOT, 1184);
  assert.equal(pathOf(svg, "var(--queue)").match(/M/g)?.length, 1);
  assert.equal(pathOf(svg, "var(--prefill)").match(/M/g)?.length, 2);
  assert.equal(pathOf(svg, "var(--decode)").match(/M/g)?.length, 2);
  assert.equal(pathOf(svg, "var(--bad)").match(/M/g)?.length, 1);
  assert.equal(pathOf(svg, "var(--ink)"), "M170 43h200v2.5h-200z");
  assert.equal(pathOf(svg, "url(#hatch-x)"), "M370 30h300v6h-300z");
  assert.match(svg, /<pattern id="hatch-x"/);
  assert.match(svg, />└ find &lt;the&gt; &quot;file&quot; i…</);
});

Deno.test("lanePlotSvg puts names above the lanes on narrow screens", () => {
  const [wide, narrow] = [1184, 360].map((width) => lanePlotSvg(PLOT, width)) as [string, string];
  const heightOf = (svg: string) => Number(/ height="(\d+)"/.exec(svg)?.[1]);
  assert.ok(heightOf(narrow) > heightOf(wide));
  const ends = laneBoxes(PLOT, 360).map(({ x, width }) => x + width);
  assert.ok(ends.every((end) => end <= 360), `${ends}`);
});

Deno.test("laneReading has the times and tokens of a call that are known", () => {
  const [main, other] = LANES as [Lane, Lane];
  assert.deepEqual(laneReading(main, 1), {
    place: "main, call 2",
    rows: [
      ["start", "6,000 ms"],
      ["tool", "3,000 ms"],
      ["waiting", "1,000 ms"],
      ["TTFT", "1,000 ms"],
      ["decode", "3,000 ms"],
      ["prompt", "1,000 tokens"],
      ["cached", "900 tokens"],
    ],
  });
  assert.match(laneReading(main, 0)?.place ?? "", /\(critical path\)$/);
  assert.match(laneReading(other, 0)?.place ?? "", /\(failed\)$/);
  assert.deepEqual(laneReading(other, 0)?.rows, [["start", "2,000 ms"], ["latency", "2,000 ms"]]);
  assert.equal(laneReading(other, 1), undefined);
});
