/**
 * What every endpoint type must be able to do, and nothing but the type itself must be touched for:
 * those that are registered, and some that are made up.
 */

import assert from "node:assert/strict";
import { syntheticDataset } from "../../../src/load/dataset/synthetic/synthetic_dataset.ts";
import {
  type BodySettings,
  type EndpointType,
  outputLimitOf,
  servedPath,
} from "../../../src/client/endpoint/protocol/endpoint_type.ts";
import { ENDPOINT_TYPES } from "../../../src/client/endpoint/endpoint_types.ts";
import { ReplyReader } from "../../../src/client/endpoint/protocol/reply_reader.ts";
import { readReplyOf, type ReplyVerdict } from "../../../src/client/endpoint/read_reply.ts";
import type { PromptContent } from "../../../src/client/endpoint/protocol/prompt_content.ts";
import type {
  ReplyPiece,
  ScriptedReply,
} from "../../../src/client/endpoint/protocol/reply_writer.ts";
import { inputsJson } from "../../../src/report/export/requests/inputs_json.ts";
import { rehearse } from "../../../src/load/worker/rehearsal.ts";
import { sharedHeaderLines } from "../../../src/load/worker/turn_requests.ts";
import { FAULT_KINDS } from "../../../src/mock/mock_options.ts";
import type { PromptsPlan } from "../../../src/config/plan/prompts_plan.ts";
import { resolvePlan } from "../../../src/config/plan/resolve/resolve_plan.ts";
import type { RunPlan, Target } from "../../../src/config/plan/run_plan.ts";
import type { ErrorKind } from "../../../src/client/record/error_kind.ts";
import { workerClock } from "../../../src/core/thread/run_clock.ts";
import { cutAt, everyCut } from "../../support/fixtures.ts";
import { withMock } from "../../support/local_mock.ts";
import { exchangeOnce } from "../../support/raw_connection.ts";
import {
  growingTextToy,
  jsonLinesToy,
  namedEventsToy,
  ranksToy,
} from "../../support/toy_endpoint_types.ts";
import { BUILTIN } from "../../support/builtin.ts";

function planOf(streaming: boolean): Promise<RunPlan> {
  return resolvePlan({ url: ["http://127.0.0.1:1"], model: "m", streaming }, {
    cores: 2,
    cliCommand: "test",
    findModel: () => Promise.resolve("m"),
  });
}

const TYPES = [
  ...ENDPOINT_TYPES.values(),
  jsonLinesToy,
  namedEventsToy,
  growingTextToy,
  ranksToy,
];

const encoder = new TextEncoder();
const PROMPT = "How many words has this question?";

/** A reply with every kind of character; the first two pieces are thoughts where there are any. */
function script(type: EndpointType): ScriptedReply {
  const texts = type.producesTokens
    ? [" plain", " words", " more", "\n", ' "quoted"', " wörd", " 🚀", " again", " plain"]
    : [];
  return {
    id: "1",
    createdSeconds: 1_763_600_000,
    model: 'Zürich "1"',
    promptTokens: 7,
    pieces: texts.map((text, index): ReplyPiece => ({
      text,
      tokens: 1,
      isReasoning: type.writer.writesReasoning && index < 2,
    })),
    finishReason: "stop",
    includeUsage: true,
    usageInChunks: false,
    results: 2,
  };
}

/** A request that makes sense to a type. */
function content(type: EndpointType, outputTokens: number): PromptContent {
  return {
    texts: type.ranksPassages ? [PROMPT, "This one has five words.", "And this four."] : [PROMPT],
    images: type.requiredMedia === "image" ? ["data:image/png;base64,iVBORw0KGgo="] : [],
    audios: type.requiredMedia === "audio" ? ["data:audio/wav;base64,UklGRg=="] : [],
    outputTokens,
    extra: {},
  };
}

function promptTokensOf(type: EndpointType): number {
  const fields = type.buildBody(content(type, 6), SETTINGS);
  return BUILTIN.count(type.inputTexts(fields).join(" "));
}

