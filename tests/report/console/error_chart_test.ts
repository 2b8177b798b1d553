import assert from "node:assert/strict";
import fc from "fast-check";
import { errorChart } from "../../../src/report/console/error_chart.ts";

Deno.test("errorChart puts each load in its place", () => {
  const point = (workers: number, streams: number, error: number) => ({ workers, streams, error });
  const points = [
    ...[point(1, 8, 0.9), point(1, 8, 0.01), point(1, 32, 0.05), point(1, 128, 7)],
    ...[point(2, 8, 0.00001), point(2, 32, 0.05), point(2, 128, 0.25)],
  ];
  assert.equal(
    errorChart("Error", points, 29),
    [
      "Error",
      "Workers: o 1  x 2  * several",
      " 100 % |                    o",
      "       |",
      "  25 % |                    x",
      "       |",
      "       |",
      "   5 % |- - - - - * - - - - -",
      "       |",
      "       |",
      "   1 % |o - - - - - - - - - -",
      "       |",
      "       |",
      "       |",
      " 0.1 % |x",
      "       +---------------------",
      "streams 8         32      128",
    ].join("\n"),
  );
});

Deno.test("errorChart keeps to its width, whatever was measured", () => {
  const point = fc.record({
    workers: fc.integer({ min: 1, max: 256 }),
    streams: fc.integer({ min: 1, max: 100_000 }),
    error: fc.oneof(fc.double({ min: 0, max: 10, noNaN: true }), fc.constant(Infinity)),
  });
  fc.assert(fc.property(
    fc.array(point, { minLength: 1, maxLength: 60 }),
    fc.integer({ min: 40, max: 120 }),
    (points, width) => {
      const chart = errorChart("Error", points, width).split("\n");
      for (const line of chart) assert.ok(line.length <= width, line);
      assert.equal(chart.length >= 17, true);
    },
  ));
});
