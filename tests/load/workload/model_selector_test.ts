import assert from "node:assert/strict";
import fc from "fast-check";
import { ModelSelector } from "../../../src/load/workload/model_selector.ts";

const COUNT = 4000;

function shares(
  modelSelection: ConstructorParameters<typeof ModelSelector>[0]["modelSelection"],
  modelCount = 3,
): number[] {
  const selector = new ModelSelector({ seed: 7, modelCount, modelSelection }, "profiling");
  const counts = Array<number>(modelCount).fill(0);
  for (let session = 0; session < COUNT; session++) {
    const model = selector.modelOf(session, session % 5);
    counts[model] = (counts[model] as number) + 1;
  }
  return counts.map((count) => count / COUNT);
}

/** Four standard deviations of a share. */
const near = (found: number | undefined, share: number) =>
  assert.ok(
    Math.abs((found ?? NaN) - share) <= 4 * Math.sqrt(share * (1 - share) / COUNT),
    `${found}, not ${share}`,
  );

Deno.test("ModelSelector takes models in turn where nothing else is asked", () => {
  const selector = new ModelSelector({ seed: 1, modelCount: 3 }, "profiling");
  assert.deepEqual([0, 1, 2, 3, 4].map((session) => selector.modelOf(session, 0)), [0, 1, 2, 0, 1]);
});

Deno.test("ModelSelector draws models with equal chances, or by their weights", () => {
  for (const share of shares({ strategy: "random" })) near(share, 1 / 3);
  const [a, b, c] = shares({ strategy: "weighted", weights: [0.5, 0, 0.5] });
  near(a, 0.5);
  assert.equal(b, 0);
  near(c, 0.5);
});

Deno.test("ModelSelector keeps a conversation with its model, whichever session plays it", () => {
  const selector = new ModelSelector(
    { seed: 1, modelCount: 3, modelSelection: { strategy: "sticky" } },
    "profiling",
  );
  for (let session = 0; session < 20; session++) {
    assert.equal(selector.modelOf(session, 4), selector.modelOf(0, 4));
  }
  assert.equal(new Set([0, 1, 2].map((conversation) => selector.modelOf(9, conversation))).size, 3);
});

Deno.test("ModelSelector answers by numbers and seed alone", () => {
  const source = fc.record({
    seed: fc.nat(),
    modelCount: fc.integer({ min: 1, max: 5 }),
    strategy: fc.constantFrom("random" as const, "weighted" as const, "sticky" as const),
  });
  fc.assert(fc.property(source, fc.array(fc.nat(500)), (source, sessions) => {
    const { seed, modelCount, strategy } = source;
    const weights = Array.from({ length: modelCount }, (_, at) => at + 1);
    const made = () =>
      new ModelSelector({ seed, modelCount, modelSelection: { strategy, weights } }, "profiling");
    const one = made();
    const forward = sessions.map((session) => one.modelOf(session, session % 7));
    const backward = sessions.toReversed().map((session) => made().modelOf(session, session % 7));
    assert.deepEqual(backward.reverse(), forward);
    assert.ok(forward.every((model) => model >= 0 && model < modelCount));
  }));
});
