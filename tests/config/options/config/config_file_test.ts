import assert from "node:assert/strict";
import { readConfigFile } from "../../../../src/config/options/config/config_file.ts";
import { PROFILE_OPTIONS } from "../../../../src/config/options/profile/profile_options.ts";
import { UsageError } from "../../../../src/config/options/usage_error.ts";

async function read(text: string): Promise<Record<string, unknown>> {
  const path = await Deno.makeTempFile({ suffix: ".yaml" });
  try {
    await Deno.writeTextFile(path, text);
    return await readConfigFile(path, PROFILE_OPTIONS);
  } finally {
    await Deno.remove(path);
  }
}

Deno.test("readConfigFile reads options in any spelling of their names", async () => {
  assert.deepEqual(
    await read(`
url: [node1:8000, node2:8000]
request_rate: 600/m
benchmark-duration: 2m
maxErrorRate: 0.5
streaming: true
num-requests: 7   # an alias
header: "X-A: 1"
extra-inputs:
  - ignore_eos: true
`),
    {
      url: ["node1:8000", "node2:8000"],
      requestRate: 10,
      benchmarkDuration: 120,
      maxErrorRate: 0.5,
      streaming: true,
      requestCount: 7,
      header: ["X-A: 1"],
      extraInputs: ['{"ignore_eos":true}'],
    },
  );
  assert.deepEqual(await read("# nothing yet\n"), {});
});

Deno.test("readConfigFile leaves texts that look like numbers as they are written", async () => {
  assert.deepEqual(
    await read(`
api-key: &key 0012345678
tokenizer-revision: 0123e10
model: [007, 1.10, 0x1F]
system-prompt: *key
expect-regex: 1_000
num-requests: 007
request-rate: 1e1
`),
    {
      apiKey: "0012345678",
      tokenizerRevision: "0123e10",
      model: ["007", "1.10", "0x1F"],
      systemPrompt: "0012345678",
      expectRegex: "1_000",
      requestCount: 7,
      requestRate: 10,
    },
  );
});

Deno.test("readConfigFile takes what is JSON on the command line as lists and mappings", async () => {
  assert.deepEqual(
    await read(`
request-rate-series: [{ time_s: 0, qps: 5 }, { time_s: 60, qps: 20 }]
seq-dist: { pairs: [{ isl: 8, osl: 4, prob: 100 }] }
random-range-ratio: { input: 0.2, output: 0 }
`),
    {
      requestRateSeries: '[{"time_s":0,"qps":5},{"time_s":60,"qps":20}]',
      seqDist: '{"pairs":[{"isl":8,"osl":4,"prob":100}]}',
      randomRangeRatio: '{"input":0.2,"output":0}',
    },
  );
});

Deno.test("readConfigFile names file, line and what was meant", async () => {
  const cases: [string, RegExp][] = [
    [
      "streaming: true\nconcurency: 5\n",
      /\.yaml:2:\d+: Unknown option "concurency", did you mean "concurrency"\?/,
    ],
    ["concurrency: many\n", /\.yaml:1:\d+: concurrency: Must be a number: got "many"/],
    ["concurrency:\n", /\.yaml:1:\d+: concurrency: Has no value/],
    ["workers: [1, 2]\n", /\.yaml:1:\d+: workers: Must be a single value/],
    ["- a\n", /\.yaml:1:\d+: Must be a mapping/],
    ["a: [\n", /\.yaml:\d:\d+: /],
  ];
  for (const [text, message] of cases) {
    await assert.rejects(() => read(text), (error) => {
      assert.ok(error instanceof UsageError);
      assert.match(error.message, message);
      return true;
    });
  }
  await assert.rejects(
    () => readConfigFile("/nowhere.yaml", PROFILE_OPTIONS),
    /--config: \/nowhere\.yaml: File does not exist/,
  );
});

