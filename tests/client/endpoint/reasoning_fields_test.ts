import assert from "node:assert/strict";
import { readReply, type ReplyVerdict } from "../../../src/client/endpoint/read_reply.ts";
import { cutAt, everyCut } from "../../support/fixtures.ts";

const encoder = new TextEncoder();

function event(delta: unknown, finish: string | null = null): string {
  const choices = [{ "index": 0, "delta": delta, "finish_reason": finish }];
  return `data: ${JSON.stringify({ "id": "x", "choices": choices })}\n\n`;
}

const ROLE = event({ "role": "assistant", "content": "" });
const ANSWER = ["w0", "w1", "w2"].map((text) => event({ "content": ` ${text}` })).join("");
const END = event({}, "stop") + "data: [DONE]\n\n";

/** The verdict on a stream, which must not depend on how it is cut. */
function read(body: string): ReplyVerdict {
  const bytes = encoder.encode(body);
  const headers: [string, string][] = [["Content-Type", "text/event-stream"]];
  const verdicts = [...everyCut(bytes)].map((places) =>
    readReply("chat", { status: 200, headers, body: cutAt(bytes, places), complete: true })
  );
  const [first] = verdicts as [ReplyVerdict];
  for (const verdict of verdicts) assert.deepEqual(verdict, first);
  return first;
}

const PIECES = [" r0", " r1", " r2", " r3"];

/** How a server writes the n-th piece of its reasoning. */
const FORMS: Readonly<Record<string, (piece: string, index: number) => unknown>> = {
  "an empty reasoning_content and reasoning": (piece) => ({
    "reasoning_content": "",
    "reasoning": piece,
    "content": "",
  }),
  "reasoning_content null and reasoning": (piece) => ({
    "reasoning_content": null,
    "reasoning": piece,
  }),
  "reasoning and reasoning_content with one text": (piece) => ({
    "reasoning": piece,
    "reasoning_content": piece,
    "content": null,
  }),
  "pieces in reasoning_details": (piece) => ({
    "content": "",
    "reasoning_details": [{ "type": "reasoning.text", "text": piece, "index": 0 }],
  }),
  "summaries in reasoning_details": (piece) => ({
    "reasoning_details": [{ "type": "reasoning.summary", "summary": piece }],
  }),
  "reasoning and reasoning_details": (piece) => ({
    "reasoning": piece,
    "reasoning_details": [{ "type": "reasoning.text", "text": piece }],
  }),
  "all of the reasoning so far in reasoning_details": (_, index) => ({
    "content": "",
    "reasoning_details": [{
      "type": "reasoning.text",
      "id": "reasoning-text-1",
      "index": 0,
      "text": PIECES.slice(0, index + 1).join(""),
    }],
  }),
  "thinking": (piece) => ({ "thinking": piece }),
  "an object of thinking": (piece) => ({ "thinking": { "content": piece } }),
  "thinking_blocks": (piece) => ({
    "thinking_blocks": [{ "type": "thinking", "thinking": piece, "signature": "c2ln" }],
  }),
  "parts of the content with thinking": (piece) => ({
    "content": [{ "type": "thinking", "thinking": [{ "type": "text", "text": piece }] }],
  }),
  "parts of the content with summaries": (piece) => ({
    "content": [{ "type": "reasoning", "summary": [{ "type": "summary_text", "text": piece }] }],
  }),
  "parts of the content with a text of reasoning": (piece) => ({
    "content": [{ "type": "reasoning_text", "text": piece }],
  }),
  "reasoning_text": (piece) => ({ "reasoning_text": piece }),
  "an unknown field of reasoning": (piece) => ({ "model_thoughts": piece, "content": null }),
  "an unknown field": (piece) => ({ "scratchpad": piece, "content": "" }),
};

for (const [name, write] of Object.entries(FORMS)) {
  Deno.test(`readReply reads reasoning: ${name}`, () => {
    const verdict = read(ROLE + PIECES.map((p, i) => event(write(p, i))).join("") + ANSWER + END);
    assert.equal(verdict.error, undefined);
    assert.equal(verdict.reasoning, PIECES.join(""));
    assert.equal(verdict.text, " w0 w1 w2");
    assert.equal(verdict.contentChunks, PIECES.length + 3);
  });
}

Deno.test("readReply takes an unknown text behind the first content for no reasoning", () => {
  const { reasoning, contentChunks } = read(
    ROLE + ANSWER + event({ "content": "", "footnote": "by the gateway" }) + END,
  );
  assert.equal(reasoning, "");
  assert.equal(contentChunks, 3);
});

Deno.test("readReply takes metadata of a delta for no reasoning", () => {
  const about = { "role": "assistant", "content": "", "name": "bot", "id": "1", "provider": "P" };
  const signed = event({
    "reasoning_signature": "c2ln",
    "reasoning_details": [{ "type": "reasoning.encrypted", "data": "abc" }],
  });
  const { reasoning, contentChunks } = read(event(about) + signed + ANSWER + END);
  assert.equal(reasoning, "");
  assert.equal(contentChunks, 3);
});

Deno.test("readReply reads cumulative reasoning of each choice by itself", () => {
  const chunk = (index: number, text: string) =>
    `data: ${
      JSON.stringify({
        "choices": [{ index, "delta": { "reasoning_details": [{ "index": 0, text }] } }],
      })
    }\n\n`;
  const closing = (index: number) =>
    `data: ${
      JSON.stringify({
        "choices": [{ index, "delta": { "content": "z" }, "finish_reason": "stop" }],
      })
    }\n\n`;
  const verdict = read(
    [chunk(0, "a"), chunk(1, "x"), chunk(0, "a b"), chunk(1, "x y"), chunk(0, "a b c")].join("") +
      chunk(1, "x y v") + closing(0) + closing(1) + "data: [DONE]\n\n",
  );
  assert.equal(verdict.reasoning, "a b c");
  assert.equal(verdict.otherChoices?.[0]?.reasoning, "x y v");
});

Deno.test("readReply reads reasoning_details of a reply that is not streamed", () => {
  const message = {
    "role": "assistant",
    "content": "yes",
    "reasoning_details": [{ "type": "reasoning.text", "text": "hm" }],
  };
  const body = JSON.stringify({ "choices": [{ "index": 0, message, "finish_reason": "stop" }] });
  const { text, reasoning } = readReply("chat", {
    status: 200,
    headers: [["Content-Type", "application/json"]],
    body: [encoder.encode(body)],
    complete: true,
  });
  assert.deepEqual([text, reasoning], ["yes", "hm"]);
});
