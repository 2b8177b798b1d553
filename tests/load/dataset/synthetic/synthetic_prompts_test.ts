/** What prompts are made of: exact lengths of every part, whatever is combined. */

import assert from "node:assert/strict";
import fc from "fast-check";
import { chat } from "../../../../src/client/endpoint/openai/chat.ts";
import { completions } from "../../../../src/client/endpoint/openai/completions.ts";
import { joinBytes } from "../../../../src/client/http/join_bytes.ts";
import type {
  CacheBustTarget,
  CorpusName,
  PromptsPlan,
} from "../../../../src/config/plan/prompts_plan.ts";
import type { DatasetPlan } from "../../../../src/config/plan/run_plan.ts";
import type { PayloadTable } from "../../../../src/load/dataset/payloads/payload_table.ts";
import {
  isPrefixTarget,
  markedBody,
} from "../../../../src/load/dataset/payloads/session_marker.ts";
import {
  syntheticDataset,
  type SyntheticPlan,
} from "../../../../src/load/dataset/synthetic/synthetic_dataset.ts";
import type { Tokenizer } from "../../../../src/load/dataset/tokenizers/tokenizer.ts";
import { BUILTIN } from "../../../support/builtin.ts";

type Synthetic = Extract<DatasetPlan, { source: "synthetic" }>;

const DATASET: Synthetic = {
  source: "synthetic",
  inputTokensMean: 60,
  inputTokensStddev: 0,
  outputTokensMean: 20,
  outputTokensStddev: 0,
  entries: 12,
  warmupEntries: 4,
};
const PLAN: SyntheticPlan = {
  seed: 3,
  models: ["m", "other"],
  body: { streaming: true, legacyMaxTokens: false, extraInputs: {}, perChunkUsage: false },
};
const TARGETS: readonly CacheBustTarget[] = [
  ...["system-prefix", "system-suffix", "first-turn-prefix", "first-turn-suffix"] as const,
  ...["warmup-isolation-system", "warmup-isolation-first-turn"] as const,
];

interface Message {
  readonly role: string;
  readonly content: string | readonly { readonly text: string }[];
}

function bodyOf(table: PayloadTable, entry: number, session = entry, model = 0) {
  const { markers, profilingEntries } = table.data;
  const phase = entry < profilingEntries ? "profiling" : "warmup";
  const own = phase === "warmup" && session === entry ? entry - profilingEntries : session;
  const pieces = table.bodyOf(entry, model, { phase, session: own, turn: 0 });
  const sent = markers === undefined
    ? pieces
    : markedBody(pieces, markers, entry, { phase, session });
  return JSON.parse(new TextDecoder().decode(joinBytes(sent)));
}

function messagesOf(table: PayloadTable, entry: number, session = entry): Message[] {
  return bodyOf(table, entry, session).messages;
}

function textsOf({ content }: Message): string[] {
  return typeof content === "string" ? [content] : content.map(({ text }) => text);
}

function make(
  prompts: PromptsPlan,
  plan: Partial<SyntheticPlan> = {},
  dataset: Partial<Synthetic> = {},
  tokenizer?: Tokenizer,
): Promise<PayloadTable> {
  return syntheticDataset(
    { ...PLAN, ...plan },
    { ...DATASET, ...dataset, prompts },
    chat,
    tokenizer,
  );
}

const anyPrompts: fc.Arbitrary<PromptsPlan> = fc.record({
  corpus: fc.constantFrom<CorpusName>("sonnet", "coding", "random"),
  prefixes: fc.record({
    count: fc.integer({ min: 1, max: 4 }),
    tokens: fc.integer({ min: 1, max: 80 }),
  }),
  sharedSystemTokens: fc.integer({ min: 12, max: 90 }),
  userContextTokens: fc.integer({ min: 1, max: 90 }),
  textsPerRequest: fc.integer({ min: 2, max: 4 }),
}, { requiredKeys: ["corpus"] });

