import assert from "node:assert/strict";
import fc from "fast-check";
import { UsageError } from "../../../../src/config/options/usage_error.ts";
import { parseLengthMixture } from "../../../../src/config/plan/prompts/length_mixture.ts";
import type { LengthShare } from "../../../../src/config/plan/prompts_plan.ts";

const SHARES: LengthShare[] = [
  { inputTokens: 256, inputStddev: 10, outputTokens: 128, outputStddev: 0, percent: 40 },
  { inputTokens: 512, inputStddev: 0, outputTokens: 256, outputStddev: 2.5, percent: 60 },
];

Deno.test("parseLengthMixture reads all three forms alike", () => {
  for (
    const text of [
      "256|10,128:40;512,256|2.5:60",
      " 256|10 , 128 : 40.0 ; 512|0,256|2.5:60; ",
      "[(256|10,128):40,(512,256|2.5):60]",
      "[ ( 256|10 , 128|0 ) : 40 , (512,256|2.5):60 ]",
      '{"pairs":[{"isl":256,"isl_stddev":10,"osl":128,"prob":40},' +
      '{"isl":512,"osl":256,"osl_stddev":2.5,"prob":60}]}',
    ]
  ) assert.deepEqual(parseLengthMixture(text), SHARES, text);
});

Deno.test("parseLengthMixture refuses what is no mixture, and says what is wrong", () => {
  for (
    const [text, message] of [
      ["256,128:40;512,256:50", /add up to 100 percent: got 90/],
      ["256,128:0.4;512,256:0.6", /add up to 100 percent: got 1$/],
      ["0,128:100", /from 1 to 10000000: got 0/],
      ["256:100", /Pair must be ISL\[\|stddev\],OSL\[\|stddev\]:percent: got "256:100"/],
      [";", /one pair of lengths at least/],
      ["[]", /one pair of lengths at least/],
      ["[(256,128):100 junk]", /Pair must be \(ISL/],
      ["[256,128:100]", /Pair must be \(ISL/],
      ['{"pairs":[{"isl":1,"osl":2}]}', /"prob" of pair 0 must be a number/],
      ['{"pairs":[{"isl":1.5,"osl":2,"prob":100}]}', /whole numbers .* got 1\.5/],
      ['{"pairs":[null]}', /"isl" of pair 0/],
      ['{"sizes":[]}', /list "pairs"/],
      ["{", /Not valid JSON/],
    ] as const
  ) {
    assert.throws(() => parseLengthMixture(text), (error: unknown) => {
      assert.ok(error instanceof UsageError, text);
      assert.match(error.message, message);
      assert.match(error.message, /seq-dist/);
      return true;
    });
  }
});

Deno.test("parseLengthMixture reads back any mixture that is written in any form", () => {
  const share = fc.record({
    inputTokens: fc.integer({ min: 1, max: 200_000 }),
    inputStddev: fc.integer({ min: 0, max: 500 }),
    outputTokens: fc.integer({ min: 1, max: 9000 }),
    outputStddev: fc.integer({ min: 0, max: 500 }).map((tenths) => tenths / 10),
  });
  fc.assert(fc.property(fc.array(share, { minLength: 1, maxLength: 20 }), (lengths) => {
    const shares = lengths.map((one) => ({ ...one, percent: 100 / lengths.length }));
    const pairOf = ({ inputTokens, inputStddev, outputTokens, outputStddev }: LengthShare) =>
      `${inputTokens}|${inputStddev},${outputTokens}|${outputStddev}`;
    const forms = [
      shares.map((one) => `${pairOf(one)}:${one.percent}`).join(";"),
      `[${shares.map((one) => `(${pairOf(one)}):${one.percent}`).join(",")}]`,
      JSON.stringify({
        pairs: shares.map((one) => ({
          isl: one.inputTokens,
          isl_stddev: one.inputStddev,
          osl: one.outputTokens,
          osl_stddev: one.outputStddev,
          prob: one.percent,
        })),
      }),
    ];
    for (const form of forms) assert.deepEqual(parseLengthMixture(form), shares);
  }));
});
