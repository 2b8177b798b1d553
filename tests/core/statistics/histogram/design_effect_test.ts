import assert from "node:assert/strict";
import { randomLogNormal } from "d3-random";
import { estimateDesignEffect } from "../../../../src/core/statistics/histogram/design_effect.ts";
import { histogramIntervals } from "../../../../src/core/statistics/histogram/histogram_intervals.ts";
import { randomStream } from "../../../../src/core/statistics/random_stream.ts";
import { scrape } from "../histogram_windows.ts";

const BOUNDS = ["0.1", "0.25", "0.5", "1", "+Inf"];

function batchesOf(size: number, seed: number): number {
  const draw = randomLogNormal.source(randomStream(seed, "batches"))(Math.log(0.3), 0.5);
  const intervals = Array.from(
    { length: 400 },
    (_, i) =>
      Array.from({ length: 2 + i % 5 }, draw).flatMap((value) => Array<number>(size).fill(value)),
  );
  return estimateDesignEffect(histogramIntervals(scrape(BOUNDS, intervals)));
}

for (const size of [4, 32]) {
  Deno.test(`estimateDesignEffect finds batches of ${size}`, () => {
    for (const seed of [1, 2, 3]) {
      const estimated = batchesOf(size, seed);
      assert.ok(estimated > 0.8 * size && estimated < 1.15 * size, `${estimated}`);
    }
  });
}

Deno.test("estimateDesignEffect of independent observations is next to 1", () => {
  for (const seed of [1, 2, 3]) {
    const estimated = batchesOf(1, seed);
    assert.ok(estimated >= 1 && estimated < 1.1, `${estimated}`);
  }
});

Deno.test("estimateDesignEffect is 1 where one bucket holds all, or little was scraped", () => {
  const same = scrape(BOUNDS, Array(50).fill([0.3, 0.3, 0.3]));
  assert.equal(estimateDesignEffect(histogramIntervals(same)), 1);
  const short = scrape(BOUNDS, [[0.05, 0.05], [0.3, 0.3]]);
  assert.equal(estimateDesignEffect(histogramIntervals(short)), 1);
});

Deno.test("estimateDesignEffect does not take a drift for batches", () => {
  const draw = randomLogNormal.source(randomStream(4, "drift"))(Math.log(0.2), 0.3);
  const intervals = Array.from(
    { length: 400 },
    (_, i) => Array.from({ length: 20 }, () => draw() * (0.5 + i / 200)),
  );
  const estimated = estimateDesignEffect(histogramIntervals(scrape(BOUNDS, intervals)));
  assert.ok(estimated < 1.3, `${estimated}`);
});