Deno.test("readConfigFile answers to keys that are no words, options set twice, and aliases", async () => {
  const refuses = async (text: string, message: RegExp) =>
    await assert.rejects(() => read(text), (error) => {
      assert.ok(error instanceof UsageError, String(error));
      assert.match(error.message, message);
      assert.ok(!error.message.includes("\n"));
      return true;
    });
  await refuses("isl: 1\n? [a, b]\n: 1\n", /:2:\d+: An option's name must be a word$/);
  await refuses("? {a: b}\n: 1\n", /:1:\d+: An option's name must be a word$/);
  await refuses("null: 1\n", /:1:\d+: An option's name must be a word$/);
  await refuses(": 1\n", /:1:\d+: An option's name must be a word$/);
  await refuses("isl: &x 1\n*x : 2\n", /:2:\d+: An option's name must be a word$/);
  await refuses("isl: 1\n---\nosl: 1\n", /:2:1: A second document begins: a file is one/);
  await refuses("3: 1\n", /:1:\d+: Unknown option "3"/);
  await refuses("request-count: 1\nrequest_count: 2\n", /:2:\d+: "request-count" is set twice$/);
  await refuses("isl: 1\nprompt-input-tokens-mean: 2\n", /:2:\d+: "isl" is set twice$/);
  await refuses("isl: *nothing\n", /Unresolved alias/);
  assert.deepEqual(await read("isl: &x 7\nosl: *x\n"), { isl: 7, osl: 7 });
  const bomb = ["header: [&a [x,x,x,x,x,x,x,x,x,x]"];
  for (let i = 0; i < 9; i++) {
    bomb.push(`, &${"bcdefghij"[i]} [${`*${"abcdefghi"[i]},`.repeat(9)}]`);
  }
  await refuses(`${bomb.join("")}]\n`, /Excessive alias count/);
  await refuses("[".repeat(100_000), /:.*\S/);
});

Deno.test("readConfigFile reads no file that is larger than any configuration", async () => {
  await assert.rejects(() => read(`# ${"x".repeat(1_000_000)}\n`), {
    name: "UsageError",
    message: /^--config: .*\.yaml: Is larger than 1 MB$/,
  });
});

Deno.test("readConfigFile reads models with weights, also in the form of AIPerf's files", async () => {
  const weighted = {
    model: ["base", "lora"],
    modelSelectionStrategy: "weighted",
    modelWeights: ["3", "1"],
  };
  assert.deepEqual(
    await read("model:\n  - {name: base, weight: 3}\n  - name: lora\n    weight: 1\n"),
    weighted,
  );
  assert.deepEqual(
    await read(
      "models:\n  strategy: weighted\n  items: [{name: base, weight: 0.75}, {name: lora, weight: 0.25}]\n",
    ),
    { ...weighted, modelWeights: ["0.75", "0.25"] },
  );
  assert.deepEqual(
    await read(
      "models: {strategy: round_robin, items: [{name: a, weight: 1}, {name: b, weight: 2}]}",
    ),
    { model: ["a", "b"], modelSelectionStrategy: "round-robin" },
  );
  assert.deepEqual(await read("models: [a, b]"), { model: ["a", "b"] });
  assert.deepEqual(await read("model: a"), { model: ["a"] });
  const wrong: [text: string, message: RegExp][] = [
    ["model: [{name: a, weight: 1}, b]", /:1:8: Either all models have a weight, or none/],
    ["model: [{nam: a}]", /A model is a name, or a mapping with name and weight/],
    ["model: [{name: a, lora: b}]", /A model has no "lora" here/],
    ["model: [{name: a, weight: -1}]", /The weight of a is a number, none below 0/],
    ["models: {items: [a], extra: 1}", /Models have no "extra"/],
    ["model: [{name: a, weight: 1}]\nmodel-weights: 2", /"model-weights" is set twice/],
    ["model: a\nmodels: [{name: b}]", /"model" is set twice/],
  ];
  for (const [text, message] of wrong) {
    await assert.rejects(() => read(text), (error) => {
      assert.ok(error instanceof UsageError);
      assert.match(error.message, message);
      return true;
    });
  }
});