/** What synthetic prompts of a type must have. */
function promptsOf(type: EndpointType): PromptsPlan {
  const always = (mean: number) => ({ mean, stddev: 0 });
  return {
    ...(type.requiredMedia === "image"
      ? { images: { perRequest: 1, width: always(4), height: always(4), format: "png" } }
      : {}),
    ...(type.requiredMedia === "audio"
      ? {
        recordings: {
          perRequest: 1,
          seconds: always(0.01),
          depths: [16],
          sampleRates: [8000],
          channels: 1,
        },
      }
      : {}),
    ...(type.ranksPassages
      ? {
        rankings: { passages: always(3), passageLength: always(7), queryLength: always(20) },
      }
      : {}),
  };
}

/** Tokens of the first text of a synthetic prompt of 20 tokens. */
function lengthOf(type: EndpointType): number | undefined {
  if (!type.tokenizesInput) return undefined;
  return 20;
}

function textOf({ pieces }: ScriptedReply, isReasoning: boolean): string {
  return pieces.filter((piece) => piece.isReasoning === isReasoning).map(({ text }) => text)
    .join("");
}

function verdictOf(
  type: EndpointType,
  contentType: string,
  body: string | Uint8Array | readonly Uint8Array[],
  complete = true,
): ReplyVerdict {
  const bytes = typeof body === "string" ? encoder.encode(body) : body;
  return readReplyOf(type, {
    status: 200,
    headers: [["Content-Type", contentType]],
    body: bytes instanceof Uint8Array ? [bytes] : bytes,
    complete,
  });
}

function assertSays(verdict: ReplyVerdict, reply: ScriptedReply): void {
  assert.equal(verdict.error, undefined);
  if (reply.pieces.length > 0) assert.equal(verdict.text, textOf(reply, false));
  assert.equal(verdict.reasoning, textOf(reply, true));
  if (verdict.usage !== null) {
    assert.equal(verdict.usage["prompt_tokens"] ?? reply.promptTokens, reply.promptTokens);
    if (reply.pieces.length > 0) {
      assert.equal(verdict.usage["completion_tokens"], reply.pieces.length);
    }
  }
}

