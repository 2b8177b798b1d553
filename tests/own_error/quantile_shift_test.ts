import assert from "node:assert/strict";
import { quantileShifts } from "../../src/own_error/quantile_shift.ts";
import { percentile } from "../../src/statistics/percentile.ts";
import { randomStream } from "../../src/statistics/random_stream.ts";
import { TimedDelays } from "../../src/own_error/timed_delays.ts";

/** Delays in milliseconds, one in each block of time from some block on. */
function delaysOf(delayMs: readonly number[], firstBlock = 0): TimedDelays {
  const readNs = Float64Array.from(delayMs, (_, i) => (firstBlock + i) * 200e6);
  const delayNs = Float64Array.from(delayMs, (delay) => delay * 1e6);
  return new TimedDelays([{ readNs, delayNs, weight: new Float64Array(readNs.length).fill(1) }]);
}

const VALUES = Float64Array.from({ length: 400 }, (_, i) => 5 + i / 400);

Deno.test("quantileShifts finds the shift of a delay that is always the same", () => {
  const [shift] = quantileShifts(VALUES, VALUES.length, [50], 1, delaysOf([2, 2, 2]), undefined);
  assert.ok(Math.abs((shift?.shiftMs ?? NaN) - 2) < 0.01);
  assert.ok((shift?.standardErrorMs ?? NaN) < 0.01);
});

Deno.test("quantileShifts of a time between two chunks is surer if both were late at the same time", () => {
  // Every other block of time is a bad one.
  const delayMs = Array.from({ length: 30 }, (_, i) => i % 2 === 0 ? 0.1 : 1 + i / 30);
  const errorOf = (earlier: TimedDelays): number =>
    quantileShifts(VALUES, VALUES.length, [50], 1, delaysOf(delayMs), earlier)[0]
      ?.standardErrorMs ?? NaN;
  const together = errorOf(delaysOf(delayMs));
  const apart = errorOf(delaysOf(delayMs, 100));
  assert.ok(together < apart / 2, `${together} of ${apart}`);
});

const SPREADS = [["alike", 0.01], ["far apart", 20], ["farther apart than delays reach", 20_000]];
for (const [name, width] of SPREADS as [string, number][]) {
  for (const p of [50, 90]) {
    Deno.test(`quantileShifts tells how far a draw of delays moves p${p} of values that are ${name}`, () => {
      const random = randomStream(3, "draws");
      const delay = () => -Math.log(1 - random());
      const measured = () =>
        Float64Array.from({ length: 400 }, (_, i) => 5 + width * i / 400 + delay()).sort();
      const drawn = Array.from({ length: 500 }, () => percentile(measured(), p));
      const mean = drawn.reduce((sum, value) => sum + value, 0) / drawn.length;
      const spread = Math.sqrt(
        drawn.reduce((sum, value) => sum + (value - mean) ** 2, 0) / drawn.length,
      );
      const canaries = delaysOf(Array.from({ length: 200 }, delay));
      const told = Array.from(
        { length: 20 },
        () => quantileShifts(measured(), 400, [p], 1, canaries, undefined)[0]?.drawnMs ?? NaN,
      ).sort((a, b) => a - b)[10] as number;
      assert.ok(told > spread * 0.75 && told < spread * 1.33, `${told} for ${spread}`);
    });
  }
}
