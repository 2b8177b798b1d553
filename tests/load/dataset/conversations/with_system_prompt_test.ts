import assert from "node:assert/strict";
import type { ConversationTurn } from "../../../../src/load/dataset/conversations/conversation.ts";
import { conversationTable } from "../../../../src/load/dataset/conversations/conversation_table.ts";
import { markedBody } from "../../../../src/load/dataset/payloads/session_marker.ts";
import { withSystemPrompt } from "../../../../src/load/dataset/conversations/with_system_prompt.ts";
import { chat } from "../../../../src/client/endpoint/openai/chat.ts";
import { joinBytes } from "../../../../src/client/http/join_bytes.ts";

const BODY = { streaming: false, legacyMaxTokens: false, extraInputs: {}, perChunkUsage: false };
const counter = { name: "words", count: (text: string) => text.split(/\s+/).length };

function turnOf(request: ConversationTurn["request"], place = 0): ConversationTurn {
  return { request, delayMs: 0, timestampMs: undefined, followsHistory: place > 0 };
}

function content(text: string, system?: string): ConversationTurn["request"] {
  return {
    kind: "content",
    content: { texts: [text], images: [], outputTokens: undefined, extra: {} },
    ...(system === undefined ? {} : { system }),
    inputTokens: 1,
  };
}

function ready(messages: Record<string, unknown>[]): ConversationTurn["request"] {
  return { kind: "messages", messages, outputTokens: undefined, extra: {} };
}

async function* streamOf(...turns: ConversationTurn[][]) {
  for (const [number, those] of turns.entries()) yield { id: `c${number}`, turns: those };
}

Deno.test("withSystemPrompt begins every conversation with it, once, and it is counted", async () => {
  const conversations = streamOf(
    [turnOf(content("one")), turnOf(content("two"), 1)],
    [turnOf(ready([{ role: "user", content: "three" }]))],
  );
  const table = await conversationTable(
    withSystemPrompt(conversations, "be good", "file"),
    { models: ["m"], body: BODY, cacheBust: "system-suffix", seed: 4 },
    chat,
    counter,
    { path: "file" },
  );
  const { markers, inputTokens } = table.data;
  assert.ok(markers);
  const sent = [0, 1, 2].map((entry) => {
    const body = table.bodyOf(entry);
    const marked = entry === 1
      ? body
      : markedBody(body, markers, entry, { phase: "profiling", session: entry });
    return JSON.parse(new TextDecoder().decode(joinBytes(marked))).messages;
  });
  const [first, , third] = sent;
  assert.match(first[0].content, /^be good\n\n\[rid:\d{12}\]$/);
  assert.equal(first[1].content, "one");
  assert.deepEqual(sent[1], [{ role: "user", content: "two" }]);
  assert.match(third[0].content, /^be good\n\n\[rid:\d{12}\]$/);
  assert.notEqual(first[0].content, third[0].content);
  assert.equal(markers.at[1], markers.at[0]);
  // Two words, one of the prompt, and the marker, which this counter takes for two.
  assert.deepEqual([...inputTokens], [5, 1, 5]);
});

Deno.test("withSystemPrompt and markers refuse what they cannot change", async () => {
  const plan = { models: ["m"], body: BODY };
  for (
    const [request, message] of [
      [content("x", "own"), /file: Conversation c0, turn 0: --system-prompt: .*of its own/],
      [ready([{ role: "system", content: "own" }]), /of its own/],
      [{ kind: "body", body: { messages: [] } }, /sent unchanged/],
      [{ kind: "bytes", bytes: new Uint8Array() }, /sent unchanged/],
    ] as const
  ) {
    const conversations = withSystemPrompt(streamOf([turnOf(request)]), "s", "file");
    const table = () => conversationTable(conversations, plan, chat, counter, { path: "file" });
    await assert.rejects(table, message);
  }
  for (
    const [request, message] of [
      [{ kind: "body", body: { messages: [] } }, /c0, turn 0: --cache-bust cannot mark a body/],
      [ready([{ role: "user", content: [] }]), /--cache-bust finds no text/],
    ] as const
  ) {
    const table = () =>
      conversationTable(
        streamOf([turnOf(request)]),
        { ...plan, cacheBust: "first-turn-prefix", seed: 1 },
        chat,
        counter,
        { path: "file" },
      );
    await assert.rejects(table, message);
  }
});

Deno.test("withSystemPrompt counts it among the messages that a request shares", async () => {
  const first = { role: "user", content: "one" };
  const second = { role: "user", content: "two" };
  const shared = { turn: 0, kept: 1, whole: () => ready([first, second]) };
  const turns = [turnOf(ready([first])), { ...turnOf(ready([second])), shared }];
  const [made] = await Array.fromAsync(withSystemPrompt(streamOf(turns), "be good", "file"));
  const turn = made?.turns[1];
  assert.deepEqual(turn?.request, ready([second]));
  assert.equal(turn?.shared?.kept, 2);
  const system = { role: "system", content: "be good" };
  assert.deepEqual(turn?.shared?.whole(), ready([system, first, second]));
});
