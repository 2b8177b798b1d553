import fc from "fast-check";
import assert from "node:assert/strict";
import type { EndpointType } from "../../../../src/client/endpoint/protocol/endpoint_type.ts";
import { outputLimitOf } from "../../../../src/client/endpoint/protocol/endpoint_type.ts";
import { configuredType } from "../../../../src/client/endpoint/endpoint_types.ts";
import { readReplyOf, type ReplyVerdict } from "../../../../src/client/endpoint/read_reply.ts";

const SETTINGS = {
  model: "m",
  streaming: true,
  legacyMaxTokens: false,
  extraInputs: { "top_k": 3 },
  perChunkUsage: false,
};

function typeOf(text: string, more: Readonly<Record<string, string>> = {}): EndpointType {
  return configuredType({
    endpointType: "template",
    endpointSettings: { payload_template: text, ...more },
  });
}

function bodyOf(text: string, texts: readonly string[] = ["hi"], outputTokens?: number): unknown {
  const content = { texts, images: ["data:image/png;base64,AA=="], outputTokens, extra: {} };
  return typeOf(text).buildBody(content, { ...SETTINGS, extraInputs: {} });
}

function read(type: EndpointType, body: string, contentType = "text/event-stream"): ReplyVerdict {
  return readReplyOf(type, {
    status: 200,
    headers: [["Content-Type", contentType]],
    body: [new TextEncoder().encode(body)],
    complete: true,
  });
}

Deno.test("template fills in values and the insides of strings, as AIPerf's templates have them", () => {
  assert.deepEqual(bodyOf('{"text": {{ text|tojson }}}'), { "text": "hi" });
  assert.deepEqual(bodyOf("nv-embedqa", ["a", "b"]), { "text": ["a", "b"] });
  assert.deepEqual(bodyOf('{"p": "Q: {{ text }}?", "s": {{ stream|lower }}}'), {
    "p": "Q: hi?",
    "s": true,
  });
  assert.deepEqual(
    bodyOf(
      '{"m": {{ model|tojson }}, "n": {{ max_tokens|tojson }}, "i": [{{ image }}], "b": {{ texts[1] }}}',
      ["a", "b"],
      20,
    ),
    { "m": "m", "n": 20, "i": ["data:image/png;base64,AA=="], "b": "b" },
  );
  assert.deepEqual(bodyOf('{"n": {{ max_tokens | default(16) }}, "r": "{{- role | upper -}}"}'), {
    "n": 16,
    "r": "USER",
  });
});

Deno.test("template escapes whatever a text holds, between quotes and elsewhere", () => {
  const quoted = typeOf('{"a": {"b": ["<{{ text }}>"]}, "c": {{ text }}}');
  fc.assert(fc.property(fc.string({ unit: "binary" }), (text) => {
    const content = { texts: [text], images: [], outputTokens: undefined, extra: {} };
    assert.deepEqual(quoted.buildBody(content, { ...SETTINGS, extraInputs: {} }), {
      "a": { "b": [`<${text}>`] },
      "c": text,
    });
  }));
});

Deno.test("template knows the texts, images and limits of its bodies, and adds extra inputs", () => {
  const type = typeOf(
    '{"in": [{"q": "Answer: {{ text }}"}], "pic": {{ images }}, "opt": {"most": {{ max_tokens }}}}',
  );
  const content = { texts: ["why"], images: ["x", "y"], outputTokens: 9, extra: { "u": 1 } };
  const body = type.buildBody(content, SETTINGS);
  assert.deepEqual(type.inputTexts(body), ["Answer: why"]);
  assert.equal(type.countImages(body), 2);
  assert.equal(outputLimitOf(type, body), 9);
  assert.deepEqual([body["top_k"], body["u"]], [3, 1]);
});

Deno.test("template refuses what it cannot fill in, naming it", () => {
  const refused: readonly (readonly [text: string, message: RegExp])[] = [
    ['{"a": {{ txt }}}', /^payload_template: There is no placeholder \{\{ txt \}\}/],
    ['{"a": {% if text %}1{% endif %}}', /Only placeholders/],
    ['{"a": {{ text.__class__ }}}', /no placeholder/],
    ['{"a": {{ text|system }}}', /no filter "system"/],
    ['{"a": {{ text ', /has no end/],
    ['{"a": {{ text }}', /not valid JSON/],
    ["{{ text }}", /not a JSON object/],
    ["just words", /not valid JSON/],
  ];
  for (const [text, message] of refused) assert.throws(() => typeOf(text), { message }, text);
  assert.throws(() => configuredType({ endpointType: "template" }), /payload_template is missing/);
  assert.throws(() => typeOf('{"a": {{ text }}}', { response_field: "a..b" }), {
    message: /^response_field: Expected a path/,
  });
});

Deno.test("template reads text, usage and end where its settings say", () => {
  const type = typeOf('{"a": {{ text }}}', {
    response_field: "out.words[0]",
    usage_field: "stats",
    end_field: "out.over",
  });
  const event = (value: unknown) => `data: ${JSON.stringify(value)}\n\n`;
  const piece = event({ "text": "no", "out": { "words": ["a"], "over": false } });
  const last = event({
    "out": { "words": ["b"], "over": "eos" },
    "stats": { "input_tokens": 3, "output_tokens": 2 },
  });
  const verdict = read(type, piece + last);
  assert.deepEqual([verdict.valid, verdict.text, verdict.finishReason], [true, "ab", "eos"]);
  assert.deepEqual(verdict.usage, { "prompt_tokens": 3, "completion_tokens": 2 });
  assert.equal(read(type, piece).error?.kind, "truncated");
  assert.equal(read(type, `${piece}data: [DONE]\n\n`).valid, true);
  assert.equal(read(type, event({ "error": "broken" })).error?.kind, "stream_error");
  // A field that is not there is told, and nothing is taken in its place.
  const other = read(type, '{"text":"a"}', "application/json");
  assert.deepEqual([other.text, other.error?.kind], ["", "no_content"]);
  assert.match(other.error?.message ?? "", /response_field found nothing/);
  // Results that are no text count as content.
  const vectors = typeOf('{"a": {{ text }}}', { response_field: "embeddings" });
  assert.equal(read(vectors, '{"embeddings":[[0.1]]}', "application/json").valid, true);
});

Deno.test("raw reads the reply of a path that a run names", () => {
  const type = configuredType({
    endpointType: "raw",
    endpointSettings: { response_field: "answers[].t" },
  });
  assert.equal(read(type, '{"answers":[{"t":"a"},{"t":"b"}]}', "application/json").text, "ab");
});
