import assert from "node:assert/strict";
import type { PhasePlan } from "../../../src/config/plan/run_plan.ts";
import { DriftAsker } from "../../../src/load/verify/drift_asker.ts";

const PHASE: PhasePlan = {
  kind: "profiling",
  load: { loop: "closed", concurrency: 4 },
  requestCount: Infinity,
  durationNs: 60e9,
  graceNs: Infinity,
};

/** An asker on a clock that moves by 100 ms with each reply. */
function askerOf(phase: Partial<PhasePlan>, count: number) {
  let nowMs = 0;
  const asked: [pass: string, prompt: number, atMs: number][] = [];
  const asker = new DriftAsker({
    phase: { ...PHASE, ...phase },
    prompts: Array.from({ length: count }, (_, prompt) => prompt),
    ask: (prompt, pass, signal) => {
      asked.push([pass, prompt, nowMs]);
      nowMs += 100;
      return Promise.resolve(signal.aborted ? undefined : `${prompt}`);
    },
    nowMs: () => nowMs,
    wait: (ms) => {
      nowMs += ms;
      return Promise.resolve();
    },
  });
  const now = () => nowMs;
  return { asker, asked, now };
}

Deno.test("DriftAsker spreads the sample over the load, and asks it alone before and after", async () => {
  const { asker, asked } = askerOf({}, 5);
  await asker.quiet();
  asker.beginLoad();
  await asker.quiet();
  await new Promise<void>((resolve) => setTimeout(resolve));
  await asker.endLoad();
  const times = asked.filter(([pass]) => pass === "load").map(([, , atMs]) => atMs);
  assert.equal(times.length, 5);
  times.forEach((atMs, place) =>
    assert.ok(Math.abs(atMs - 600 - (place + 1) * 10_000) < 1100, `${times}`)
  );
});

Deno.test("DriftAsker takes at most a tenth of the run for both quiet passes", async () => {
  for (
    const [phase, lengthMs] of [
      [{ durationNs: 20e9 }, 20_000],
      [{ durationNs: Infinity, requestCount: 400 }, 10_000],
    ] as const
  ) {
    const { asker, asked, now } = askerOf(phase, 100);
    await asker.quiet();
    // One request more goes first, whose time says nothing.
    assert.ok(now() - 100 <= lengthMs / 20, `${now()}`);
    const before = asked.filter(([pass]) => pass === "before");
    assert.equal(before.length, lengthMs / 20 / 100);
    const answered = asker.answers.before.filter((answer) => answer !== undefined);
    assert.equal(answered.length, before.length);
  }
});
