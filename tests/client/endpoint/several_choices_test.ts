/** Replies of requests with `n` above 1, and of several prompts: each choice is read by itself. */

import assert from "node:assert/strict";
import fc from "fast-check";
import { readReply, type ReplyVerdict } from "../../../src/client/endpoint/read_reply.ts";
import { ENDPOINT_TYPES } from "../../../src/client/endpoint/endpoint_types.ts";
import { ReplyReader } from "../../../src/client/endpoint/protocol/reply_reader.ts";
import { cutAt, everyCut } from "../../support/fixtures.ts";

const encoder = new TextEncoder();

type Choice = Readonly<Record<string, unknown>>;

const said = (index: number, content: string | null, finish: string | null = null): Choice => ({
  "index": index,
  "delta": content === null ? {} : { "content": content },
  "finish_reason": finish,
});
const event = (...choices: readonly Choice[]) =>
  `data: ${JSON.stringify({ "object": "chat.completion.chunk", "choices": choices })}\n\n`;
const USAGE = `data: ${
  JSON.stringify({ "choices": [], "usage": { "prompt_tokens": 5, "completion_tokens": 7 } })
}\n\n`;
const DONE = "data: [DONE]\n\n";

function read(
  type: string,
  body: string,
  choices: number,
  cuts: readonly number[] = [],
  contentType = "text/event-stream",
): ReplyVerdict {
  return readReply(type, {
    status: 200,
    headers: [["content-type", contentType]],
    body: cutAt(encoder.encode(body), cuts),
    complete: true,
    choices,
  });
}

const kindOf = (body: string, choices: number) => read("chat", body, choices).error?.kind;

Deno.test("readReply keeps the texts of interleaved choices apart, however the stream is cut", () => {
  const body = event(said(0, ""), said(1, "")) + event(said(1, "un")) + event(said(0, "one")) +
    event(said(1, " deux")) + event(said(0, " two")) + event(said(0, " three")) +
    event(said(0, null, "stop")) + event(said(1, " trois", "length")) + USAGE + DONE;
  for (const cuts of everyCut(encoder.encode(body))) {
    const verdict = read("chat", body, 2, cuts);
    assert.equal(verdict.error, undefined);
    assert.equal(verdict.text, "one two three");
    assert.equal(verdict.finishReason, "stop");
    assert.deepEqual(verdict.otherChoices, [
      { index: 1, text: "un deux trois", reasoning: "", toolText: "", finishReason: "length" },
    ]);
    assert.equal(verdict.contentChunks, 6);
    assert.deepEqual(verdict.usage, { "prompt_tokens": 5, "completion_tokens": 7 });
  }
});

Deno.test("readReply keeps apart any order of any choices", () => {
  fc.assert(fc.property(
    fc.array(fc.tuple(fc.nat(3), fc.string({ minLength: 1 })), { minLength: 1, maxLength: 60 }),
    (pieces) => {
      const choices = [...new Set(pieces.map(([index]) => index))];
      const body = pieces.map(([index, text]) => event(said(index, text))).join("") +
        choices.map((index) => event(said(index, null, "stop"))).join("") + DONE;
      const verdict = read("chat", body, choices.length);
      const wanted = (choice: number) =>
        pieces.filter(([index]) => index === choice).map(([, text]) => text).join("");
      assert.equal(verdict.error, undefined);
      assert.equal(verdict.text, wanted(0));
      for (const { index, text } of verdict.otherChoices ?? []) assert.equal(text, wanted(index));
      assert.equal(verdict.contentChunks, pieces.length);
    },
  ));
});

Deno.test("readReply fails a reply of which a choice is missing, unfinished, empty or failed", () => {
  const both = event(said(0, "a")) + event(said(1, "b")) + event(said(0, null, "stop"));
  const missing = event(said(0, "a")) + event(said(0, null, "stop")) + DONE;
  assert.equal(kindOf(missing, 2), "truncated");
  assert.equal(
    read("chat", missing, 2).error?.message,
    "Reply has 1 of the 2 choices asked for",
  );
  assert.equal(kindOf(both + DONE, 2), "truncated");
  assert.equal(kindOf(both, 2), "truncated");
  assert.equal(kindOf(both + event(said(1, null, "stop")), 2), undefined);
  assert.equal(kindOf(event(said(0, "a", "stop")) + event(said(1, null, "stop")), 2), "no_content");
  assert.equal(kindOf(both + event(said(1, null, "abort")) + DONE, 2), "stream_error");
  // A server that gives no finish reasons at all is held to [DONE], as with one choice.
  assert.equal(kindOf(event(said(0, "a")) + event(said(1, "b")) + DONE, 2), undefined);
  // More choices than were asked for count as well.
  assert.equal(kindOf(both + DONE, 1), "truncated");
});

