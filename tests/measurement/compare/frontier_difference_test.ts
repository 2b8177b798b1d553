import assert from "node:assert/strict";
import fc from "npm:fast-check@4.10.2";
import { randomStream } from "../../../src/core/statistics/random_stream.ts";
import { frontierCurve, rateAt } from "../../../src/measurement/compare/frontier_curve.ts";
import { frontierDifference } from "../../../src/measurement/compare/frontier_difference.ts";
import { frontierFinding } from "../../../src/measurement/compare/frontier_finding.ts";
import { givenSpeeds } from "../../../src/measurement/compare/given_speeds.ts";
import { pointDraws } from "../../../src/measurement/compare/point_draws.ts";
import { type RunSample, SampleBuilder } from "../../../src/measurement/compare/run_sample.ts";
import type { SweepComparison } from "../../../src/measurement/compare/sweep_comparison.ts";

/** A run of a server that needs `itlMs` a token, with so many users and requests each. */
function runOf(
  users: number,
  itlMs: number,
  requests: number,
  random: () => number,
  spread = 0.2,
): RunSample {
  const builder = new SampleBuilder();
  const tokens = 50;
  for (let user = 0; user < users; user++) {
    let startMs = 0;
    for (let i = 0; i < requests; i++) {
      const itl = itlMs * (1 + spread * (random() - 0.5));
      const latencyMs = 20 + itl * (tokens - 1);
      const values: Record<string, number> = {
        ...{ "time_to_first_token": 20, "inter_token_latency": itl },
        "request_latency": latencyMs,
        "output_sequence_length": tokens,
      };
      builder.add({
        startNs: startMs * 1e6,
        endNs: (startMs + latencyMs) * 1e6,
        value: (tag) => values[tag] ?? NaN,
      });
      startMs += latencyMs;
    }
  }
  return builder.build("run", 0n);
}

/** Points of a server whose tokens take longer the more users there are; `runs` of each. */
function pointsOf(
  seed: number,
  { base, each, runs = 1, spread }: {
    readonly base: number;
    readonly each: number;
    readonly runs?: number;
    readonly spread?: number;
  },
) {
  const random = randomStream(seed, "server");
  return [1, 4, 16].map((users) => ({
    runs: Array.from(
      { length: runs },
      () => runOf(users, base + each * users, 30, random, spread),
    ),
    gpus: 1,
  }));
}

function compared(
  a: Parameters<typeof pointDraws>[0],
  b: Parameters<typeof pointDraws>[0],
  draws = 300,
) {
  const drawn = pointDraws([...a, ...b], { draws, seed: 1 }).filter((point) => point !== undefined);
  assert.equal(drawn.length, a.length + b.length);
  return frontierDifference(drawn.slice(0, a.length), drawn.slice(a.length));
}

Deno.test("a frontier curve falls from point to point, and holds each of its points", () => {
  const place = fc.record({
    speed: fc.integer({ min: 1, max: 40 }),
    rate: fc.integer({ min: 1, max: 40 }),
  });
  fc.assert(fc.property(fc.array(place, { minLength: 1, maxLength: 12 }), (places) => {
    const curve = frontierCurve(places);
    curve.forEach(({ rate, speed }, index) => {
      assert.ok(Math.abs(rateAt(curve, speed, 0) - rate) < 1e-9);
      const next = curve[index + 1];
      assert.ok(next === undefined || (next.speed > speed && next.rate < rate));
    });
    // Every point of the side has at most the throughput of the curve at its own speed.
    for (const { rate, speed } of places) {
      const least = curve.find((one) => one.speed >= speed);
      assert.ok(least !== undefined && least.rate >= rate);
    }
  }));
});

Deno.test("points have the throughput and the pooled speed of their runs", () => {
  const [first] = pointDraws(
    [{ runs: [runOf(4, 10, 30, () => 0.5)], gpus: 2 }],
    { draws: 10, seed: 1 },
  );
  assert.ok(first !== undefined);
  assert.ok(Math.abs(first.speed - 100) < 1e-6, `${first.speed}`);
  // Each of four users gets 50 tokens in 20 + 49 * 10 ms.
  assert.ok(Math.abs(first.rate - 4 * 50 / 0.51 / 2) < 1e-6, `${first.rate}`);
  const still = new SampleBuilder();
  for (let i = 0; i < 40; i++) {
    still.add({ startNs: i * 1e9, endNs: i * 1e9 + 5e8, value: () => NaN });
  }
  const none = pointDraws([{ runs: [still.build("whole replies", 0n)], gpus: 1 }], {
    ...{ draws: 10, seed: 1 },
  });
  assert.deepEqual(none, [undefined], "replies in one piece have no speed");
});

