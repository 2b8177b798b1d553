import assert from "node:assert/strict";
import type {
  Conversation,
  ConversationTurn,
} from "../../../../src/load/dataset/conversations/conversation.ts";
import { conversationOf } from "../../../../src/load/dataset/payloads/conversation_columns.ts";
import { conversationTable } from "../../../../src/load/dataset/conversations/conversation_table.ts";
import { ConversationTableMaker } from "../../../../src/load/dataset/conversations/conversation_table_maker.ts";
import type { PayloadTable } from "../../../../src/load/dataset/payloads/payload_table.ts";
import { chat } from "../../../../src/client/endpoint/openai/chat.ts";
import { completions } from "../../../../src/client/endpoint/openai/completions.ts";

const BODY = { streaming: false, legacyMaxTokens: false, extraInputs: {}, perChunkUsage: false };
const PLAN = { models: ["m", "n"], body: BODY };
const WORDS = { name: "words", count: (text: string) => text.split(" ").length };

function content(text: string, fields: Partial<ConversationTurn> = {}): ConversationTurn {
  return {
    request: {
      kind: "content",
      content: { texts: [text], images: [], outputTokens: 7, extra: {} },
    },
    delayMs: 0,
    timestampMs: undefined,
    followsHistory: true,
    ...fields,
  };
}

async function tableOf(
  conversations: readonly Conversation[],
  plan: Parameters<typeof conversationTable>[1] = PLAN,
  type = chat,
): Promise<PayloadTable> {
  return await conversationTable(conversations, plan, type, WORDS, { path: "file" });
}

function bodyText(table: PayloadTable, entry: number, model = 0): string {
  return new TextDecoder().decode(table.wholeBodyOf(entry, model));
}

/** What goes into the history of an entry. */
function messagesText(table: PayloadTable, entry: number): string {
  const { messagesStart, messagesEnd } = table.data.conversations as NonNullable<
    PayloadTable["data"]["conversations"]
  >;
  const pieces = table.pieceOf(
    entry,
    1,
    messagesStart[entry] as number,
    messagesEnd[entry] as number,
  );
  return pieces.map((piece) => new TextDecoder().decode(piece)).join("");
}

Deno.test("conversationTable lays out turns of content and of messages, with what they are apart", async () => {
  const table = await tableOf([
    { id: undefined, turns: [content("one é two")] },
    {
      id: "talk",
      turns: [
        {
          ...content(""),
          request: {
            kind: "content",
            system: "Be brief.",
            content: { texts: ["first"], images: [], outputTokens: undefined, extra: {} },
          },
        },
        content("second", { delayMs: 1500, timestampMs: 12 }),
        {
          ...content("", { delayMs: -3 }),
          request: {
            kind: "messages",
            messages: [{ "role": "tool", "tool_call_id": "t", "content": "4" }],
            outputTokens: 9,
            extra: { "seed": 1 },
          },
        },
      ],
    },
  ]);
  const { conversations, inputTokens, outputTokens } = table.data;
  assert.ok(conversations);
  assert.deepEqual([...conversations.conversationStart], [0, 1, 4]);
  assert.deepEqual([...conversations.turnDelayNs], [0, 0, 1.5e9, 0]);
  assert.deepEqual([...conversations.timestampNs], [NaN, NaN, 12e6, NaN]);
  assert.deepEqual([...conversations.followsHistory], [0, 0, 1, 1]);
  assert.deepEqual([0, 1, 2, 3].map((entry) => conversationOf(conversations, entry)), [0, 1, 1, 1]);
  assert.deepEqual([0, 1, 2, 3].map((entry) => table.sessionIdOf(entry)), [
    ...["session_000000", "talk", "talk", "talk"],
  ]);
  assert.deepEqual([...inputTokens], [3, 3, 1, 1]);
  assert.deepEqual([...outputTokens], [7, -1, 7, 9]);
  assert.equal(
    bodyText(table, 3, 1),
    '{"messages":[{"role":"tool","tool_call_id":"t","content":"4"}],"model":"n","stream":false,' +
      '"max_completion_tokens":9,"seed":1}',
  );
  assert.deepEqual([0, 1, 2, 3].map((entry) => messagesText(table, entry)), [
    '{"role":"user","content":"one é two"}',
    '{"role":"system","content":"Be brief."},{"role":"user","content":"first"}',
    '{"role":"user","content":"second"}',
    '{"role":"tool","tool_call_id":"t","content":"4"}',
  ]);
});

Deno.test("conversationTable sends bodies and bytes as they are", async () => {
  const bytes = new TextEncoder().encode('{ "messages": [ {"content":"a b"} ] }');
  const body = { "prompt": "x", "messages": [{ "role": "user", "content": "p q r" }] };
  const turns = [{ kind: "body" as const, body }, { kind: "bytes" as const, bytes }, {
    kind: "bytes" as const,
    bytes: new Uint8Array([255]),
  }].map((request) => ({ ...content(""), request, followsHistory: false }));
  const table = await tableOf([{ id: "c", turns }]);
  assert.equal(bodyText(table, 0), JSON.stringify(body));
  assert.deepEqual([1, 2].map((entry) => [...table.wholeBodyOf(entry)]), [[...bytes], [255]]);
  assert.deepEqual([...table.data.inputTokens], [3, 2, -1]);
  assert.deepEqual([...table.data.conversations?.messagesStart ?? []], [-1, -1, -1]);
});

