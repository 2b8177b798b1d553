import assert from "node:assert/strict";
import { randomStream } from "../../../src/core/statistics/random_stream.ts";
import { AnswerVerdictsBuilder } from "../../../src/measurement/answers/answer_verdicts.ts";
import type { AnswerFingerprints } from "../../../src/measurement/answers/drift_findings.ts";
import { answerDifferences } from "../../../src/measurement/compare/answer_differences.ts";
import { quietDifference } from "../../../src/measurement/compare/quiet_difference.ts";
import { type RunSample, SampleBuilder } from "../../../src/measurement/compare/run_sample.ts";

/** Facts of a simulated run. */
interface Simulated {
  readonly seed: number;
  readonly replies?: number;
  /** Probability that a reply is wrong, by the prompt. */
  wrong?(prompt: number): number;
  readonly workload?: string;
  /** First prompt. */
  readonly from?: number;
  readonly sample?: readonly AnswerFingerprints[];
}

function run(
  { from = 0, replies = 300, sample, seed, workload = "w", wrong }: Simulated,
): RunSample {
  const random = randomStream(seed, "answers");
  const builder = new AnswerVerdictsBuilder();
  for (let reply = 0; reply < replies; reply++) {
    const prompt = from + reply;
    const correct = wrong === undefined ? NaN : random() < wrong(prompt) ? 0 : 1;
    builder.add(
      { prompt, session: reply, turn: 0, promptTokens: 10 + prompt % 7 },
      { correct, valid: NaN, anomalous: 0 },
    );
  }
  const requests = new SampleBuilder();
  requests.add({ startNs: 0, endNs: 1, value: () => 1 });
  return {
    ...requests.build("run", BigInt(seed)),
    answers: builder.build(workload, sample),
  };
}

Deno.test("answerDifferences raise few alarms where there is no difference", () => {
  for (const workloads of [["w", "w"], ["w", "other"]] as const) {
    let alarms = 0;
    for (let pair = 0; pair < 200; pair++) {
      const [before, after] = workloads.map((workload, side) =>
        run({ seed: 2 * pair + side, workload, wrong: () => 0.1 })
      ) as [RunSample, RunSample];
      const [row] = answerDifferences([before], [after]);
      if (row?.verdict !== "not significant") alarms++;
    }
    assert.ok(alarms <= 14, `${alarms} of 200`);
  }
});

Deno.test("answerDifferences pair equal prompts, which makes the interval narrower", () => {
  // Every second prompt is too hard for either server.
  const wrong = (more: number) => (prompt: number): number => prompt % 2 === 0 ? 1 : more;
  const [a, b, c] = [
    run({ seed: 1, wrong: wrong(0) }),
    run({ seed: 2, wrong: wrong(0.1) }),
    run({ seed: 2, wrong: wrong(0.1), workload: "other" }),
  ];
  const [paired] = answerDifferences([a], [b]);
  const [single] = answerDifferences([a], [c]);
  assert.ok(paired !== undefined && single !== undefined);
  assert.deepEqual([paired.pairs, single.pairs], [300, 0]);
  assert.deepEqual([paired.before, paired.after], [single.before, single.after]);
  assert.ok(paired.upper - paired.lower < 0.6 * (single.upper - single.lower));
  assert.equal(paired.verdict, "worse");
  assert.equal(single.verdict, "not significant");
  assert.equal(paired.statistic.tag, "answers_correct");
});

Deno.test("answerDifferences are of the prompts that both runs sent", () => {
  const a = run({ seed: 1, wrong: (prompt) => prompt < 100 ? 1 : 0 });
  const b = run({ seed: 2, from: 100, wrong: () => 0 });
  const [row] = answerDifferences([a], [b]);
  assert.deepEqual([row?.pairs, row?.before, row?.after], [200, 100, 100]);
});

Deno.test("answerDifferences show anomalies only if there are any", () => {
  assert.deepEqual(answerDifferences([run({ seed: 1 })], [run({ seed: 2 })]), []);
});

Deno.test("several runs per side have an interval that holds what they differ by", () => {
  const side = (first: number) =>
    [0.02, 0.2, 0.4].map((share, at) => run({ seed: first + at, wrong: () => share }));
  const [row] = answerDifferences(side(1), side(11));
  assert.ok(row !== undefined && row.pairs === 900);
  assert.ok(row.upper - row.lower > 40, `${row.lower} .. ${row.upper}`);
});

/** Answers whose texts are numbers. */
function sampleOf(
  size: number,
  texts: (prompt: number) => readonly [before: number, under: number, after: number],
): AnswerFingerprints[] {
  return Array.from({ length: size }, (_, prompt) => {
    const [before, under, after] = texts(prompt);
    return { prompt: prompt + 7, before, under, after };
  });
}

Deno.test("the drift of two sides is compared by their samples", () => {
  const same = run({ seed: 1, sample: sampleOf(32, () => [1, 1, 1]) });
  const drifting = run({ seed: 2, sample: sampleOf(32, (i) => [1, i % 2, 1]) });
  const [row] = answerDifferences([same], [drifting]);
  assert.deepEqual([row?.before, row?.after, row?.pairs, row?.verdict], [0, 50, 32, "worse"]);
  const [back] = answerDifferences([drifting], [same]);
  assert.equal(back?.verdict, "better");
  const [none] = answerDifferences([drifting], [drifting]);
  assert.equal(none?.verdict, "not significant");
});

Deno.test("the drift of equal prompts has a narrower interval than that of other ones", () => {
  const drifting = (seed: number, rest: number) =>
    run({ seed, sample: sampleOf(32, (i) => [1, i % 2 === rest ? 2 : 1, 1]) });
  const width = (after: RunSample): number => {
    const [row] = answerDifferences([drifting(1, 0)], [after]);
    assert.deepEqual([row?.pairs, row?.difference], [32, 0]);
    return (row?.upper ?? NaN) - (row?.lower ?? NaN);
  };
  const [equal, opposite] = [width(drifting(2, 0)), width(drifting(3, 1))];
  assert.ok(equal < opposite / 3, `${equal} ${opposite}`);
});

Deno.test("quietDifference is the share of answers that differ between servers without load", () => {
  const before = run({ seed: 1, sample: sampleOf(32, () => [1, 1, 1]) });
  const after = run({ seed: 2, sample: sampleOf(32, (i) => i < 24 ? [2, 2, 2] : [1, 1, 1]) });
  const changed = quietDifference([before], [after]);
  assert.deepEqual([changed?.differ, changed?.noiseFloor, changed?.hasChanged], [0.75, 0, true]);
  // A server that never answers alike differs from any other one, by no more than from itself.
  const noisy = run({ seed: 3, sample: sampleOf(32, () => [3, 4, 5]) });
  const noise = quietDifference([before], [noisy]);
  assert.deepEqual([noise?.differ, noise?.noiseFloor, noise?.hasChanged], [1, 1, false]);
  const others = run({ seed: 4, sample: [{ prompt: 1, before: 1, under: 1, after: 1 }] });
  assert.equal(quietDifference([before], [others]), undefined);
});
