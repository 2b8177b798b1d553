import fc from "fast-check";
import assert from "node:assert/strict";
import { readReply, type ReplyVerdict } from "../../../src/client/endpoint/read_reply.ts";
import { cutAt, everyCut, readFixture } from "../../support/fixtures.ts";
import type { ServerTranscript } from "../../support/transcripts.ts";

const { servers } = readFixture<{ servers: readonly ServerTranscript[] }>("sse/cases.json");
const encoder = new TextEncoder();

function read(
  body: string | readonly Uint8Array[],
  { status = 200, type = "text/event-stream", complete = true, endpoint = "chat" } = {},
): ReplyVerdict {
  const pieces = typeof body === "string" ? [encoder.encode(body)] : body;
  const headers: [string, string][] = [["Content-Type", type]];
  return readReply(endpoint, { status, headers, body: pieces, complete });
}

for (const testCase of servers) {
  Deno.test(`readReply judges ${testCase.server}: ${testCase.name}, however it is cut`, () => {
    const { expect } = testCase;
    const bytes = encoder.encode(testCase.body);
    for (const places of everyCut(bytes)) {
      const { status, content_type: type } = testCase;
      const verdict = read(cutAt(bytes, places), { status, type });
      assert.equal(verdict.valid, expect.counts_as_success);
      assert.equal(verdict.valid, verdict.error === undefined);
      assert.equal(verdict.text, expect.text);
      assert.equal(verdict.reasoning, expect.reasoning);
      assert.equal(verdict.toolText, expect.tool_text);
      assert.equal(verdict.finishReason, expect.finish_reason);
      if (expect.content_events !== null) {
        assert.equal(verdict.contentChunks, expect.content_events);
      }
      assert.equal(verdict.usage === null, expect.usage === null);
      for (const [name, count] of Object.entries(expect.usage ?? {})) {
        assert.equal(verdict.usage?.[name], count);
      }
      if (expect.error !== null) {
        const said = `${verdict.error?.kind} ${verdict.error?.message}`;
        assert.ok(said.includes(expect.error), said);
      }
    }
  });
}

/** A chat chunk; later fields override. */
function event(delta: unknown, more: Record<string, unknown> = {}): string {
  const choice = { "index": 0, "delta": delta, "finish_reason": null, ...more };
  return `data: ${JSON.stringify({ "id": "x", "choices": [choice] })}\n\n`;
}

const FINISH = event({}, { "finish_reason": "stop" });
const DONE = "data: [DONE]\n\n";

Deno.test("readReply gives the same text by the shortcut as by parsing each event", () => {
  fc.assert(
    fc.property(fc.array(fc.string({ maxLength: 6, unit: "grapheme" })), (words) => {
      const body = words.map((word) => event({ "content": word })).join("") + FINISH + DONE;
      // A padding that differs in each event keeps the shortcut from ever matching.
      const padded = words.map((word, index) =>
        event({ "content": word }, { "padding": "p".repeat(index + 1) })
      ).join("") + FINISH + DONE;
      const quick = read(body);
      assert.equal(quick.text, words.join(""));
      assert.equal(quick.contentChunks, words.filter((word) => word !== "").length);
      assert.deepEqual(quick, read(padded));
    }),
    { numRuns: 300 },
  );
});

Deno.test("readReply does not take another field with the text's value for the text", () => {
  const like = (text: string, other: string) =>
    `data: {"choices":[{"index":0,"note":"${other}","delta":{"content":"${text}"}}]}\n\n`;
  const { text } = read(like("a", "a") + like("b", "a") + like("a", "b") + FINISH + DONE);
  assert.equal(text, "aba");
});

Deno.test("readReply accepts a finish reason and a complete body in the place of [DONE]", () => {
  assert.equal(read(event({ "content": "a" }) + FINISH).valid, true);
  assert.equal(
    read(event({ "content": "a" }) + FINISH, { complete: false }).error?.kind,
    "truncated",
  );
});

Deno.test("readReply accepts a stream that was cut after [DONE]", () => {
  assert.equal(read(event({ "content": "a" }) + DONE, { complete: false }).valid, true);
});

Deno.test("readReply calls a stream without an end truncated and one without content empty", () => {
  assert.equal(read(event({ "content": "a" })).error?.kind, "truncated");
  assert.equal(read(FINISH + DONE).error?.kind, "no_content");
});

Deno.test("readReply calls a reply without a body empty, unless it was cut", () => {
  for (const type of ["text/event-stream", "application/json", "text/plain"]) {
    for (const status of [200, 204]) {
      assert.deepEqual(read("", { type, status }).error, {
        kind: "no_content",
        message: "Reply has no body",
      });
    }
    assert.equal(read("", { type, complete: false }).error?.kind, "truncated");
  }
  assert.equal(read("", { status: 500 }).error?.kind, "http_status");
});

Deno.test("readReply ignores what follows [DONE], but not a failure", () => {
  const body = event({ "content": "a" }) + FINISH + DONE;
  const usage = `data: {"choices":[],"usage":{"prompt_tokens":7}}\n\n`;
  const verdict = read(body);
  const late = event({ "content": "b" }).repeat(5) + event({}, { "finish_reason": "length" });
  assert.deepEqual(read(body + late + usage + "data: {broken\n\n" + DONE), verdict);
  // As many alike as the shortcut needs before the end, and after it.
  const many = event({ "content": "a" }).repeat(20);
  assert.equal(read(many + FINISH + DONE + many).contentChunks, 20);
  const failed = read(body + `data: {"error":{"message":"Out of memory"}}\n\n`);
  assert.deepEqual(failed.error, { kind: "stream_error", message: "Out of memory" });
});

