import assert from "node:assert/strict";
import type { Chart, ChartSeries } from "../../../src/core/chart/chart.ts";
import { chartSvg } from "../../../src/core/chart/chart_svg.ts";

const SIZE = { width: 400, height: 200, isFile: false };

function chartOf(...series: ChartSeries[]): Chart {
  return {
    id: "c",
    title: "T <1>",
    caption: "C",
    x: { label: "time", unit: "s", scale: "linear", min: 0, max: 10 },
    y: { label: "load", unit: "%", scale: "linear", min: 0, max: 100 },
    series,
    marks: [],
    spans: [],
  };
}

/** Everything that is drawn of series. */
function pathsOf(svg: string): string[] {
  return [...svg.matchAll(/<path d="([^"]*)"/g)].map(([, path]) => path as string);
}

Deno.test("chartSvg draws lines, steps, bars and bands where their values are, with gaps", () => {
  const base = { label: "l", color: "blue" as const, x: [0, 5, 10] };
  // The plot is 224 pixels wide from 58 on, and 154 high from 162 up.
  const line = chartSvg(chartOf({ ...base, shape: "line", y: [0, 50, 100] }), SIZE);
  assert.deepEqual(pathsOf(line), ["M58 162L170 85L282 8"]);
  const steps = chartSvg(chartOf({ ...base, shape: "steps", y: [0, 50, 100] }), SIZE);
  assert.deepEqual(pathsOf(steps), ["M58 162H170V85H282V8"]);
  const bars = chartSvg(chartOf({ ...base, shape: "bars", y: [50, 100, 7] }), SIZE);
  assert.deepEqual(pathsOf(bars), ["M58 162V85H170V162ZM170 162V8H282V162Z"]);
  const band = chartSvg(
    chartOf({ ...base, shape: "band", y: [0, 0, 0], upper: [50, 50, 50] }),
    SIZE,
  );
  assert.deepEqual(pathsOf(band), ["M58 85L170 85L282 85L282 162L170 162L58 162Z"]);
  const stack = chartSvg(
    chartOf({ ...base, shape: "stack", y: [0, 0, 0], upper: [50, 100, 7] }),
    SIZE,
  );
  assert.deepEqual(pathsOf(stack), ["M58 162V85H170V162ZM170 162V8H282V162Z"]);
  const gap = chartSvg(
    chartOf({ ...base, x: [0, 2.5, 5, 10], shape: "line", y: [0, null, 50, 100] }),
    SIZE,
  );
  assert.deepEqual(pathsOf(gap), ["M58 162M170 85L282 8"]);
});

Deno.test("chartSvg says its title and unit, escaped, and is well-formed as a file", () => {
  const svg = chartSvg(
    {
      ...chartOf({ label: "a </svg>", color: "orange", shape: "points", x: [1], y: [2] }),
      marks: [{ label: "SLO <5>", at: 5, axis: "x" }, { label: "limit", at: 50, axis: "y" }],
      spans: [
        { label: "warm-up", from: 0, to: 4, kind: "phase" },
        { label: "stood still", from: 6, to: 7, kind: "stall" },
      ],
    },
    { ...SIZE, isFile: true },
  );
  for (const text of ["T &lt;1&gt;", "load (%)", "time (s)", "SLO &lt;5&gt;", "a &lt;/svg&gt;"]) {
    assert.ok(svg.includes(text), text);
  }
  assert.match(svg, /^<svg xmlns="http:\/\/www.w3.org\/2000\/svg"/);
  assert.ok(svg.includes("url(#hatch-c)"));
  assert.doesNotMatch(svg, /NaN|undefined|Infinity/);
  const open: string[] = [];
  for (const [, slash, name, alone] of svg.matchAll(/<(\/?)([a-zA-Z]+)[^>]*?(\/?)>/g)) {
    if (slash === "" && alone === "") open.push(name as string);
    else if (slash !== "") assert.equal(open.pop(), name);
  }
  assert.deepEqual(open, []);
});
