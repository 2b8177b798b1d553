import assert from "node:assert/strict";
import { TimedDelays } from "../../src/own_error/timed_delays.ts";

const MS = 1e6;

function delaysOf(delayMs: readonly number[], mostMs?: readonly number[]): TimedDelays {
  const readNs = Float64Array.from(delayMs, (_, i) => i * 300 * MS);
  return new TimedDelays(
    [{
      readNs,
      delayNs: Float64Array.from(delayMs, (delay) => delay * MS),
      weight: new Float64Array(readNs.length).fill(2),
    }],
    mostMs && Float64Array.from(mostMs, (most) => most * MS),
  );
}

Deno.test("TimedDelays gives the mean of its delays, and of what they are beyond one", () => {
  const delays = delaysOf([1, 3, 2]);
  assert.equal(delays.meanOf(6).meanNs, 2 * MS);
  assert.equal(delays.meanOf(6, 2 * MS).meanNs, MS / 3);
  assert.equal(delays.medianMs, 2);
});

Deno.test("TimedDelays counts no more long delays than chunks can have had", () => {
  // Six chunks, of which one can have been late by more than 2 ms.
  const delays = delaysOf([1, 30, 20], [0.5, 1, 2, 2, 2, 25]);
  assert.deepEqual([...delays.delayMs], [1, 25, 2]);
  assert.ok(delays.meanOf(6).standardErrorNs < delaysOf([1, 30, 20]).meanOf(6).standardErrorNs);
  assert.deepEqual([...delaysOf([1, 3, 2], [Infinity]).delayMs], [1, 3, 2], "nothing is known");
});

Deno.test("TimedDelays are not longer than themselves, however much they vary", () => {
  const delayMs = [0.1, 0.2, 40, 0.1, 0.3, 0.2];
  const { meanNs, standardErrorNs } = delaysOf(delayMs).longerThan(delaysOf(delayMs), 12);
  assert.equal(meanNs, 0);
  const { standardErrorNs: ownNs } = delaysOf(delayMs).meanOf(12);
  assert.ok(standardErrorNs < ownNs, "only what the chunks themselves happened to draw is left");
  const twice = delaysOf(delayMs.map((delay) => delay * 2)).longerThan(delaysOf(delayMs), 12);
  assert.ok(Math.abs(twice.meanNs - delaysOf(delayMs).meanOf(12).meanNs) < 1);
  assert.ok(twice.standardErrorNs > ownNs);
});