Deno.test("readReply calls an event that is nested beyond all sense malformed, at once", () => {
  const nested = (open: string, close: string, times: number) =>
    open.repeat(times) + "1" + close.repeat(times);
  const deep = [
    nested("[", "]", 2_000_000),
    nested('{"a":', "}", 700_000),
    `{"error":{"message":${nested("[", "]", 2_000_000)}}}`,
    `{"choices":[{"delta":{"content":"a"}}],"x":${nested('[{"[\\"":', "}]", 400_000)}}`,
  ];
  for (const text of deep) {
    const events = event({ "content": "a" }) + `data: ${text}\n\n` + FINISH + DONE;
    assert.equal(read(events).error?.kind, "malformed_chunk");
    assert.equal(read(text, { type: "application/json" }).error?.kind, "malformed_chunk");
  }
  // Brackets in texts are no nesting.
  const brackets = event({ "content": '[{\\"'.repeat(10_000) });
  assert.equal(read(brackets + FINISH + DONE).valid, true);
  const shallow = event({ "content": "a" }, { "logprobs": JSON.parse(nested("[", "]", 400)) });
  assert.equal(read(shallow + FINISH + DONE).valid, true);
});

Deno.test("readReply fails a reply that the server says it gave up", () => {
  const aborted = event({ "content": "a" }) + event({}, { "finish_reason": "abort" }) + DONE;
  assert.equal(read(aborted).error?.kind, "stream_error");
  const native = event({}, { "finish_reason": { "type": "abort", "message": "out of memory" } });
  assert.deepEqual(read(event({ "content": "a" }) + native + DONE).error, {
    kind: "stream_error",
    message: "out of memory",
  });
});

Deno.test("readReply counts tool calls, refusals and both spellings of reasoning as content", () => {
  const verdict = read(
    event({ "reasoning": "r" }) + event({ "reasoning_content": "s" }) +
      event({ "tool_calls": [{ "function": { "name": "f", "arguments": "{" } }] }) +
      event({ "tool_calls": [{ "function": { "arguments": "}" } }] }) +
      event({ "refusal": "no" }) + FINISH + DONE,
  );
  assert.equal(verdict.reasoning, "rs");
  assert.equal(verdict.toolText, "f{}");
  assert.equal(verdict.text, "no");
  assert.equal(verdict.contentChunks, 5);
});

Deno.test("readReply keeps the last count that each chunk's usage gives", () => {
  const usage = (counts: unknown) =>
    event({ "content": "a" }).replace("}]}", `}],"usage":${JSON.stringify(counts)}}`);
  const verdict = read(
    usage({ "prompt_tokens": 5, "completion_tokens": 1 }) +
      usage({ "completion_tokens": 2, "completion_tokens_details": { "reasoning_tokens": 1 } }) +
      usage(null) + FINISH + DONE,
  );
  assert.deepEqual(verdict.usage, {
    "prompt_tokens": 5,
    "completion_tokens": 2,
    "reasoning_tokens": 1,
  });
});

Deno.test("readReply reads completions, streamed and whole", () => {
  const chunk = (text: string, reason: string | null) =>
    `data: ${JSON.stringify({ "choices": [{ "text": text, "finish_reason": reason }] })}\n\n`;
  const streamed = read(chunk("a", null) + chunk("b", "length") + DONE, {
    endpoint: "completions",
  });
  assert.deepEqual([streamed.valid, streamed.text, streamed.finishReason], [true, "ab", "length"]);
  const whole = read('{"choices":[{"text":"ab","finish_reason":"stop"}]}', {
    endpoint: "completions",
    type: "application/json",
  });
  assert.deepEqual([whole.valid, whole.text, whole.contentChunks], [true, "ab", 1]);
});

Deno.test("readReply judges a body without a content type by how it begins", () => {
  const readUntyped = (body: string) =>
    readReply("chat", { status: 200, headers: [], body: [encoder.encode(body)], complete: true });
  assert.equal(readUntyped(event({ "content": "a" }) + DONE).text, "a");
  assert.equal(readUntyped('{"choices":[{"message":{"content":"a"}}]}').text, "a");
  assert.equal(readUntyped("<html></html>").error?.kind, "protocol");
});

Deno.test("readReply tells status, reason and target of what is not 2xx", () => {
  const { error } = readReply("chat", {
    status: 307,
    headers: [["Location", "http://elsewhere/"]],
    body: [],
    complete: true,
  });
  assert.equal(error?.kind, "http_status");
  assert.match(error?.message ?? "", /^HTTP 307, redirects to http:\/\/elsewhere\//);
});

Deno.test("readReply fails a reply cut in the middle of a JSON body", () => {
  const body = '{"choices":[{"message":{"content":"a"}';
  assert.equal(read(body, { type: "application/json", complete: false }).error?.kind, "truncated");
  assert.equal(read(body, { type: "application/json" }).error?.kind, "malformed_chunk");
});

Deno.test("readReply refuses an endpoint type that it does not know", () => {
  assert.throws(() => read("", { endpoint: "telepathy" }), /must be one of chat, completions/);
});
