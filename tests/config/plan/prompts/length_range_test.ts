import assert from "node:assert/strict";
import { parseLengthRange } from "../../../../src/config/plan/prompts/length_range.ts";

const MEANS = { isl: 1000, osl: 55 };

Deno.test("parseLengthRange makes the ranges of both styles", () => {
  assert.deepEqual(parseLengthRange("0.25", "vllm", MEANS), {
    input: [750, 1250],
    output: [41, 69],
  });
  assert.deepEqual(parseLengthRange('{"input":0,"output":0.9}', "vllm", MEANS), {
    input: [1000, 1000],
    output: [5, 105],
  });
  assert.deepEqual(parseLengthRange("0.9", "vllm", { isl: 2, osl: 1 }), {
    input: [0, 4],
    output: [1, 2],
  });
  assert.deepEqual(parseLengthRange("0.5", "sglang", MEANS), {
    input: [500, 1000],
    output: [27, 55],
  });
  assert.deepEqual(parseLengthRange("0", "sglang", MEANS), { input: [1, 1000], output: [1, 55] });
  assert.deepEqual(parseLengthRange("1", "sglang", MEANS), {
    input: [1000, 1000],
    output: [55, 55],
  });
});

Deno.test("parseLengthRange refuses what is no ratio", () => {
  for (
    const [text, style, message] of [
      ["1", "vllm", /from 0 to below 1: got 1/],
      ["-0.1", "vllm", /got -0\.1/],
      ["x", "vllm", /got x/],
      ["", "vllm", /got ""/],
      ["1.1", "sglang", /from 0 to 1: got 1\.1/],
      ['{"input":0.1,"output":0.1}', "sglang", /one number/],
      ['{"input":0.1}', "vllm", /from 0 to below 1: got no "output"/],
      ['{"input":"x","output":0.1}', "vllm", /from 0 to below 1: got "x" as "input"/],
      ['{"input":0.1,"output":0.1,"x":1}', "vllm", /only "input" and "output": got "x"/],
      ["{", "vllm", /Not valid JSON/],
    ] as const
  ) assert.throws(() => parseLengthRange(text, style, MEANS), message);
});
