import assert from "node:assert/strict";
import type { PhasePlan } from "../../../src/config/plan/run_plan.ts";
import { DriftAsker } from "../../../src/load/verify/drift_asker.ts";
import type { SampleReply } from "../../../src/load/verify/sample_sender.ts";

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
      const reply = { answer: `${prompt}`, promptTokens: 7, completionTokens: prompt };
      return Promise.resolve(signal.aborted ? undefined : reply);
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

Deno.test("DriftAsker spreads the sample over the first half of a load whose length it estimates", async () => {
  const { asker, asked, now } = askerOf({ durationNs: Infinity, requestCount: 4000 }, 4);
  await asker.quiet();
  const beginMs = now();
  asker.beginLoad();
  await new Promise<void>((resolve) => setTimeout(resolve));
  await asker.endLoad();
  const times = asked.filter(([pass]) => pass === "load").map(([, , atMs]) => atMs - beginMs);
  // 4,000 requests of 100 ms, four at once.
  assert.deepEqual(times, [1, 2, 3, 4].map((place) => place * 50_000 / 5));
});

Deno.test("DriftAsker sends nothing under load before the load begins", async () => {
  const { asker, asked, now } = askerOf({}, 3);
  await asker.quiet();
  const beginMs = now() + 5000;
  asker.beginLoad(5000);
  await new Promise<void>((resolve) => setTimeout(resolve));
  await asker.endLoad();
  const times = asked.filter(([pass]) => pass === "load").map(([, , atMs]) => atMs);
  assert.equal(times.length, 3);
  times.forEach((atMs) => assert.ok(atMs > beginMs, `${times}`));
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

Deno.test("DriftAsker counts what servers see of the sample under load, the last reply included", async () => {
  let last: ((reply: SampleReply) => void) | undefined;
  let nowMs = 0;
  const asker = new DriftAsker({
    phase: { ...PHASE, durationNs: 1e9 },
    prompts: [1, 2],
    ask: (prompt, pass) => {
      nowMs += 1;
      const reply = { answer: `${prompt}`, promptTokens: 7, completionTokens: 3 };
      if (pass !== "load" || prompt === 0) return Promise.resolve(reply);
      return new Promise((resolve) => last = resolve);
    },
    nowMs: () => nowMs,
    // A limit of time that never comes ends with its signal.
    wait: (ms, signal) =>
      ms < 1000
        ? Promise.resolve()
        : new Promise((resolve) => signal.addEventListener("abort", () => resolve())),
  });
  await asker.quiet();
  asker.beginLoad();
  while (last === undefined) await new Promise<void>((resolve) => setTimeout(resolve));
  const ended = asker.endLoad();
  last({ answer: "late", promptTokens: 7, completionTokens: undefined });
  await ended;
  const { traffic, under } = asker.answers;
  assert.deepEqual(under, ["0", undefined]);
  assert.deepEqual(traffic, { requests: 2, promptTokens: 14, completionTokens: undefined });
});

Deno.test("DriftAsker knows no traffic if a request under load failed", async () => {
  const asker = new DriftAsker({
    phase: PHASE,
    prompts: [1, 2],
    ask: (_, pass) =>
      Promise.resolve(
        pass === "load" ? undefined : { answer: "", promptTokens: 1, completionTokens: 1 },
      ),
    nowMs: () => 0,
    wait: () => Promise.resolve(),
  });
  await asker.quiet();
  asker.beginLoad();
  await new Promise<void>((resolve) => setTimeout(resolve));
  await asker.endLoad();
  assert.equal(asker.answers.traffic, undefined);
});

Deno.test("DriftAsker cuts a request under load that takes long after the load", async () => {
  let isAsked = false;
  const asker = new DriftAsker({
    phase: PHASE,
    prompts: [1],
    ask: (_, pass, signal) => {
      if (pass !== "load") {
        return Promise.resolve({ answer: "", promptTokens: 1, completionTokens: 1 });
      }
      isAsked = true;
      return new Promise((resolve) => signal.addEventListener("abort", () => resolve(undefined)));
    },
    nowMs: () => 0,
    wait: () => Promise.resolve(),
  });
  await asker.quiet();
  asker.beginLoad();
  while (!isAsked) await new Promise<void>((resolve) => setTimeout(resolve));
  await asker.endLoad();
  assert.deepEqual(asker.answers.under, [undefined]);
  assert.equal(asker.answers.traffic, undefined);
});