Deno.test("frontiers are compared over the speeds that both reach, and nowhere else", () => {
  const fast = pointsOf(1, { base: 8, each: 0.5 });
  const slow = pointsOf(2, { base: 11, each: 0.5 });
  const { ranges, steps } = compared(fast, slow);
  assert.ok(ranges.both !== undefined && ranges.before !== undefined && ranges.after !== undefined);
  assert.deepEqual(ranges.both, [
    Math.max(ranges.before[0], ranges.after[0]),
    Math.min(ranges.before[1], ranges.after[1]),
  ]);
  assert.equal(steps[0]?.speed, ranges.both[0]);
  assert.equal(steps.at(-1)?.speed, ranges.both[1]);
  for (const { after, before, difference, lower, upper } of steps) {
    assert.ok(Math.abs(difference - (after / before - 1)) < 1e-12);
    assert.ok(lower <= difference && difference <= upper);
  }
  // A token of the slow one takes 3 ms longer at every load: that shows at every speed.
  assert.ok(steps.every(({ upper }) => upper < 0), JSON.stringify(steps.at(-1)));
  const apart = compared(pointsOf(1, { base: 8, each: 0.1 }), pointsOf(2, { base: 80, each: 1 }));
  assert.equal(apart.ranges.both, undefined);
  assert.deepEqual(apart.steps, []);
  const speeds = givenSpeeds(apart);
  assert.ok(speeds.length > 2 && speeds.every(({ step }) => step === undefined));
});

Deno.test("an interval of the difference holds zero for equal servers, nearly as often as it says", () => {
  let [held, all] = [0, 0];
  for (let seed = 1; seed <= 60; seed++) {
    const server = { base: 9, each: 0.6, spread: 0.6 };
    const { steps } = compared(pointsOf(2 * seed, server), pointsOf(2 * seed + 1, server), 200);
    const step = steps[Math.floor(steps.length / 2)];
    assert.ok(step !== undefined);
    all++;
    if (step.lower <= 0 && step.upper >= 0) held++;
  }
  assert.ok(held >= 0.88 * all, `${held} of ${all}`);
});

Deno.test("several runs a side narrow the interval, runs that differ widen it again", () => {
  const width = (runs: number, apart = 0): number => {
    const server = { base: 9, each: 0.6, runs, spread: 0.6 };
    const shifted = (seed: number) =>
      pointsOf(seed, server).map((point) => ({
        ...point,
        runs: point.runs.map((run, trial) =>
          trial === 0 && apart > 0
            ? runOf(run.startSeconds.length / 30, 9 + apart, 30, randomStream(seed, "other"))
            : run
        ),
      }));
    const { steps } = compared(shifted(3), shifted(4));
    const widths = steps.map(({ lower, upper }) => upper - lower);
    return widths.reduce((sum, one) => sum + one, 0) / widths.length;
  };
  assert.ok(width(4) < 0.75 * width(1), `${width(4)} of ${width(1)}`);
  assert.ok(width(4, 6) > 2 * width(4), `${width(4, 6)} and ${width(4)}`);
});

Deno.test("the finding names the winner, where it wins, and what only one side reaches", () => {
  const findingOf = (
    a: Parameters<typeof pointDraws>[0],
    b: Parameters<typeof pointDraws>[0],
    isComparable = true,
  ) =>
    frontierFinding({
      ...{ before: "old", after: "new", frontier: compared(a, b), minDifference: 0.01 },
      isComparable,
      sides: { before: [{}], after: [{}] },
    } as unknown as SweepComparison);
  const fast = pointsOf(1, { base: 8, each: 0.5 });
  const slow = pointsOf(2, { base: 11, each: 0.5 });
  const lost = findingOf(fast, slow);
  assert.match(lost.text, /^old serves .*(more|as much) at \S+ to \S+ tokens\/s\/user$/);
  assert.match(lost.cause, /only old goes above \S+$/);
  assert.match(findingOf(slow, fast).text, /^new serves /);
  const incomparable = findingOf(fast, slow, false);
  assert.match(incomparable.text, /^old and new are not comparable at \S+ to \S+ tokens\/s\/user$/);
  assert.match(incomparable.cause, /^measured difference -/);
  const same = findingOf(fast, fast);
  assert.match(same.text, /^No significant difference between old and new at /);
  const apart = findingOf(pointsOf(1, { base: 8, each: 0.1 }), pointsOf(2, { base: 80, each: 1 }));
  assert.match(apart.text, /^No speed that both reach: old has \S+ to \S+, new \S+ to \S+ tokens/);
});