Deno.test("readReply reads all choices of a whole reply", () => {
  const whole = (...choices: readonly Choice[]) =>
    read("completions", JSON.stringify({ "choices": choices }), 2, [], "application/json");
  const verdict = whole(
    { "index": 1, "text": "b", "finish_reason": "length" },
    { "index": 0, "text": "a", "finish_reason": "stop" },
  );
  assert.equal(verdict.error, undefined);
  assert.equal(verdict.text, "a");
  assert.equal(verdict.otherChoices?.[0]?.text, "b");
  assert.equal(whole({ "index": 0, "text": "a" }).error?.kind, "truncated");
});

Deno.test("readReply reads the samples of SGLang, each of which repeats its own text", () => {
  const part = (index: number, text: string, tokens: number, finish: unknown = null) => ({
    "text": text,
    "index": index,
    "meta_info": { "prompt_tokens": 3, "completion_tokens": tokens, "finish_reason": finish },
  });
  const stop = { "type": "stop" };
  const events = [
    part(0, "a", 1),
    part(1, "x", 1),
    part(1, "xy", 2),
    part(0, "ab", 2),
    part(1, "xyz", 3, stop),
    part(0, "ab", 2, stop),
  ];
  const body = events.map((fields) => `data: ${JSON.stringify(fields)}\n\n`).join("") + DONE;
  const list = JSON.stringify([part(0, "ab", 2, stop), part(1, "xyz", 3, stop)]);
  for (
    const verdict of [
      read("generate", body, 2),
      read("generate", list, 2, [], "application/json"),
    ]
  ) {
    assert.equal(verdict.error, undefined);
    assert.equal(verdict.text, "ab");
    assert.equal(verdict.otherChoices?.[0]?.text, "xyz");
    assert.deepEqual(verdict.usage, { "prompt_tokens": 3, "completion_tokens": 5 });
  }
  assert.equal(read("generate", list, 3, [], "application/json").error?.kind, "truncated");
});

Deno.test("EndpointType.askedChoices says how many answers a body asks for", () => {
  const asked = (type: string, fields: Record<string, unknown>) =>
    ENDPOINT_TYPES.get(type)?.askedChoices?.(fields) ?? 1;
  assert.equal(asked("chat", { "messages": [], "n": 3 }), 3);
  for (const n of [undefined, null, 0, -1, 1.5, "2"]) assert.equal(asked("chat", { "n": n }), 1);
  assert.equal(asked("completions", { "prompt": "a", "n": 2 }), 2);
  assert.equal(asked("completions", { "prompt": ["a", "b", "c"], "n": 2 }), 6);
  assert.equal(asked("completions", { "prompt": [1, 2, 3] }), 1);
  assert.equal(asked("completions", { "prompt": [[1], [2]] }), 2);
  assert.equal(asked("generate", { "text": "a", "sampling_params": { "n": 2 } }), 2);
  assert.equal(asked("raw", { "messages": [], "n": 2 }), 2);
  assert.equal(asked("raw", { "n": 2 }), 1);
  assert.equal(asked("embeddings", { "input": ["a", "b"] }), 1);
});

Deno.test("ReplyContent measures the time of each choice by itself", () => {
  const type = ENDPOINT_TYPES.get("chat");
  assert.ok(type !== undefined);
  const reader = new ReplyReader(type);
  const readAt = (parts: readonly (readonly [stampNs: number, text: string])[]) => {
    reader.begin(200, "", [["content-type", "text/event-stream"]]);
    for (const [stampNs, text] of parts) {
      const bytes = encoder.encode(text);
      reader.push(bytes, 0, bytes.length, stampNs);
    }
    return reader.content.choiceSpansNs;
  };
  const spans = readAt([
    [10, event(said(0, "a"))],
    [11, event(said(0, "b"))],
    [12, event(said(1, "x"))],
    [15, event(said(0, "c"))],
    [18, event(said(0, "d"), said(1, "y"))],
    [30, event(said(1, "z"))],
  ]);
  assert.equal(spans, (18 - 10) + (30 - 12));
  assert.deepEqual([...reader.content.chunkNs.subarray(0, 6)], [10, 11, 12, 15, 18, 30]);
  assert.equal(readAt([[1, event(said(0, "a"))], [9, event(said(0, "b"))]]), 0);
});