/** Holds a table to what its plan says, counting with the independent counter. */
function checkTable(
  table: PayloadTable,
  isl: number,
  { prefixes, sharedSystemTokens, userContextTokens, textsPerRequest = 1 }: PromptsPlan,
  plan: Partial<SyntheticPlan>,
  count: (text: string) => number = (text) => BUILTIN.count(text),
): void {
  const { systemPrompt, cacheBust } = plan;
  const { inputTokens, profilingEntries } = table.data;
  const systems = new Set<string>();
  const contexts: string[] = [];
  const starts = new Set<string>();
  for (const [entry, told] of inputTokens.entries()) {
    const isWarmup = entry >= profilingEntries;
    const messages = messagesOf(table, entry);
    const total = messages.flatMap(textsOf).reduce((sum, text) => sum + count(text), 0);
    assert.equal(total, told, "the count that is told is that of what is sent");
    const extra = isWarmup && cacheBust?.startsWith("warmup-")
      ? count("[warmup]\n\n")
      : systemPrompt !== undefined && cacheBust?.startsWith("system-")
      ? count(isPrefixTarget(cacheBust) ? "[rid:123456789012]\n\n" : "\n\n[rid:123456789012]")
      : 0;
    const system = sharedSystemTokens ??
      (systemPrompt === undefined ? 0 : count(systemPrompt));
    const prefix = (prefixes?.tokens ?? 0) * textsPerRequest;
    assert.equal(
      total,
      isl * textsPerRequest + prefix + system + (userContextTokens ?? 0) + extra,
      "what comes before a prompt comes on top of it",
    );
    const roles = messages.map(({ role }) => role);
    assert.deepEqual(roles, [
      ...system > 0 ? ["system"] : [],
      ...userContextTokens === undefined ? [] : ["user"],
      "user",
    ]);
    if (system > 0) systems.add(textsOf(messages[0] as Message).join());
    if (userContextTokens !== undefined) contexts.push(textsOf(messages.at(-2) as Message).join());
    const texts = textsOf(messages.at(-1) as Message);
    assert.equal(texts.length, textsPerRequest);
    // No token has less than a character.
    if (prefixes !== undefined) texts.forEach((text) => starts.add(text.slice(0, prefixes.tokens)));
    assert.deepEqual(bodyOf(table, entry, entry, 1), { ...bodyOf(table, entry), model: "other" });
  }
  if (!cacheBust?.includes("system") && systems.size > 0) assert.equal(systems.size, 1);
  // A few words of code stand in the corpus more than once, where one of sixteen may meet them.
  if ((userContextTokens ?? 0) > 8) {
    const repeated = contexts.length - new Set(contexts).size;
    assert.ok(repeated <= ((userContextTokens ?? 0) > 60 ? 0 : 1), `${repeated} contexts repeated`);
  }
  const isMarkedAhead = cacheBust !== undefined && isPrefixTarget(cacheBust);
  if (prefixes !== undefined && prefixes.tokens > 8 && !isMarkedAhead) {
    assert.ok(starts.size <= prefixes.count, "all begin with a prefix of the pool");
  }
}

Deno.test("synthetic prompts have exact lengths, whatever stands before them, from every corpus", async () => {
  await fc.assert(
    fc.asyncProperty(
      anyPrompts,
      fc.integer({ min: 20, max: 300 }),
      fc.nat(),
      fc.option(fc.constantFrom(...TARGETS), { nil: undefined }),
      async (prompts, isl, seed, cacheBust) => {
        const plan = { seed, ...(cacheBust === undefined ? {} : { cacheBust }) };
        checkTable(await make(prompts, plan, { inputTokensMean: isl }), isl, prompts, plan);
      },
    ),
    { numRuns: 60 },
  );
});

Deno.test("salted prompts have exact lengths, also where they are sent again by another session", async () => {
  await fc.assert(
    fc.asyncProperty(
      anyPrompts,
      fc.integer({ min: 1, max: 120 }),
      fc.nat({ max: 2 ** 24 - 1 }),
      fc.option(fc.constantFrom(...TARGETS), { nil: undefined }),
      async (prompts, isl, salt, cacheBust) => {
        const plan = cacheBust === undefined ? {} : { cacheBust };
        const inputTokensMean = cacheBust === undefined ? isl : isl + 20;
        const table = await make(prompts, plan, { inputTokensMean, salt });
        checkTable(table, inputTokensMean, prompts, plan);
        for (const entry of [0, 7]) {
          const again = messagesOf(table, entry, entry + 1_000_000);
          const sum = again.flatMap(textsOf).reduce((sum, text) => sum + BUILTIN.count(text), 0);
          assert.equal(sum, table.data.inputTokens[entry]);
        }
      },
    ),
    { numRuns: 60 },
  );
});

