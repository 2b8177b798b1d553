import assert from "node:assert/strict";
import { PayloadTableBuilder } from "../../../src/load/dataset/payloads/payload_table_builder.ts";
import type { Tokenizer } from "../../../src/load/dataset/tokenizers/tokenizer.ts";
import { RecordBlockBuilder } from "../../../src/client/record/record_block.ts";
import { FIELD, FIELD_COUNT } from "../../../src/client/record/request_fields.ts";
import { BlockReader } from "../../../src/results/collect/block_reader.ts";
import { ReplyExpectation } from "../../../src/results/collect/reply_expectation.ts";
import { interTokenNs } from "../../../src/measurement/metrics/tokens_after_first_chunk.ts";

const encoder = new TextEncoder();
/** Counts words. */
const WORDS: Tokenizer = {
  name: "words",
  count: (text) => text.split(" ").filter((word) => word !== "").length,
};

/** A record of two choices, after one of a single choice. */
function block() {
  const builder = new RecordBlockBuilder();
  const row = (choices: number, spansNs: number, chunks: number) => {
    const numbers = new Float64Array(FIELD_COUNT);
    numbers[FIELD.errorKind] = -1;
    numbers[FIELD.promptTokens] = numbers[FIELD.firstChunkTokens] = NaN;
    numbers[FIELD.completionTokens] = 10;
    numbers[FIELD.reasoningTokens] = NaN;
    numbers[FIELD.chunkCount] = chunks;
    numbers[FIELD.choices] = choices;
    numbers[FIELD.choiceSpansNs] = spansNs;
    return numbers;
  };
  const more = {
    requestId: "r",
    correlationId: undefined,
    finishReason: "stop",
    error: undefined,
    rawReply: undefined,
  };
  const text = (words: string) => encoder.encode(words);
  builder.add(row(1, 0, 2), Float64Array.of(10, 20), {
    ...more,
    text: text("one two three"),
    reasoning: text("a thought"),
    toolText: text(""),
  });
  // "yes" and "no" lie side by side, and are no word together.
  builder.add(row(2, 90, 5), Float64Array.of(10, 11, 30, 31, 50), {
    ...more,
    text: text("yes it isno"),
    reasoning: text("hm"),
    toolText: text("call"),
    choiceLengths: [[9, 0, 4], [2, 2, 0]],
  });
  return builder.take().block;
}

function table() {
  const builder = new PayloadTableBuilder();
  builder.addEntry([], { inputTokens: 4, outputTokens: 3, images: 0, choices: 2 });
  return builder.finish(0);
}

Deno.test("BlockReader counts the tokens of each choice by itself", () => {
  const reader = new BlockReader(table(), WORDS);
  const facts = [];
  for (const { record } of reader.read(block())) {
    const { outputTokens, thoughtTokens, requestedTokens, choices } = record;
    facts.push({ outputTokens, thoughtTokens, requestedTokens, choices });
  }
  assert.deepEqual(facts, [
    { outputTokens: 3, thoughtTokens: 2, requestedTokens: 3, choices: 1 },
    // Three words and a call, and one word; of two choices, twice the output was asked for.
    { outputTokens: 5, thoughtTokens: 1, requestedTokens: 6, choices: 2 },
  ]);
});

Deno.test("BlockReader takes usage where it is preferred and known, else the tokenizer's counts", () => {
  const [usage, none] = [7, NaN].map((promptTokens) => {
    const builder = new RecordBlockBuilder();
    const row = new Float64Array(FIELD_COUNT);
    row[FIELD.errorKind] = -1;
    row[FIELD.promptTokens] = promptTokens;
    row[FIELD.completionTokens] = Number.isNaN(promptTokens) ? NaN : 10;
    row[FIELD.reasoningTokens] = row[FIELD.firstChunkTokens] = NaN;
    row[FIELD.chunkCount] = 2;
    row[FIELD.firstChunkBytes] = 7;
    builder.add(row, Float64Array.of(10, 20), {
      requestId: "r",
      correlationId: undefined,
      finishReason: "stop",
      error: undefined,
      rawReply: undefined,
      text: encoder.encode("one two three four five"),
      reasoning: encoder.encode(""),
      toolText: encoder.encode(""),
    });
    const reader = new BlockReader(table(), WORDS, undefined, { prefersUsage: true });
    return [...reader.read(builder.take().block)].map(({ record }) => [
      record.inputTokens,
      record.outputTokens,
      record.firstTokens,
    ])[0];
  });
  // Two of five words came first: of the server's ten tokens that is four.
  assert.deepEqual(usage, [7, 10, 4]);
  assert.deepEqual(none, [4, 5, 2]);
});

Deno.test("interTokenNs of several choices is the time of each by its tokens after the first", () => {
  const reader = new BlockReader(table(), WORDS);
  const times = [];
  for (const { record } of reader.read(block())) times.push(interTokenNs(record));
  // 6 tokens of 2 choices in 5 chunks: 90 ns for all but the first of each.
  assert.equal(times[1], 90 / (6 - 2));
});

Deno.test("BlockReader expects of every choice what is expected of a reply", async () => {
  const errorsWith = async (pattern: string) => {
    const expectation = await ReplyExpectation.create({ pattern, minTokens: 0 });
    const reader = new BlockReader(table(), WORDS, expectation);
    return [...reader.read(block())].map(({ error }) => error);
  };
  assert.deepEqual(await errorsWith("t|no"), [undefined, undefined]);
  assert.deepEqual(await errorsWith("t"), [
    undefined,
    "The reply does not match --expect-regex",
  ]);
});
