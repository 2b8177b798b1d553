import assert from "node:assert/strict";
import { randomStream } from "../../../src/core/statistics/random_stream.ts";
import { ShadowSampler } from "../../../src/load/worker/shadow_sampler.ts";
import type { CanaryWish } from "../../../src/measurement/canary/canary_cells.ts";
import { CANARY_KIND } from "../../../src/measurement/canary/canary_kind.ts";

function sampler(expectedPerSecond: number) {
  const wishes: CanaryWish[] = [];
  const random = randomStream(3, "canary");
  const made = new ShadowSampler(
    expectedPerSecond,
    (wish) => wishes.push(wish),
    random,
  );
  return { made, wishes };
}

Deno.test("ShadowSampler wishes for no shadow before a reply shows how long one takes", () => {
  const { made, wishes } = sampler(1);
  made.onStart(5);
  made.onChunk("first", 5, NaN);
  made.onStart(1e9);
  assert.deepEqual(wishes, [{ kind: CANARY_KIND.poisson, dueNs: 5 }]);
});

Deno.test("ShadowSampler wishes for random instants when the first request starts, begins and ends", () => {
  const { made, wishes } = sampler(1);
  for (let i = 0; i < 3; i++) made.onStart(i);
  for (let i = 0; i < 3; i++) {
    made.onChunk("first", i, 100);
    made.onChunk("second", i, 150);
    made.onChunk("last", i, 200);
  }
  const begun = wishes.filter(({ kind }) => kind === CANARY_KIND.poisson);
  assert.deepEqual(begun.map(({ dueNs }) => dueNs), [0, 100, 200]);
});

Deno.test("ShadowSampler shadows every request of a slow run, at times of earlier ones", () => {
  const { made, wishes } = sampler(1);
  made.onStart(0);
  made.onChunk("first", 0, 50e6);
  made.onChunk("last", 0, 300e6);
  wishes.length = 0;
  for (let second = 1; second <= 10; second++) made.onStart(second * 1e9);
  assert.deepEqual(wishes.slice(0, 2), [
    { kind: CANARY_KIND.first, dueNs: 1.05e9 },
    { kind: CANARY_KIND.last, dueNs: 1.3e9 },
  ]);
  assert.equal(wishes.length, 20);
});

Deno.test("ShadowSampler shadows a bounded number of many requests, bursts like the rest", () => {
  const { made, wishes } = sampler(100);
  made.onChunk("first", 0, 10e6);
  wishes.length = 0;
  // 1,000 requests a second, in bursts of 100.
  for (let i = 0; i < 20_000; i++) made.onStart(Math.floor(i / 100) * 100e6);
  const firsts = wishes.filter(({ kind }) => kind === CANARY_KIND.first).length;
  assert.ok(firsts > 300 && firsts < 1100, `${firsts} in 20 s`);
  const bursts = new Set(wishes.map(({ dueNs }) => dueNs)).size;
  assert.ok(bursts > 150, `shadows in ${bursts} of 400 moments`);
});

Deno.test("ShadowSampler shadows the first wave as soon as its first reply begins", () => {
  const { made, wishes } = sampler(100);
  for (let i = 0; i < 100; i++) made.onStart(i);
  for (let i = 0; i < 100; i++) made.onChunk("first", i, 7e6);
  const shadows = wishes.filter(({ kind }) => kind !== CANARY_KIND.poisson);
  assert.deepEqual(shadows, Array(8).fill({ kind: CANARY_KIND.first, dueNs: 7e6 }));
});