Deno.test("a salted prompt begins as no other one of its run or of another run does", async () => {
  for (const corpus of ["sonnet", "coding", "random"] as const) {
    const beginnings = new Set<string>();
    for (const salt of [0, 1, 2 ** 24 - 1]) {
      // The seed is the same: without salts the runs would send the same.
      const table = await make({ corpus, textsPerRequest: 2 }, {}, { salt, entries: 50 });
      for (let session = 0; session < 300; session++) {
        const [message] = messagesOf(table, session % 50, session);
        for (const text of textsOf(message as Message)) {
          // Fewer tokens than a block of a prefix cache has.
          beginnings.add(text.split(" ").slice(0, 7).join(" "));
        }
      }
    }
    assert.equal(beginnings.size, 3 * 300 * 2);
  }
});

Deno.test("later turns and contexts have salts, and messages stay where they lie", async () => {
  const turns = { mean: 3, stddev: 0, delayMeanMs: 0, delayStddevMs: 0, delayRatio: 1 };
  const table = await make({ userContextTokens: 30 }, {}, { turns, salt: 4 });
  const { messagesStart, messagesEnd } = table.data.conversations as NonNullable<
    typeof table.data.conversations
  >;
  const seen = new Set<string>();
  for (const session of [0, 50]) {
    for (const turn of [0, 1, 2]) {
      const key = { phase: "profiling", session, turn } as const;
      const body = table.wholeBodyOf(turn, 0, key);
      const { messages } = JSON.parse(new TextDecoder().decode(body));
      const [start, end] = [messagesStart[turn] as number, messagesEnd[turn] as number];
      const span = new TextDecoder().decode(joinBytes(table.pieceOf(turn, 0, start, end, key)));
      assert.deepEqual(JSON.parse(`[${span}]`), messages);
      for (const message of messages) textsOf(message).forEach((text) => seen.add(text));
    }
  }
  assert.equal(seen.size, 2 * 4);
});

Deno.test("what a table has of its own is what its first sessions send", async () => {
  const table = await make({ userContextTokens: 9 }, {}, { salt: 7 });
  for (const entry of table.data.inputTokens.keys()) {
    const own = JSON.parse(new TextDecoder().decode(table.wholeBodyOf(entry)));
    assert.deepEqual(own, bodyOf(table, entry));
  }
});

Deno.test("synthetic prompts of few tokens have their lengths too", async () => {
  for (const corpus of ["sonnet", "coding", "random"] as const) {
    for (const isl of [1, 2, 3, 4]) {
      for (const prefixes of [undefined, { count: 2, tokens: isl }]) {
        const prompts: PromptsPlan = { corpus, ...(prefixes === undefined ? {} : { prefixes }) };
        checkTable(await make(prompts, {}, { inputTokensMean: isl }), isl, prompts, {});
      }
    }
  }
});

Deno.test("a system prompt stands in every first turn as it was written, and is counted", async () => {
  const systemPrompt = 'Say "yes".\n\tOr "no" \\ both — 你好';
  for (const cacheBust of [undefined, ...TARGETS]) {
    const plan = { systemPrompt, ...(cacheBust === undefined ? {} : { cacheBust }) };
    const table = await make({}, plan);
    checkTable(table, 60, {}, plan);
    const [system] = messagesOf(table, 0);
    assert.ok(textsOf(system as Message)[0]?.includes(systemPrompt));
  }
});

Deno.test("a marker is counted with what the system prompt ends or begins with", async () => {
  for (const systemPrompt of ["Be brief.", "\n\nBe brief:\n", "  (Be brief)"]) {
    for (const cacheBust of TARGETS) checkTold(await make({}, { systemPrompt, cacheBust }));
  }
});

Deno.test("a marker after prefixes merges with none, however short the prompt is", async () => {
  const prefixes = { count: 40, tokens: 20 };
  for (const corpus of ["sonnet", "coding"] as const) {
    for (const inputTokensMean of [1, 20]) {
      const cacheBust = "first-turn-suffix";
      checkTold(await make({ corpus, prefixes }, { cacheBust }, { inputTokensMean, entries: 100 }));
    }
  }
});

function checkTold(table: PayloadTable): void {
  assert.deepEqual(messagesLengths(table), [...table.data.inputTokens]);
}

