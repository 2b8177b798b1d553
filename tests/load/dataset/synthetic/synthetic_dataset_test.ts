import assert from "node:assert/strict";
import { chat } from "../../../../src/client/endpoint/openai/chat.ts";
import { completions } from "../../../../src/client/endpoint/openai/completions.ts";
import type { EndpointType } from "../../../../src/client/endpoint/protocol/endpoint_type.ts";
import type { DatasetPlan } from "../../../../src/config/plan/run_plan.ts";
import type { PayloadTable } from "../../../../src/load/dataset/payloads/payload_table.ts";
import { syntheticDataset } from "../../../../src/load/dataset/synthetic/synthetic_dataset.ts";
import type { Tokenizer } from "../../../../src/load/dataset/tokenizers/tokenizer.ts";
import { BUILTIN } from "../../../support/builtin.ts";

type Synthetic = Extract<DatasetPlan, { source: "synthetic" }>;

const BODY = {
  streaming: true,
  legacyMaxTokens: false,
  extraInputs: { "ignore_eos": true },
  perChunkUsage: false,
};

function make(
  dataset: Partial<Synthetic>,
  {
    seed = 1,
    type = chat as EndpointType,
    tokenizer = undefined as Tokenizer | undefined,
    models = ["m"],
  } = {},
): Promise<PayloadTable> {
  return syntheticDataset(
    { seed, models, body: BODY },
    {
      source: "synthetic",
      inputTokensMean: 100,
      inputTokensStddev: 0,
      outputTokensMean: 20,
      outputTokensStddev: 0,
      entries: 50,
      warmupEntries: 0,
      ...dataset,
    },
    type,
    tokenizer,
  );
}

function bodies(payloads: PayloadTable): Record<string, unknown>[] {
  const count = payloads.data.inputTokens.length;
  return Array.from(
    { length: count },
    (_, entry) => JSON.parse(new TextDecoder().decode(payloads.wholeBodyOf(entry))),
  );
}

function prompts(payloads: PayloadTable, type = chat as EndpointType): string[] {
  return bodies(payloads).map((body) => type.inputTexts(body).join(" "));
}

for (const tokens of [1, 2, 3, 17, 100, 550, 4096, 200_000]) {
  Deno.test(`syntheticDataset makes prompts of exactly ${tokens} tokens`, async () => {
    const payloads = await make({ inputTokensMean: tokens, entries: tokens > 1000 ? 3 : 50 });
    for (const prompt of prompts(payloads)) assert.equal(BUILTIN.count(prompt), tokens);
    for (const count of payloads.data.inputTokens) assert.equal(count, tokens);
  });
}

Deno.test("syntheticDataset draws lengths around the mean, and tells each one's", async () => {
  const payloads = await make({ inputTokensMean: 200, inputTokensStddev: 30, entries: 400 });
  const { inputTokens } = payloads.data;
  prompts(payloads).forEach((prompt, entry) => {
    assert.equal(BUILTIN.count(prompt), inputTokens[entry]);
  });
  const mean = inputTokens.reduce((sum, tokens) => sum + tokens, 0) / inputTokens.length;
  const spread = Math.sqrt(
    inputTokens.reduce((sum, tokens) => sum + (tokens - mean) ** 2, 0) / inputTokens.length,
  );
  assert.ok(Math.abs(mean - 200) < 6, `mean ${mean}`);
  assert.ok(Math.abs(spread - 30) < 5, `deviation ${spread}`);
});

Deno.test("syntheticDataset makes no prompt twice, nor one that begins like another", async () => {
  const all = prompts(await make({ entries: 2000, warmupEntries: 500 }));
  assert.equal(new Set(all.map((prompt) => prompt.slice(0, 60))).size, 2500);
});

Deno.test("syntheticDataset makes the same prompts from the same seed, others from another", async () => {
  const [a, b, c] = [
    prompts(await make({}, { seed: 1 })),
    prompts(await make({}, { seed: 1 })),
    prompts(await make({}, { seed: 2 })),
  ];
  assert.deepEqual(a, b);
  assert.notDeepEqual(a, c);
});

Deno.test("syntheticDataset writes bodies with AIPerf's keys in AIPerf's order", async () => {
  const [chatBody] = bodies(await make({}));
  assert.deepEqual(Object.keys(chatBody ?? {}), [
    ...["messages", "model", "stream", "max_completion_tokens", "ignore_eos", "stream_options"],
  ]);
  assert.deepEqual(chatBody?.["stream_options"], { "include_usage": true });
  const [completion] = bodies(await make({}, { type: completions }));
  assert.deepEqual(Object.keys(completion ?? {}), [
    ...["prompt", "model", "stream", "max_tokens", "ignore_eos", "stream_options"],
  ]);
});

Deno.test("syntheticDataset has a body of every entry for each model", async () => {
  const one = await make({ entries: 4 });
  const three = await make({ entries: 4 }, { models: ["m", 'n"', "o"] });
  assert.deepEqual([one.data.modelCount, three.data.modelCount], [1, 3]);
  for (let entry = 0; entry < 4; entry++) {
    for (const [number, model] of ["m", 'n"', "o"].entries()) {
      const decoder = new TextDecoder();
      const body = JSON.parse(decoder.decode(three.wholeBodyOf(entry, number)));
      assert.equal(body.model, model);
      assert.deepEqual({ ...body, model: "m" }, JSON.parse(decoder.decode(one.wholeBodyOf(entry))));
    }
  }
});

Deno.test("syntheticDataset asks for each entry's own output length", async () => {
  const payloads = await make({ outputTokensMean: 50, outputTokensStddev: 10 });
  bodies(payloads).forEach((body, entry) => {
    assert.equal(body["max_completion_tokens"], payloads.data.outputTokens[entry]);
  });
  assert.ok(new Set(payloads.data.outputTokens).size > 5);
  const [open] = bodies(await make({ outputTokensMean: undefined }));
  assert.equal("max_completion_tokens" in (open ?? {}), false);
});

Deno.test("syntheticDataset finds exact lengths for any tokenizer", async () => {
  // Counts "the" as two, so that no count of ours is right for it.
  const foreign: Tokenizer = {
    name: "foreign",
    count: (text) => BUILTIN.count(text) + (text.match(/the/g)?.length ?? 0),
  };
  for (const tokens of [1, 5, 100, 550]) {
    const payloads = await make({ inputTokensMean: tokens }, { tokenizer: foreign });
    prompts(payloads).forEach((prompt, entry) => {
      assert.equal(foreign.count(prompt), payloads.data.inputTokens[entry]);
      assert.equal(payloads.data.inputTokens[entry], tokens);
    });
  }
});

Deno.test("syntheticDataset puts images and recordings into one prompt", async () => {
  const always = (mean: number) => ({ mean, stddev: 0 });
  const prompts = {
    images: { perRequest: 1, width: always(3), height: always(2), format: "png" as const },
    recordings: {
      ...{ perRequest: 1, seconds: always(0.01), depths: [16], sampleRates: [8000], channels: 1 },
    },
  };
  const payloads = await make({ inputTokensMean: 5, entries: 2, prompts });
  const parts = bodies(payloads).map(({ messages }) =>
    (messages as { content: { type: string }[] }[])[0]?.content ?? []
  );
  for (const content of parts) {
    assert.deepEqual(content.map(({ type }) => type), ["text", "image_url", "input_audio"]);
  }
  const media = parts.flatMap((content) => content.slice(1)).map((part) => JSON.stringify(part));
  assert.equal(new Set(media).size, 4);
  assert.deepEqual([...payloads.data.images], [1, 1]);
});
