import assert from "node:assert/strict";
import fc from "fast-check";
import { gapsInMilliseconds } from "../../../src/export/requests/milliseconds_list.ts";

function byEngine(timesNs: Float64Array): string {
  return [...timesNs.subarray(1)].map((time, index) => (time - (timesNs[index] as number)) / 1e6)
    .join(",");
}

Deno.test("gapsInMilliseconds has the digits that the engine writes", () => {
  const gap = fc.oneof(
    fc.nat(2_000_000),
    fc.nat(2_000_000_000),
    fc.integer({ min: 0, max: 60 }).map((power) => 2 ** power),
    fc.integer({ min: 0, max: 15 }).map((power) => 10 ** power),
    fc.maxSafeNat(),
    fc.double({ noNaN: true, min: -1e9, max: 1e9 }),
  );
  fc.assert(
    fc.property(fc.array(gap), fc.maxSafeNat(), (gaps, start) => {
      let time = start % 1e12;
      const times = Float64Array.from([time, ...gaps.map((gap) => time += gap)]);
      assert.equal(gapsInMilliseconds(times), byEngine(times));
    }),
    { numRuns: 5000 },
  );
});

Deno.test("gapsInMilliseconds takes lists of any length", () => {
  for (const length of [0, 1, 2, 5000]) {
    const times = Float64Array.from({ length }, (_, index) => index * 1_234_567);
    assert.equal(gapsInMilliseconds(times), byEngine(times));
  }
});