for (const type of TYPES) {
  const { stream } = type.writer;
  const reply = script(type);

  Deno.test(`${type.name} reads the streams that it writes, however they are cut`, () => {
    if (stream === undefined) return;
    const { opening, content, closing } = stream.frames(reply);
    const bytes = encoder.encode([...opening, ...content, ...closing].join(""));
    for (const places of everyCut(bytes)) {
      const verdict = verdictOf(type, stream.contentType, cutAt(bytes, places));
      assertSays(verdict, reply);
      assert.equal(verdict.contentChunks, content.length);
    }
  });

  Deno.test(`${type.name} knows from its stream that it is over, whether or not the body ends`, () => {
    // After an image another one may come.
    if (stream === undefined || stream.endsWithBody || type.producesImages) return;
    const { opening, content, closing } = stream.frames(reply);
    const reader = new ReplyReader(type);
    reader.begin(200, "", [["Content-Type", stream.contentType]]);
    const push = (frames: readonly string[]) => {
      const bytes = encoder.encode(frames.join(""));
      reader.push(bytes, 0, bytes.length, 0);
    };
    push([...opening, ...content.slice(0, 3)]);
    assert.equal(reader.isSettled, false);
    push([...content.slice(3), ...closing]);
    assert.equal(reader.isSettled, true);
    // A type may still ask for the end of the body.
    if (type !== jsonLinesToy) assert.equal(reader.end(false, 0), undefined);
  });

  Deno.test(`${type.name} fails a stream that is cut, broken, empty or given up`, () => {
    if (stream === undefined) return;
    const { opening, content, closing } = stream.frames(reply);
    const kindOf = (frames: readonly string[], complete = true) =>
      verdictOf(type, stream.contentType, frames.join(""), complete).error?.kind;
    if (!stream.endsWithBody && closing.length > 0) {
      assert.equal(kindOf([...opening, ...content]), "truncated");
    }
    assert.equal(kindOf([...opening, ...content.slice(0, 3)], false), "truncated");
    const empty = stream.frames({ ...reply, pieces: [], results: 0 });
    // An image that is done is content and end at once.
    const kindOfEmpty = type.producesImages ? "truncated" : "no_content";
    assert.equal(kindOf([...empty.opening, ...empty.closing]), kindOfEmpty);
    const broken = [...opening, ...content.slice(0, 2), stream.malformed, ...closing];
    assert.equal(kindOf(broken), "malformed_chunk");
    const givenUp = [...opening, ...content.slice(0, 2), ...stream.failure("out of tomatoes")];
    assert.deepEqual(verdictOf(type, stream.contentType, givenUp.join("")).error, {
      kind: "stream_error",
      message: "out of tomatoes",
    });
  });

  Deno.test(`${type.name} reads the whole replies that it writes, however they are cut`, () => {
    const { contentType, body } = type.writer.whole(reply);
    const bytes = typeof body === "string" ? encoder.encode(body) : body;
    for (const places of everyCut(bytes)) {
      const verdict = verdictOf(type, contentType, cutAt(bytes, places));
      assertSays(verdict, reply);
      assert.equal(verdict.contentChunks, 1);
    }
    const half = verdictOf(type, contentType, bytes.subarray(0, bytes.length >> 1), false);
    assert.equal(half.error?.kind, "truncated");
    assert.equal(verdictOf(type, contentType, "", false).error?.kind, "truncated");
    const error = '{"error":{"message":"out of tomatoes"}}';
    assert.equal(verdictOf(type, "application/json", error).error?.kind, "stream_error");
  });

  Deno.test(`${type.name} is rehearsed with replies that are valid`, async () => {
    for (const streaming of [true, false]) {
      const { requests, valid } = await rehearse(await planOf(streaming), type, workerClock);
      assert.deepEqual([requests, valid], [64, 64]);
    }
  });

  Deno.test(`${type.name} is served by the mock server with the tokens asked for`, () =>
    withMock({ reasoningTokens: 2, types: [type] }, async ({ server, stats }) => {
      for (const streaming of stream === undefined ? [false] : [true, false]) {
        const { verdict, contentType } = await ask(server.port, type, streaming, 6);
        assert.equal(verdict.error, undefined);
        const media = streaming && stream
          ? stream.contentType
          : type.writer.whole(reply).contentType;
        assert.equal(contentType, media);
        if (type.producesTokens) {
          assert.equal(BUILTIN.count(verdict.text) + BUILTIN.count(verdict.reasoning), 6);
        }
        if (streaming) assert.equal(verdict.contentChunks, type.producesTokens ? 6 : 1);
        if (verdict.usage !== null) {
          const counted = verdict.usage["prompt_tokens"];
          if (counted !== undefined) assert.equal(counted, promptTokensOf(type));
        }
      }
      const { served } = await stats();
      for (const { prompt_tokens, output_tokens } of served) {
        assert.equal(prompt_tokens, promptTokensOf(type));
        assert.equal(output_tokens, type.producesTokens ? 6 : 0);
      }
    }));

  for (const fault of FAULT_KINDS) {
    if (fault === "stall") continue;
    Deno.test(`${type.name} fails when the mock server injects ${fault}`, () =>
      withMock({ faults: new Map([[fault, 1]]), types: [type] }, async ({ server }) => {
        for (const streaming of stream === undefined ? [false] : [true, false]) {
          const isPlainText = !streaming &&
            type.writer.whole(reply).contentType.startsWith("text/plain");
          // Nobody can see that a word is missing of a text.
          if (isPlainText && fault === "malformed") continue;
          // Nor that a stream stopped early whose body alone has an end.
          if (streaming && stream?.endsWithBody && fault === "close") continue;
          const { verdict } = await ask(server.port, type, streaming, 8);
          assert.equal(verdict.error?.kind, KIND_OF_FAULT[fault], `streaming: ${streaming}`);
        }
      }));
  }

  Deno.test(`${type.name} has bodies that synthetic prompts fit into`, async () => {
    const settings = { ...SETTINGS, streaming: false };
    const payloads = await syntheticDataset(
      { seed: 1, models: ["m"], body: settings },
      {
        source: "synthetic",
        inputTokensMean: 20,
        inputTokensStddev: 0,
        outputTokensMean: 5,
        outputTokensStddev: 0,
        prompts: promptsOf(type),
        entries: 3,
        warmupEntries: 0,
      },
      type,
      undefined,
    );
    for (let entry = 0; entry < 3; entry++) {
      const fields = type.body.decode(payloads.wholeBodyOf(entry));
      assert.ok(fields !== undefined);
      const [text] = type.inputTexts(fields);
      assert.equal(text === undefined ? undefined : BUILTIN.count(text), lengthOf(type));
      const hasLimit = type.outputLimits(fields).length > 0;
      assert.equal(outputLimitOf(type, fields), hasLimit ? 5 : undefined);
      assert.equal(type.countImages(fields), type.requiredMedia === "image" ? 1 : 0);
    }
    const { data } = JSON.parse(
      [...inputsJson(payloads, type.body, (text) => text)].join(""),
    );
    assert.deepEqual(
      data.map(({ payloads }: { payloads: unknown[] }) => payloads),
      [0, 1, 2].map((entry) => [type.body.decode(payloads.wholeBodyOf(entry))]),
    );
  });

  Deno.test(`${type.name} tells the content type of its bodies`, () => {
    const lines = sharedHeaderLines({ headers: [], body: SETTINGS }, type, TARGET, "test");
    assert.ok(lines.split("\r\n").includes(`Content-Type: ${type.body.contentType}`), lines);
  });
}

