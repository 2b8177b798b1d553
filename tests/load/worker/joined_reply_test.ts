import assert from "node:assert/strict";
import { joinedReply } from "../../../src/load/worker/joined_reply.ts";

const encoder = new TextEncoder();
const NO_IDS = new Map<string, string>();

function bytesOf(...messages: readonly object[]): Uint8Array {
  return encoder.encode(messages.map((message) => JSON.stringify(message)).join(","));
}

function messagesIn(pieces: readonly Uint8Array[]): unknown[] {
  const text = pieces.map((piece) => new TextDecoder().decode(piece)).join("");
  return JSON.parse(`[${text}]`);
}

function calling(...ids: readonly string[]): object {
  return {
    "role": "assistant",
    "content": null,
    "tool_calls": ids.map((id) => ({ "id": id, "type": "function", "function": { "name": "f" } })),
  };
}

function result(id: string): object {
  return { "role": "tool", "tool_call_id": id, "content": `of "${id}" é` };
}

Deno.test("joinedReply gives results the IDs of the live calls, in their order", () => {
  const user = { "role": "user", "content": "next" };
  const own = bytesOf(result("r1"), result("r2"), user);
  // Bytes of a table may end within a character.
  const parts = [own.subarray(0, 70), own.subarray(70)];
  const joined = joinedReply(
    bytesOf(calling("a", "b")),
    bytesOf(calling("r1", "r2")),
    parts,
    NO_IDS,
  );
  assert.equal(joined.hasDiverged, false);
  assert.deepEqual(messagesIn([joined.reply as Uint8Array]), [calling("a", "b")]);
  assert.deepEqual(messagesIn(joined.own), [
    { ...result("r1"), "tool_call_id": "a" },
    { ...result("r2"), "tool_call_id": "b" },
    user,
  ]);
  // A later turn may answer an earlier call.
  const later = joinedReply(
    bytesOf({ "role": "assistant" }),
    undefined,
    [bytesOf(result("r2"))],
    joined.ids,
  );
  assert.deepEqual(messagesIn(later.own), [{ ...result("r2"), "tool_call_id": "b" }]);
});

Deno.test("joinedReply keeps the recorded reply if fewer calls came than have results, or calls came where none was recorded", () => {
  const own = [bytesOf(result("r1"), result("r2"))];
  const recorded = bytesOf(calling("r1", "r2"));
  const few = joinedReply(bytesOf(calling("a")), recorded, own, NO_IDS);
  assert.deepEqual([few.hasDiverged, few.reply, few.own], [true, recorded, own]);
  const words = bytesOf({ "role": "assistant", "content": "done" });
  const none = joinedReply(
    bytesOf({ "role": "assistant", "content": "no" }),
    recorded,
    own,
    NO_IDS,
  );
  assert.deepEqual([none.hasDiverged, none.reply], [true, recorded]);
  const asked = [bytesOf({ "role": "user", "content": "thanks" })];
  const surplus = joinedReply(bytesOf(calling("a")), words, asked, NO_IDS);
  assert.deepEqual([surplus.hasDiverged, surplus.reply, surplus.own], [true, words, asked]);
});

Deno.test("joinedReply reads results of the Responses and Messages APIs", () => {
  const call = { "type": "function_call", "call_id": "a", "name": "f", "arguments": "{}" };
  const output = { "type": "function_call_output", "call_id": "r1", "output": "1" };
  const responses = joinedReply(bytesOf(call), undefined, [bytesOf(output)], NO_IDS);
  assert.deepEqual(messagesIn(responses.own), [{ ...output, "call_id": "a" }]);
  const use = { "role": "assistant", "content": [{ "type": "tool_use", "id": "a", "input": {} }] };
  const block = { "type": "tool_result", "tool_use_id": "r1", "content": "1" };
  const messages = joinedReply(
    bytesOf(use),
    undefined,
    [bytesOf({ "role": "user", "content": [block] })],
    NO_IDS,
  );
  assert.deepEqual(messagesIn(messages.own), [
    { "role": "user", "content": [{ ...block, "tool_use_id": "a" }] },
  ]);
});

Deno.test("joinedReply uses the recorded reply where there is no live one", () => {
  const recorded = bytesOf({ "role": "assistant", "content": "from the file" });
  const own = [bytesOf({ "role": "user", "content": "go on" })];
  const joined = joinedReply(undefined, recorded, own, NO_IDS);
  assert.deepEqual([joined.reply, joined.own, joined.hasDiverged], [recorded, own, false]);
});
