import assert from "node:assert/strict";
import fc from "fast-check";
import {
  BuiltinTokenizer,
  VOCABULARY_URL,
} from "../../../../src/load/dataset/tokenizers/builtin_tokenizer.ts";
import { syntheticDataset } from "../../../../src/load/dataset/synthetic/synthetic_dataset.ts";
import { drawTurns } from "../../../../src/load/dataset/synthetic/synthetic_turns.ts";
import { chat } from "../../../../src/client/endpoint/openai/chat.ts";
import type { DatasetPlan, TurnsPlan } from "../../../../src/config/plan/run_plan.ts";

type Synthetic = Extract<DatasetPlan, { source: "synthetic" }>;

const TURNS: TurnsPlan = {
  mean: 3,
  stddev: 1.5,
  delayMeanMs: 100,
  delayStddevMs: 50,
  delayRatio: 2,
};
const DATASET: Synthetic = {
  source: "synthetic",
  inputTokensMean: 30,
  inputTokensStddev: 5,
  outputTokensMean: 8,
  outputTokensStddev: 2,
  turns: TURNS,
  entries: 20,
  warmupEntries: 5,
};
const BODY = { streaming: true, legacyMaxTokens: false, extraInputs: {}, perChunkUsage: false };

Deno.test("synthetic conversations have turns of exact lengths, and their messages lie where said", async () => {
  const tokenizer = new BuiltinTokenizer(await Deno.readFile(VOCABULARY_URL));
  const make = () =>
    syntheticDataset({ seed: 9, models: ["m", "long-name"], body: BODY }, DATASET, chat, undefined);
  const table = await make();
  const { conversations, inputTokens, profilingEntries, warmupEntries } = table.data;
  assert.ok(conversations);
  const { conversationStart, messagesStart, messagesEnd, followsHistory } = conversations;
  assert.deepEqual(
    [conversations.profilingConversations, conversations.warmupConversations],
    [20, 5],
  );
  assert.equal(conversationStart[20], profilingEntries);
  assert.equal(conversationStart[25], profilingEntries + warmupEntries);
  assert.ok(
    new Set([...conversationStart].map((start, i) => start - (conversationStart[i - 1] ?? 0)))
      .size > 2,
  );
  const texts = new Set<string>();
  for (const [entry, tokens] of inputTokens.entries()) {
    for (const model of [0, 1]) {
      const { messages } = JSON.parse(new TextDecoder().decode(table.wholeBodyOf(entry, model)));
      const [start, end] = [messagesStart[entry] as number, messagesEnd[entry] as number];
      const pieces = table.pieceOf(entry, model, start, end);
      const text = pieces.map((piece) => new TextDecoder().decode(piece)).join("");
      assert.deepEqual([JSON.parse(text)], messages);
      assert.equal(tokenizer.count(messages[0].content), tokens);
      texts.add(text);
    }
    assert.equal(followsHistory[entry], 1);
  }
  assert.equal(texts.size, inputTokens.length, "no two turns say the same");
  assert.deepEqual((await make()).data, table.data, "the same seed makes the same");
});

Deno.test("drawTurns depends on seed and number alone, and never waits before a first turn", () => {
  fc.assert(fc.property(fc.nat(), fc.integer({ min: 1, max: 30 }), (seed, entries) => {
    const more = { ...DATASET, entries: entries + 10, warmupEntries: 0 };
    const some = drawTurns({ seed }, { ...DATASET, entries, warmupEntries: 0 }, TURNS);
    const all = drawTurns({ seed }, more, TURNS);
    for (let index = 0; index < some.count; index++) {
      assert.deepEqual(some.of(index), all.of(index));
      const { isFirst, delayNs } = some.of(index);
      assert.ok(isFirst ? delayNs === 0 : delayNs >= 0);
    }
    assert.equal(some.warmupCount, 0);
  }));
});

Deno.test("drawTurns has turns and times of the mean and the spread that were asked for", () => {
  const drawn = drawTurns({ seed: 1 }, { ...DATASET, entries: 5000 }, {
    ...TURNS,
    delayMeanMs: 500,
  });
  // Rounded up, and one at least.
  assert.ok(Math.abs(drawn.count / 5005 - 3.55) < 0.1, `${drawn.count / 5005}`);
  const delays = Array.from({ length: drawn.count }, (_, index) => drawn.of(index))
    .filter(({ isFirst }) => !isFirst).map(({ delayNs }) => delayNs / 1e6);
  const mean = delays.reduce((sum, delay) => sum + delay, 0) / delays.length;
  const spread = Math.sqrt(
    delays.reduce((sum, delay) => sum + (delay - mean) ** 2, 0) / delays.length,
  );
  assert.ok(Math.abs(mean - 1000) < 5, `${mean}`);
  assert.ok(Math.abs(spread - 100) < 5, `${spread}`);
  const capped = drawTurns(
    { seed: 1, turnDelays: { ignored: false, maxMs: 900 } },
    DATASET,
    { ...TURNS, delayMeanMs: 500 },
  );
  for (let index = 0; index < capped.count; index++) assert.ok(capped.of(index).delayNs <= 900e6);
});