const SETTINGS: BodySettings = {
  model: "m",
  streaming: true,
  legacyMaxTokens: false,
  extraInputs: {},
  perChunkUsage: false,
};

const TARGET = { authorization: undefined } as Target;

const KIND_OF_FAULT: Readonly<Record<typeof FAULT_KINDS[number], ErrorKind | undefined>> = {
  "429": "http_status",
  "500": "http_status",
  "reset": "truncated",
  "close": "truncated",
  "malformed": "malformed_chunk",
  "in-band": "stream_error",
  "stall": undefined,
};

/** Asks a server as a load worker would, and reads its reply. */
async function ask(
  port: number,
  type: EndpointType,
  streaming: boolean,
  outputTokens: number,
): Promise<{ readonly verdict: ReplyVerdict; readonly contentType: string }> {
  const fields = type.buildBody(content(type, outputTokens), { ...SETTINGS, streaming });
  const body = type.body.encode(fields);
  const path = (streaming ? type.streamingPath ?? servedPath(type) : servedPath(type))
    .replace("{model_name}", "m");
  let wire = await exchangeOnce(port, type.method, path, body);
  while (type.writer.job !== undefined && /"status":"(queued|in_progress)"/.test(wire.body)) {
    if (wire.end !== "complete") break;
    const { id } = JSON.parse(wire.body);
    wire = await exchangeOnce(port, "GET", `${path}/${id}`, "");
  }
  const verdict = readReplyOf(type, {
    status: wire.status,
    headers: [...wire.headers],
    body: [encoder.encode(wire.body)],
    complete: wire.end === "complete",
  });
  return { verdict, contentType: wire.headers.get("content-type") ?? "" };
}

Deno.test("a type whose events build on earlier ones begins anew with each reply", () => {
  const { contentType, frames } = growingTextToy.writer.stream ?? assert.fail();
  const { content, closing } = frames(script(growingTextToy));
  const body = [...content, ...closing].join("");
  const first = verdictOf(growingTextToy, contentType, body);
  assert.deepEqual(verdictOf(growingTextToy, contentType, body), first);
  // A piece that repeats the one before word for word is still read as part of what grows.
  const repeated = ["a", "aa", "aaa"].map((text) => `data: {"so_far":"${text}"}\n\n`).join("");
  assert.equal(verdictOf(growingTextToy, contentType, `${repeated}data: FIN\n\n`).text, "aaa");
});

Deno.test("an event with a name that means the end is no end while half of it is missing", () => {
  const piece = 'event: piece\ndata: {"t":"a"}\n\n';
  const verdict = (end: string) => verdictOf(namedEventsToy, "text/event-stream", piece + end);
  assert.equal(verdict("event: finished\ndata: bye\n\n").valid, true);
  assert.equal(verdict('event: finished\ndata: {"a":1}\n\n').valid, true);
  assert.equal(verdict('event: finished\ndata: {"a":').error?.kind, "truncated");
  assert.equal(verdict("data: [DONE]\n\n").error?.kind, "malformed_chunk");
  assert.equal(verdict("event: trouble\n\n").error?.kind, "stream_error");
});
