import assert from "node:assert/strict";
import { readReply } from "../../../src/client/endpoint/read_reply.ts";

const encoder = new TextEncoder();

function messageOf(body: string, { status = 200, type = "application/json" } = {}): string {
  const { error } = readReply("chat", {
    status,
    headers: [["Content-Type", type]],
    body: [encoder.encode(body)],
    complete: true,
  });
  return error?.message ?? "";
}

const FORBIDDEN = {
  "type": "extra_forbidden",
  "loc": ["body", "stream_options", "include_usage"],
  "msg": "Extra inputs are not permitted",
  "input": "the secret prompt",
};
const SAID = "stream_options.include_usage: Extra inputs are not permitted";

const ERRORS: readonly (readonly [name: string, body: unknown, words: string])[] = [
  ["Mistral's", {
    "object": "error",
    "message": { "detail": [FORBIDDEN] },
    "type": "invalid_request_error",
  }, SAID],
  ["FastAPI's", { "detail": [FORBIDDEN] }, SAID],
  ["pydantic's within error", { "error": { "message": [FORBIDDEN] } }, SAID],
  ["several defects", {
    "detail": [{ "loc": ["body", "model"], "msg": "Field required" }, FORBIDDEN],
  }, `model: Field required; ${SAID}`],
  [
    "a list of texts",
    { "message": ["a is wrong", "b is wrong"], "code": 400 },
    "a is wrong; b is wrong",
  ],
  [
    "a list of errors",
    { "errors": [{ "title": "Quota", "detail": "No quota left" }] },
    "No quota left",
  ],
  ["a nested detail", { "error": { "detail": { "message": "Overloaded" } } }, "Overloaded"],
  ["a plain text", { "error": "KeyError : 'x'" }, "KeyError : 'x'"],
];

for (const [name, body, words] of ERRORS) {
  Deno.test(`readReply keeps the server's words of an error reply: ${name}`, () => {
    const message = messageOf(JSON.stringify(body), { status: 422 });
    const remedy = words.includes("stream_options")
      ? "try --omit-inputs stream_options; the server said: "
      : "";
    assert.equal(message, `HTTP 422: ${remedy}${words}`);
  });
}

Deno.test("readReply names the option that renames a rejected limit", () => {
  const said = (text: string, status = 400) =>
    messageOf(JSON.stringify({ "error": text }), { status });
  const remedy = /^HTTP 400: try --use-legacy-max-tokens; the server said: /;
  assert.match(said("max_completion_tokens: Extra inputs are not permitted"), remedy);
  assert.match(said("Unknown parameter: 'max_completion_tokens'"), remedy);
  for (const other of ["max_completion_tokens is too large", "Unknown parameter: 'top_k'"]) {
    assert.doesNotMatch(said(other), /--use-legacy/);
  }
  assert.doesNotMatch(
    said("'max_tokens' is not supported. Use 'max_completion_tokens' instead."),
    /--use-legacy/,
  );
  assert.doesNotMatch(said("stream_options broke", 500), /--omit-inputs/);
});

Deno.test("readReply keeps the server's words of an error within a stream", () => {
  const event = {
    "object": "error",
    "message": { "detail": "Service unavailable" },
    "code": "1000",
  };
  const message = messageOf(`data: ${JSON.stringify(event)}\n\n`, { type: "text/event-stream" });
  assert.equal(message, "Service unavailable");
});

Deno.test("readReply says of a reply without content what usage counts and why it ended", () => {
  const stream = (usage: unknown, finish: string) =>
    [{ "choices": [{ "index": 0, "delta": {}, "finish_reason": finish }] }, {
      "choices": [],
      usage,
    }]
      .map((chunk) => `data: ${JSON.stringify(chunk)}\n\n`).join("") + "data: [DONE]\n\n";
  const type = "text/event-stream";
  const counted = messageOf(stream({ "prompt_tokens": 3, "completion_tokens": 10 }, "length"), {
    type,
  });
  assert.match(counted, /has no content: usage counts 10 completion tokens; finish reason length/);
  const details = {
    "completion_tokens": 7,
    "completion_tokens_details": { "reasoning_tokens": 7 },
  };
  assert.match(
    messageOf(stream(details, "stop"), { type }),
    /7 completion tokens, 7 of them reason/,
  );
  assert.match(
    messageOf(stream(null, "stop"), { type }),
    /no completion tokens; finish reason stop/,
  );
});