Deno.test("conversationTable has warm-up take the last conversations, and mark what it sends", async () => {
  const body = content("", {
    request: { kind: "body", body: { "messages": [{ "role": "user", "content": "c" }] } },
    followsHistory: false,
  });
  const conversations = [
    { id: "a", turns: [content("a0"), content("a1")] },
    { id: "b", turns: [body] },
    { id: "c", turns: [content("c0"), content("c1")] },
  ];
  const made = (measured: number) =>
    conversationTable(conversations, PLAN, chat, WORDS, {
      path: "file",
      measured,
      marksWarmup: true,
    });
  const { data } = await made(2);
  assert.deepEqual([data.profilingEntries, data.warmupEntries], [3, 2]);
  assert.equal(data.conversations?.profilingConversations, 2);
  assert.equal((await made(3)).data.warmupEntries, 0);
  const { markers } = data;
  assert.equal(markers?.target, "warmup-isolation-first-turn");
  const start = '{"messages":[{"role":"user","content":"'.length;
  // A later turn carries the first one at the same place; what is sent as it is has no marker.
  assert.deepEqual([...markers?.at ?? []], [start, start, -1, start, start]);
});

Deno.test("conversationTable makes a plain table of single turns without times", async () => {
  const table = await tableOf([{ id: undefined, turns: [content("a")] }, {
    id: undefined,
    turns: [content("b")],
  }]);
  assert.equal(table.data.conversations, undefined);
  assert.deepEqual([0, 1].map((entry) => table.sessionIdOf(entry)), [
    ...["session_000000", "session_000001"],
  ]);
});

Deno.test("conversationTable shortens and drops times as the plan says", async () => {
  const turns = [content("a", { timestampMs: 5 }), content("b", { delayMs: 9000 })];
  const columns = async (turnDelays: { ignored: boolean; maxMs: number }) => {
    const { conversations } = (await tableOf([{ id: "c", turns }], { ...PLAN, turnDelays })).data;
    return [[...conversations?.turnDelayNs ?? []], [...conversations?.timestampNs ?? []]];
  };
  assert.deepEqual(await columns({ ignored: false, maxMs: 2000 }), [[0, 2e9], [5e6, NaN]]);
  assert.deepEqual(await columns({ ignored: true, maxMs: 2000 }), [[0, 0], [NaN, NaN]]);
});

Deno.test("conversationTable says which turn cannot be sent", async () => {
  const two = [content("a"), content("b")];
  await assert.rejects(tableOf([{ id: "talk", turns: two }], PLAN, completions), {
    name: "DatasetError",
    message:
      "file: Conversation talk, turn 1: Endpoint type completions takes one prompt at a time",
  });
  const extraInputs = { "messages": [] };
  await assert.rejects(
    tableOf([{ id: undefined, turns: two }], { ...PLAN, body: { ...BODY, extraInputs } }),
    /Conversation session_000000, turn 1: Its body has no messages to add to/,
  );
  await assert.rejects(tableOf([]), /file: There is no conversation in it/);
});

Deno.test("conversationTable has ready bodies once, whatever the models, and mixes none in", async () => {
  const ready = content("", {
    request: { kind: "body", body: { "model": "own" } },
    followsHistory: false,
  });
  const one: Conversation = { id: "a", turns: [ready] };
  assert.equal((await tableOf([one])).data.modelCount, 1);
  await assert.rejects(() => tableOf([one, { id: "b", turns: [content("x")] }]), {
    message: /Conversation b, turn 0: Where several models take turns, it must be a whole body/,
  });
});

Deno.test("conversationTable does not count again what the maker of a turn knows", async () => {
  const turn = content("three words here");
  assert.ok(turn.request.kind === "content");
  const known = { ...turn, request: { ...turn.request, inputTokens: 9 } };
  const table = await tableOf([{ id: "a", turns: [known] }, { id: "b", turns: [turn] }]);
  assert.deepEqual([...table.data.inputTokens], [9, 3]);
});

Deno.test("ConversationTableMaker gives pages the bytes of their bodies, and the next one the same room", () => {
  const maker = new ConversationTableMaker(PLAN, chat, WORDS, "file");
  const pageOf = (characters: number) => {
    for (const text of ["x".repeat(characters), "y"]) {
      maker.add({ id: undefined, turns: [content(text)] });
    }
    return maker.take(true);
  };
  const first = pageOf(300_000);
  const second = pageOf(200_000);
  for (const table of [first, second]) {
    const { arena } = table.data;
    assert.equal(arena.length, Math.max(...[0, 1].map((model) => endOf(table, model))));
  }
  assert.equal(second.data.arena.buffer.byteLength, first.data.arena.buffer.byteLength);
  assert.equal(bodyText(second, 0, 1).length - bodyText(first, 0, 1).length, -100_000);
  pageOf(1);
  const afterSmall = pageOf(1);
  const small = first.data.arena.buffer.byteLength / 4;
  assert.ok(afterSmall.data.arena.buffer.byteLength < small);
  maker.add({ id: undefined, turns: [content("x".repeat(300_000))] });
  maker.take(false);
  assert.ok(pageOf(1).data.arena.buffer.byteLength < small, "nothing follows a whole table");
});

/** Where the last byte of a table's second entry ends in its arena. */
function endOf(table: PayloadTable, model: number): number {
  return Math.max(...table.bodyOf(1, model).map((piece) => piece.byteOffset + piece.length));
}