Deno.test("a tokenizer that merges otherwise gets exact lengths of every part", async () => {
  // Counts "the" as two, and a letter after "]" as one more: neither the corpus nor seams fit.
  const foreign: Tokenizer = {
    name: "foreign",
    count: (text) => BUILTIN.count(text) + (text.match(/the|\]\n\n[a-z]/g)?.length ?? 0),
  };
  for (
    const prompts of [
      { prefixes: { count: 2, tokens: 30 } },
      { sharedSystemTokens: 40, userContextTokens: 25, corpus: "coding" },
      { corpus: "random", textsPerRequest: 2 },
    ] as const
  ) {
    for (const dataset of [{}, { salt: 5 }]) {
      const table = await make(prompts, {}, dataset, foreign);
      checkTable(table, 60, prompts, {}, (text) => foreign.count(text));
    }
  }
});

Deno.test("a mixture has its shares and its pairs, and depends on the seed and the number alone", async () => {
  const mixture = [
    { inputTokens: 30, inputStddev: 0, outputTokens: 7, outputStddev: 0, percent: 70 },
    { inputTokens: 80, inputStddev: 6, outputTokens: 40, outputStddev: 3, percent: 25 },
    { inputTokens: 200, inputStddev: 0, outputTokens: 90, outputStddev: 0, percent: 5 },
    { inputTokens: 999, inputStddev: 0, outputTokens: 1, outputStddev: 0, percent: 0 },
  ];
  const entries = 8000;
  const { data } = await make({ mixture }, {}, { entries });
  const { inputTokens, outputTokens } = data;
  const shareOf = (wanted: (osl: number) => boolean) =>
    outputTokens.slice(0, entries).filter(wanted).length / entries;
  assert.ok(Math.abs(shareOf((osl) => osl === 7) - 0.7) < 0.02);
  assert.ok(Math.abs(shareOf((osl) => osl > 7 && osl < 80) - 0.25) < 0.02);
  assert.ok(Math.abs(shareOf((osl) => osl === 90) - 0.05) < 0.01);
  inputTokens.forEach((isl, entry) => {
    const osl = outputTokens[entry] as number;
    if (osl === 7) assert.equal(isl, 30);
    else if (osl === 90) assert.equal(isl, 200);
    else assert.ok(isl > 50 && isl < 110, `${isl}`);
  });
  const fewer = await make({ mixture }, {}, { entries: 100, warmupEntries: 0 });
  assert.deepEqual([...fewer.data.inputTokens], [...inputTokens.slice(0, 100)]);
});

Deno.test("a range has all of its lengths, both ends among them", async () => {
  const range = { input: [10, 14], output: [1, 3] } as const;
  const { data } = await make({ range }, {}, { entries: 1500 });
  for (
    const [counts, low, high] of [[data.inputTokens, 10, 14], [data.outputTokens, 1, 3]] as const
  ) {
    for (let length = low; length <= high; length++) {
      const share = counts.filter((count) => count === length).length / counts.length;
      assert.ok(Math.abs(share - 1 / (high - low + 1)) < 0.05, `${length}: ${share}`);
    }
    assert.ok(counts.every((count) => count >= low && count <= high));
  }
});

Deno.test("a range that begins at 0 leaves prefixes alone", async () => {
  const prompts = {
    range: { input: [0, 1], output: [1, 1] },
    prefixes: { count: 1, tokens: 9 },
  } as const;
  const table = await make(prompts, {}, { entries: 40 });
  const lengths = messagesLengths(table);
  assert.deepEqual(new Set(lengths), new Set([9, 10]));
  assert.deepEqual(lengths, [...table.data.inputTokens]);
});

function messagesLengths(table: PayloadTable): number[] {
  return [...table.data.inputTokens.keys()].map((entry) =>
    messagesOf(table, entry).flatMap(textsOf).reduce((sum, text) => sum + BUILTIN.count(text), 0)
  );
}

Deno.test("prompts of completions have prefixes and several texts", async () => {
  const prompts: PromptsPlan = { prefixes: { count: 2, tokens: 25 }, textsPerRequest: 3 };
  const table = await syntheticDataset(PLAN, { ...DATASET, prompts }, completions, undefined);
  for (const [entry, told] of table.data.inputTokens.entries()) {
    const { prompt } = bodyOf(table, entry);
    assert.equal(prompt.length, 3);
    for (const text of prompt) assert.equal(BUILTIN.count(text), 85);
    assert.equal(told, 3 * 85);
  }
});

