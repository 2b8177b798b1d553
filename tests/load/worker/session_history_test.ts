import assert from "node:assert/strict";
import type { ConversationFormat } from "../../../src/client/endpoint/protocol/conversation_format.ts";
import { ReplyContent } from "../../../src/client/endpoint/protocol/reply_content.ts";
import type { PayloadSource } from "../../../src/load/dataset/payloads/payload_table.ts";
import { SessionHistory } from "../../../src/load/worker/session_history.ts";

const encoder = new TextEncoder();
const BEFORE = '{"messages":[';
const USER = { "role": "user", "content": "question" };

function textOf(messages: readonly object[]): string {
  return messages.map((message) => JSON.stringify(message)).join(",");
}

function calling(...ids: readonly string[]): object {
  return {
    "role": "assistant",
    "tool_calls": ids.map((id) => ({ "id": id, "type": "function", "function": { "name": "f" } })),
  };
}

function result(id: string): object {
  return { "role": "tool", "tool_call_id": id, "content": "found" };
}

/** The messages of each body, and whether it diverged, of turns that get some replies. */
function played(
  turns: readonly (readonly object[])[],
  replies: readonly object[],
): [messages: unknown, hasDiverged: boolean][] {
  const bodies = turns.map((messages) => encoder.encode(`${BEFORE}${textOf(messages)}]}`));
  const table = {
    data: {
      conversations: {
        messagesStart: bodies.map(() => BEFORE.length),
        messagesEnd: bodies.map(({ length }) => length - 2),
        followsHistory: bodies.map((_, entry) => entry === 0 ? 0 : 1),
      },
    },
    bodyOf: (entry: number) => [bodies[entry]],
    pieceOf: (entry: number, _model: number, start: number, end: number) => [
      bodies[entry]?.subarray(start, Math.min(end, bodies[entry]?.length ?? 0)),
    ],
  };
  const payloads = { locate: (entry: number) => ({ table, entry }) } as unknown as PayloadSource;
  let turn = 0;
  const format = {
    replyMessage: () => encoder.encode(JSON.stringify(replies[turn])),
  } as unknown as ConversationFormat;
  const history = new SessionHistory(payloads, format);
  return turns.map((_, entry) => {
    turn = entry;
    const body = history.bodyOf(entry, 0).map((piece) => new TextDecoder().decode(piece)).join("");
    const hasDiverged = history.hasDiverged();
    history.add(entry, 0, new ReplyContent());
    return [JSON.parse(body).messages, hasDiverged];
  });
}

Deno.test("SessionHistory gives results of tools the IDs of the live calls, in later turns too", () => {
  const answer = { "role": "assistant", "content": "answer" };
  const bodies = played(
    [[USER], [result("r1"), result("r2")], [USER], [result("r3"), USER]],
    [calling("a", "b"), answer, calling("c"), answer],
  );
  const second = [USER, calling("a", "b"), result("a"), result("b")];
  const third = [...second, answer, USER];
  assert.deepEqual(bodies, [
    [[USER], false],
    [second, false],
    [third, false],
    [[...third, calling("c"), result("c"), USER], false],
  ]);
});

Deno.test("SessionHistory keeps the IDs of results that the live reply has no calls for", () => {
  const bodies = played([[USER], [result("r1"), result("r2")]], [calling("a"), USER]);
  assert.deepEqual(bodies, [
    [[USER], false],
    [[USER, calling("a"), result("r1"), result("r2")], true],
  ]);
});
