import assert from "node:assert/strict";
import fc from "npm:fast-check@4.10.2";
import { barBoxes, barPlotSvg } from "../../../src/core/chart/bar_plot_svg.ts";
import { placedLabels } from "../../../src/core/chart/plot_labels.ts";
import type { PlotPoint, PointPlot } from "../../../src/core/chart/point_plot.ts";
import { plotLayout, pointPlotSvg } from "../../../src/core/chart/point_plot_svg.ts";

function pointAt(x: number, y: number, label: string): PlotPoint {
  return {
    ...{ x, y, label, color: "client", shape: "circle", isHollow: false },
    xRange: [x - 1, x + 1],
    reading: { place: label, rows: [] },
  };
}

function plotOf(points: readonly PlotPoint[]): PointPlot {
  return {
    ...{ kind: "points", id: "p", name: "A <plot>", height: 400, narrowHeight: 300, points },
    x: { label: "x", unit: "", scale: "linear", min: 0, max: 100 },
    y: { label: "y", unit: "", scale: "linear", min: 0, max: 100 },
    ...{ lines: [], bands: [], notes: [], rules: [{ axis: "x", at: 50, label: "limit" }] },
  };
}

Deno.test("a plot is drawn at the width it is shown with, and names its points", () => {
  const plot = plotOf([pointAt(10, 90, "a<b"), pointAt(90, 10, "c")]);
  for (const [width, height] of [[390, 300], [1100, 400]] as const) {
    const svg = pointPlotSvg(plot, width);
    assert.match(svg, new RegExp(`^<svg viewBox="0 0 ${width} ${height}"`));
    assert.match(svg, /aria-label="A &lt;plot&gt;"/);
    assert.ok(svg.includes(">a&lt;b</text>") && svg.includes(">limit</text>"));
    const layout = plotLayout(plot, width);
    assert.ok(layout.x(10) < layout.x(90) && layout.y(10) > layout.y(90));
    assert.ok(layout.x(100) <= width && layout.y(100) >= 0);
  }
});

Deno.test("labels of points stay within the plot, and apart where there is room", () => {
  const room = { left: 0, top: 0, right: 600, bottom: 400 };
  const coordinate = (max: number) => fc.integer({ min: 60, max: max - 60 });
  fc.assert(fc.property(
    fc.array(fc.record({ x: coordinate(600), y: coordinate(400) }), {
      minLength: 1,
      maxLength: 12,
    }),
    (points) => {
      const places = placedLabels(points.map((point) => ({ ...point, text: "64" })), room);
      assert.equal(places.length, points.length);
      for (const { x, y } of places) assert.ok(x >= 0 && x <= 600 && y >= 0 && y <= 400);
    },
  ));
  // Two marks side by side: their texts go to different places.
  const [a, b] = placedLabels(
    [{ x: 300, y: 200, text: "32" }, { x: 306, y: 200, text: "64" }],
    room,
  );
  assert.ok(Math.abs((a?.x ?? 0) - (b?.x ?? 0)) > 15 || Math.abs((a?.y ?? 0) - (b?.y ?? 0)) > 12);
});

Deno.test("bars have one scale, and their parts follow each other", () => {
  const part = (value: number) => ({
    ...{ color: "decode" as const, value },
    reading: { place: "p", rows: [] },
  });
  const plot = {
    ...{ kind: "bars", id: "b", name: "Bars" } as const,
    rows: [
      { label: "1", total: "30 ms", parts: [part(10), part(20)] },
      { label: "64", total: "60 ms", parts: [part(40), part(20)] },
    ],
  };
  const boxes = barBoxes(plot, 800);
  const [first, second, third, fourth] = boxes.map(({ width }) => width) as [
    ...[number, number, number, number],
  ];
  assert.ok(Math.abs(second - 2 * first) < 1e-9 && Math.abs(third - 4 * first) < 1e-9);
  assert.ok(Math.abs(fourth - second) < 1e-9);
  assert.equal(boxes[1]?.x, (boxes[0]?.x ?? NaN) + first);
  assert.ok((boxes[3]?.x ?? Infinity) + fourth < 800);
  assert.equal(barPlotSvg(plot, 800).split("<rect").length - 1, 4);
});