Deno.test("warm-up has no prompt and no context of the measured ones; prefixes and system are shared", async () => {
  const table = await make(
    {
      prefixes: { count: 1, tokens: 30 },
      corpus: "coding",
    },
    {},
    { entries: 400, warmupEntries: 100 },
  );
  const texts = table.data.inputTokens.reduce<string[]>(
    (all, _, entry) => [...all, messagesOf(table, entry).flatMap(textsOf).join()],
    [],
  );
  const prefix = texts[0]?.slice(0, 60) as string;
  assert.ok(texts.every((text) => text.startsWith(prefix)));
  const rests = texts.map((text) => text.slice(150, 260));
  assert.equal(new Set(rests).size, 500);
});

Deno.test("prefixes of several lengths begin alike, and prompts of all of them are as long", async () => {
  const prefixes = { count: 1, tokens: 30, lengths: { count: 8, stepTokens: 4 } };
  for (const tokenizer of [undefined, BUILTIN]) {
    const table = await make({ prefixes, corpus: "coding" }, {}, {
      entries: 32,
      inputTokensMean: 90,
    }, tokenizer);
    const texts = table.data.inputTokens.reduce<string[]>(
      (all, _, entry) => [...all, messagesOf(table, entry).flatMap(textsOf).join()],
      [],
    );
    assert.deepEqual(new Set(texts.map((text) => BUILTIN.count(text))), new Set([120]));
    const [prompts, [warmup = "", ...others]] = [texts.slice(0, 32), texts.slice(32)];
    const shared = (text: string): number => {
      let end = 0;
      while (end < text.length && text[end] === warmup[end]) end++;
      return BUILTIN.count(text.slice(0, text.lastIndexOf(" ", end)));
    };
    // Of a word that begins alike, or of a text that goes on alike by chance, a token or two.
    const steps = prompts.map((text) => Math.round((shared(text) - 30) / 4));
    for (let step = 0; step < 8; step++) {
      const count = steps.filter((one) => one === step).length;
      assert.ok(count >= 3 && count <= 5, `${count} prompts with ${30 + step * 4} tokens`);
    }
    assert.ok(others.every((text) => shared(text) >= 56), "warm-up has the longest one");
  }
});

Deno.test("later turns have neither prefix nor context nor system, and their messages lie where said", async () => {
  const prompts: PromptsPlan = {
    sharedSystemTokens: 40,
    userContextTokens: 30,
    corpus: "coding",
    textsPerRequest: 2,
  };
  const turns = { mean: 3, stddev: 1, delayMeanMs: 0, delayStddevMs: 0, delayRatio: 1 };
  const table = await make(prompts, { cacheBust: "first-turn-suffix" }, { turns });
  const { conversations, markers, inputTokens } = table.data;
  assert.ok(conversations && markers);
  const { conversationStart, messagesStart, messagesEnd } = conversations;
  for (let number = 0; number + 1 < conversationStart.length; number++) {
    const first = conversationStart[number] as number;
    for (let entry = first; entry < (conversationStart[number + 1] as number); entry++) {
      const { messages } = JSON.parse(new TextDecoder().decode(table.wholeBodyOf(entry)));
      const span = table.pieceOf(
        entry,
        0,
        messagesStart[entry] as number,
        messagesEnd[entry] as number,
      );
      assert.deepEqual(JSON.parse(`[${new TextDecoder().decode(joinBytes(span))}]`), messages);
      assert.equal(messages.length, entry === first ? 3 : 1);
      if (entry > first) assert.equal(inputTokens[entry], 120);
      else assert.equal(inputTokens[entry], 120 + 70);
      assert.equal(markers.at[entry], markers.at[first], "the marker stays where it was");
    }
  }
});

Deno.test("the same seed makes the same tables, another one others, for every part", async () => {
  const prompts: PromptsPlan = {
    corpus: "random",
    prefixes: { count: 3, tokens: 12 },
    textsPerRequest: 2,
  };
  const texts = async (seed: number) => {
    const table = await make(prompts, { seed, cacheBust: "first-turn-prefix" });
    return [...table.data.inputTokens.keys()].map((entry) => messagesOf(table, entry));
  };
  assert.deepEqual(await texts(1), await texts(1));
  assert.notDeepEqual(await texts(1), await texts(2));
});
