import assert from "node:assert/strict";
import { ChatTemplate } from "../../../../src/load/dataset/tokenizers/chat_template.ts";
import { conversationTable } from "../../../../src/load/dataset/conversations/conversation_table.ts";
import {
  fileTokenizer,
  readTokenizerFiles,
} from "../../../../src/load/dataset/tokenizers/file_tokenizer.ts";
import { syntheticDataset } from "../../../../src/load/dataset/synthetic/synthetic_dataset.ts";
import { chat } from "../../../../src/client/endpoint/openai/chat.ts";
import type { PromptsPlan } from "../../../../src/config/plan/prompts_plan.ts";
import { withFolder } from "../../../support/artifacts.ts";
import {
  CHAT_TEMPLATE,
  CHAT_TOKENIZER,
  writeChatTokenizer,
} from "../../../support/chat_tokenizer.ts";

const FILES = {
  name: "chat",
  definition: JSON.stringify(CHAT_TOKENIZER),
  config: JSON.stringify({ bos_token: "<s>", chat_template: CHAT_TEMPLATE }),
};
const BODY = { streaming: true, legacyMaxTokens: false, extraInputs: {}, perChunkUsage: false };

Deno.test("ChatTemplate renders messages, and measures what it puts around them", () => {
  const template = new ChatTemplate(FILES);
  const tokenizer = fileTokenizer(FILES);
  const messages = [{ role: "system", content: " a " }, { role: "user", content: "b" }];
  const text = "<s><system> a <end><user> b <end><assistant>";
  assert.equal(template.render(messages), text);
  assert.equal(tokenizer.count(text), 8);
  assert.deepEqual(template.overhead(tokenizer, ["system", "user"]), {
    ...{ first: 6, single: 4, later: 2, reply: 2 },
  });
});

Deno.test("ChatTemplate is read from wherever models have it", async () => {
  await withFolder(async (folder) => {
    await writeChatTokenizer(folder, [
      { name: "tool_use", template: "no" },
      { name: "default", template: "{{ messages[0].content }}!" },
    ]);
    const user = [{ role: "user", content: "x" }];
    assert.equal(new ChatTemplate(await readTokenizerFiles(folder)).render(user), "x!");
    await Deno.writeTextFile(`${folder}/chat_template.jinja`, "{{ messages[0].content }}?");
    assert.equal(new ChatTemplate(await readTokenizerFiles(folder)).render(user), "x?");
  });
});

Deno.test("ChatTemplate says what is wrong with a template", () => {
  const files = (template?: string) => ({
    ...FILES,
    config: JSON.stringify({ chat_template: template }),
  });
  assert.throws(() => new ChatTemplate(files()), /chat: The tokenizer has no chat template/);
  assert.throws(() => new ChatTemplate(files("{% if %}")), /chat: Chat template cannot be read/);
  const refusing = new ChatTemplate(files("{{ raise_exception('no system') }}"));
  assert.throws(() => refusing.render([]), /chat: Chat template cannot be applied: no system/);
});

Deno.test("synthetic prompts with a template have their length with it, context and system on top", async () => {
  const tokenizer = fileTokenizer(FILES);
  const template = new ChatTemplate(FILES);
  const turns = { mean: 2, stddev: 0, delayMeanMs: 0, delayStddevMs: 0, delayRatio: 1 };
  for (
    const prompts of [
      {},
      { sharedSystemTokens: 11, userContextTokens: 7 },
      { prefixes: { count: 2, tokens: 9 } },
    ] as PromptsPlan[]
  ) {
    const { data, ...table } = await syntheticDataset(
      { seed: 1, models: ["m"], body: BODY },
      {
        source: "synthetic",
        inputTokensMean: 40,
        inputTokensStddev: 0,
        outputTokensMean: undefined,
        outputTokensStddev: 0,
        turns,
        prompts,
        entries: 5,
        warmupEntries: 0,
      },
      chat,
      tokenizer,
      undefined,
      { template, isForAll: true },
    ).then((table) => ({ data: table.data, bodyOf: (entry: number) => table.wholeBodyOf(entry) }));
    const messagesOf = (entry: number) =>
      JSON.parse(new TextDecoder().decode(table.bodyOf(entry))).messages;
    for (let entry = 0; entry < data.inputTokens.length; entry += 2) {
      const first = messagesOf(entry);
      assert.equal(tokenizer.count(template.render(first)), data.inputTokens[entry]);
      // The frames of the system message and of the context come on top, like their texts.
      const extra = prompts.sharedSystemTokens === undefined ? 0 : 11 + 2 + 7 + 2;
      assert.equal(data.inputTokens[entry], 40 + extra + (prompts.prefixes?.tokens ?? 0));
      const reply = { role: "assistant", content: "a a a" };
      const whole = tokenizer.count(template.render([...first, reply, ...messagesOf(entry + 1)]));
      const sum = (data.inputTokens[entry] as number) + 3 + (data.replyOverheadTokens ?? NaN) +
        (data.inputTokens[entry + 1] as number);
      assert.equal(whole, sum, "what is told of turns adds up to the whole");
    }
  }
});

Deno.test("conversations of a file are counted with the template", async () => {
  const tokenizer = fileTokenizer(FILES);
  const chatTemplate = new ChatTemplate(FILES);
  const turn = (text: string, place: number) => ({
    request: {
      kind: "content" as const,
      content: { texts: [text], images: [], outputTokens: undefined, extra: {} },
      inputTokens: 99,
    },
    delayMs: 0,
    timestampMs: undefined,
    followsHistory: place > 0,
  });
  const { data } = await conversationTable(
    [{ id: undefined, turns: ["a b", "a b a"].map(turn) }],
    { models: ["m"], body: BODY },
    chat,
    tokenizer,
    { path: "x", chatTemplate: { template: chatTemplate, isForAll: true } },
  );
  assert.deepEqual([...data.inputTokens], [2 + 4, 3 + 2]);
  assert.equal(data.replyOverheadTokens, 2);
});
