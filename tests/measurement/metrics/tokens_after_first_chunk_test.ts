/** Time between tokens of replies of every shape, read from the bytes that servers send. */

import assert from "node:assert/strict";
import { chat } from "../../../src/client/endpoint/openai/chat.ts";
import { responses } from "../../../src/client/endpoint/openai/responses.ts";
import type { EndpointType } from "../../../src/client/endpoint/protocol/endpoint_type.ts";
import { ReplyReader } from "../../../src/client/endpoint/protocol/reply_reader.ts";
import { emptyTrace } from "../../../src/client/http/transport.ts";
import { RecordBlockBuilder } from "../../../src/client/record/record_block.ts";
import { FIELD, FIELD_COUNT, RECORD_FIELDS } from "../../../src/client/record/request_fields.ts";
import { PayloadTableBuilder } from "../../../src/load/dataset/payloads/payload_table_builder.ts";
import type { Tokenizer } from "../../../src/load/dataset/tokenizers/tokenizer.ts";
import { fillRow } from "../../../src/load/worker/request_row.ts";
import type { RequestRecord } from "../../../src/measurement/metrics/request_record.ts";
import {
  FIELDS_OF_COUNT,
  interTokenNs,
  interTokenSpanNs,
  tokensAfterFirstChunk,
} from "../../../src/measurement/metrics/tokens_after_first_chunk.ts";
import { BlockReader } from "../../../src/results/collect/block_reader.ts";
import { recordWith } from "../../support/records.ts";

/** An event of a stream, and how many milliseconds it comes after the one before. */
type Piece = readonly [afterMs: number, json: Record<string, unknown> | string];

const REQUEST = {
  ...{ index: 0, session: 0, turn: 0, turns: 1, phase: 1, worker: 0, entry: 0, target: 0 },
  ...{ model: NaN, intendedNs: 0, claimedNs: 0, requestId: "r", correlationId: "r" },
};
/** Words, with what stands between them, as a tokenizer with a piece for each of them counts. */
const WORDS: Tokenizer = {
  name: "words",
  count: (text) => text.match(/ ?[A-Za-z]+|[^A-Za-z]/g)?.length ?? 0,
};
/** A tokenizer of another model. */
const LETTERS: Tokenizer = { name: "letters", count: (text) => text.length };

/** What is measured of a stream. */
interface Measured {
  readonly itlMs: number;
  /** ITL by the most and by the least tokens that it may have had after the first chunk. */
  readonly rangeMs: readonly [least: number, most: number];
}

/** Reads a stream as a run does. @param tokenizer undefined for the server's counts */
function recordOf(
  pieces: readonly Piece[],
  tokenizer?: Tokenizer,
  type: EndpointType = chat,
): RequestRecord {
  const reader = new ReplyReader(type);
  const row = new Float64Array(FIELD_COUNT);
  const trace = { ...emptyTrace(), startNs: 0 };
  reader.begin(200, "OK", [["content-type", "text/event-stream"]]);
  let atNs = 0;
  for (const [afterMs, json] of pieces) {
    atNs += afterMs * 1e6;
    const text = typeof json === "string" ? json : JSON.stringify(json);
    const bytes = new TextEncoder().encode(`data: ${text}\n\n`);
    reader.push(bytes, 0, bytes.length, atNs);
  }
  assert.equal(reader.end(true, atNs), undefined);
  fillRow(row, REQUEST, trace, reader);
  row[FIELD.errorKind] = -1;
  const { content } = reader;
  const builder = new RecordBlockBuilder();
  builder.add(row, content.chunkNs.slice(0, content.chunkCount), {
    ...{ requestId: "r", correlationId: undefined, finishReason: content.finishReason },
    ...{ error: undefined, rawReply: undefined, ...content.texts },
  });
  const payloads = new PayloadTableBuilder();
  payloads.addEntry([], { inputTokens: 1, outputTokens: 1, images: 0 });
  const [read] = new BlockReader(payloads.finish(0), tokenizer).read(builder.take().block);
  assert.ok(read !== undefined);
  return read.record;
}

function measure(record: RequestRecord): Measured {
  const { least, most } = tokensAfterFirstChunk(record);
  const ms = interTokenSpanNs(record) / 1e6;
  return { itlMs: interTokenNs(record) / 1e6, rangeMs: [ms / most, ms / least] };
}

function usageOf(tokens: number | undefined, reasoning?: number): Record<string, unknown> {
  if (tokens === undefined) return {};
  const details = reasoning === undefined
    ? {}
    : { "completion_tokens_details": { "reasoning_tokens": reasoning } };
  return {
    "usage": { "prompt_tokens": 7, "completion_tokens": tokens, "total_tokens": 7, ...details },
  };
}

/** A chunk of a chat stream. */
function delta(fields: Record<string, unknown>, tokens?: number, finish: string | null = null) {
  return {
    "choices": [{ "index": 0, "delta": fields, "finish_reason": finish }],
    ...usageOf(tokens),
  };
}

const text = (content: string, tokens?: number) => delta({ content }, tokens);
const thought = (reasoning_content: string) => delta({ reasoning_content });
const ROLE: Piece = [0, delta({ "role": "assistant", "content": "" })];

/** The end of a stream: its finish reason after a while, and its usage. */
function end(tokens?: number, { reasoning, finish = "stop", afterMs = 0 }: {
  readonly reasoning?: number;
  readonly finish?: string;
  readonly afterMs?: number;
} = {}): Piece[] {
  const usage = tokens === undefined
    ? []
    : [[0, { "choices": [], ...usageOf(tokens, reasoning) }] as const];
  return [[afterMs, delta({}, undefined, finish)], ...usage, [0, "[DONE]"]];
}

/** So many chunks. */
function chunks(count: number, afterMs: number, content: (at: number) => object): Piece[] {
  return Array.from(
    { length: count },
    (_, at) => [afterMs, content(at) as Record<string, unknown>] as const,
  );
}

/** A reply, its true time between tokens, and whether its shape leaves that open. */
interface Case {
  readonly name: string;
  readonly pieces: readonly Piece[];
  readonly itlMs: number;
  /** Whether the estimate is the true time. @default true */
  readonly isMet?: boolean;
  /** Whether the range holds nothing else by the server's counts. @default false */
  readonly isCertain?: boolean;
  /** Who counts tokens, undefined for the server. @default all */
  readonly counts?: readonly (Tokenizer | undefined)[];
}

const COUNTS = [undefined, WORDS, LETTERS];
const W = " w";
const CASES: readonly Case[] = [
  {
    name: "a token a chunk",
    pieces: [ROLE, ...chunks(3, 60, () => text(W)), ...end(3)],
    ...{ itlMs: 60, isCertain: true },
  },
  {
    name: "reasoning that usage counts and no chunk brings",
    pieces: [
      ROLE,
      [300, text(W)],
      ...chunks(19, 20, () => text(W)),
      ...end(1020, { reasoning: 1000 }),
    ],
    ...{ itlMs: 20, isCertain: true },
  },
  {
    name: "such reasoning, and a token that ends the reply",
    pieces: [
      ROLE,
      [300, text(W)],
      ...chunks(19, 20, () => text(W)),
      ...end(1021, { reasoning: 1000 }),
    ],
    itlMs: 20,
  },
  {
    name: "such reasoning that usage does not name",
    pieces: [ROLE, [300, text(W)], ...chunks(19, 20, () => text(W)), ...end(1020)],
    ...{ itlMs: 20, counts: [undefined, WORDS] },
  },
  {
    name: "such reasoning, counted apart from completion tokens",
    pieces: [
      ROLE,
      [300, text(W)],
      ...chunks(19, 20, () => text(W)),
      ...end(20, { reasoning: 1000 }),
    ],
    ...{ itlMs: 20, isCertain: true },
  },
  {
    name: "such reasoning, before chunks of four tokens",
    pieces: [
      ROLE,
      ...chunks(10, 80, () => text(" aa bb cc dd")),
      ...end(1040, { reasoning: 1000, finish: "length" }),
    ],
    itlMs: 20,
  },
  {
    name: "reasoning that chunks bring",
    pieces: [
      ROLE,
      ...chunks(10, 20, () => thought(W)),
      ...chunks(10, 20, () => text(W)),
      ...end(20, { reasoning: 10 }),
    ],
    ...{ itlMs: 20, isCertain: true },
  },
  {
    name: "an end token in usage of each chunk",
    pieces: [ROLE, ...chunks(3, 60, (at) => text(W, at + 1)), ...end(4, { afterMs: 60 })],
    ...{ itlMs: 60, isCertain: true },
  },
  {
    name: "an end token in usage at the end",
    pieces: [ROLE, ...chunks(3, 60, () => text(W)), ...end(4, { afterMs: 60 })],
    itlMs: 60,
  },
  {
    name: "an end token in a reply of chunks without content",
    pieces: [
      ROLE,
      ...chunks(40, 30, (at) => text(at % 2 === 1 ? W : "")),
      [30, text("")],
      ...end(21),
    ],
    itlMs: 60,
  },
  {
    name: "a count above the text at the limit of tokens",
    pieces: [ROLE, ...chunks(40, 10, () => text(W)), ...end(41, { finish: "length" })],
    ...{ itlMs: 10, isMet: false, counts: [undefined] },
  },
  {
    name: "a long first chunk and markup at the end, usage in each chunk",
    pieces: [
      ROLE,
      [200, text("one two three four five six seven eight nine ten eleven twelve", 20)],
      ...chunks(10, 20, (at) => text(W, 21 + at)),
      ...end(32, { afterMs: 40 }),
    ],
    ...{ itlMs: 20, isCertain: true },
  },
  {
    name: "a long first chunk and markup at the end, usage at the end",
    pieces: [
      ROLE,
      [200, text("one two three four five six seven eight nine ten eleven twelve")],
      ...chunks(10, 20, () => text(W)),
      ...end(32, { afterMs: 40 }),
    ],
    itlMs: 20,
  },
  {
    name: "a sentence, and its last dot",
    pieces: [
      ROLE,
      [
        50,
        text("The quick brown fox jumps over the lazy dog and then some more text appears here"),
      ],
      [100, text(".")],
      ...end(17),
    ],
    itlMs: 100,
  },
  {
    name: "a word cut in two",
    pieces: [ROLE, [50, text("Hello there, wor")], [100, text("ld")], ...end(5)],
    itlMs: 100,
  },
  {
    name: "what speculation accepts, usage in each chunk",
    pieces: [
      ROLE,
      [50, text(W, 1)],
      ...[[3, 4], [4, 8], [2, 10], [5, 15], [1, 16], [4, 20]].map(([size = 0, count]): Piece => [
        size * 10,
        text(W.repeat(size), count),
      ]),
      ...end(21),
    ],
    ...{ itlMs: 10, isCertain: true },
  },
  {
    name: "what speculation accepts, usage at the end",
    pieces: [
      ROLE,
      [50, text(W)],
      ...[3, 4, 2, 5, 1, 4].map((size): Piece => [size * 10, text(W.repeat(size))]),
      ...end(20, { finish: "length" }),
    ],
    itlMs: 10,
  },
  {
    name: "four tokens a chunk at the limit of tokens",
    pieces: [ROLE, ...chunks(8, 40, () => text(W.repeat(4))), ...end(32, { finish: "length" })],
    itlMs: 10,
  },
  {
    name: "a count of 0 with the first chunk",
    pieces: [ROLE, ...chunks(5, 10, (at) => text(W, at)), ...end(5)],
    ...{ itlMs: 10, isCertain: true },
  },
  {
    name: "a count with the first chunk only",
    pieces: [
      ROLE,
      [50, text(W.repeat(4), 4)],
      ...chunks(8, 30, () => text(W.repeat(3))),
      ...end(29),
    ],
    itlMs: 10,
  },
  {
    name: "counts that fall behind the chunks",
    pieces: [ROLE, ...chunks(10, 10, (at) => text(W, 1 + Math.floor(at / 2))), ...end(10)],
    itlMs: 10,
  },
];

for (const { name, pieces, itlMs, isMet = true, isCertain = false, counts = COUNTS } of CASES) {
  Deno.test(`the time between tokens is right for ${name}`, () => {
    for (const tokenizer of counts) {
      const by = tokenizer?.name ?? "the server";
      const { itlMs: found, rangeMs: [least, most] } = measure(recordOf(pieces, tokenizer));
      if (isMet) assert.ok(Math.abs(found / itlMs - 1) < 1e-9, `${found} by ${by}`);
      assert.ok(least <= itlMs * 1.000001 && itlMs <= most * 1.000001, `${least} to ${most}`);
      assert.ok(least <= found && found <= most);
      if (isCertain && tokenizer === undefined) assert.equal(least, most);
    }
  });
}

Deno.test("a time between tokens never exceeds the longest gap between chunks", () => {
  for (const tokens of [2, 5, 17, 400]) {
    for (const first of ["a", "a b c d e f g h", "x".repeat(300)]) {
      const record = recordOf([
        ROLE,
        [5, text(first)],
        [7, text("b")],
        [9, text("c")],
        ...end(tokens),
      ]);
      const { itlMs, rangeMs } = measure(record);
      assert.ok(itlMs <= 9 && rangeMs[1] <= 9, `${tokens} tokens: ${itlMs}`);
    }
  }
});

Deno.test("the time between tokens leaves out the reasoning of which a summary came", () => {
  const event = (type: string, fields: Record<string, unknown>): Record<string, unknown> => ({
    "type": `response.${type}`,
    "item_id": "i",
    "output_index": 0,
    ...fields,
  });
  const record = recordOf(
    [
      ...chunks(
        10,
        20,
        () => event("reasoning_summary_text.delta", { "summary_index": 0, "delta": W }),
      ),
      ...chunks(30, 20, () => event("output_text.delta", { "content_index": 0, "delta": W })),
      [
        0,
        event("completed", {
          "response": {
            "status": "completed",
            "usage": {
              "input_tokens": 7,
              "output_tokens": 1030,
              "output_tokens_details": { "reasoning_tokens": 1000 },
              "total_tokens": 1037,
            },
          },
        }),
      ],
    ],
    undefined,
    responses,
  );
  assert.equal(measure(record).itlMs, 20);
});

Deno.test("the range of the time between tokens is narrow for long replies", () => {
  const range = (pieces: readonly Piece[]): number => {
    const { rangeMs: [least, most] } = measure(recordOf([ROLE, ...pieces]));
    return most / least;
  };
  const sizes = [1, ...chunks(99, 0, () => ({})).map((_, at) => 1 + at % 5)];
  const tokens = sizes.reduce((sum, size) => sum + size, 0);
  const speculated = sizes.map((size): Piece => [10, text(W.repeat(size))]);
  assert.ok(range([...speculated, ...end(tokens + 1)]) < 1.02);
  assert.ok(range([...chunks(100, 10, () => text(W)), ...end(101)]) < 1.02);
  // Two chunks say next to nothing of how many tokens came with which.
  assert.ok(range([...chunks(2, 10, () => text(W.repeat(10))), ...end(20)]) > 3);
});

Deno.test("several choices share the time between tokens", () => {
  const choice = (index: number, content: string): Record<string, unknown> => ({
    "choices": [{ index, "delta": { content }, "finish_reason": null }],
  });
  const pieces: Piece[] = [];
  for (let at = 0; at < 10; at++) pieces.push([10, choice(0, W)], [10, choice(1, W)]);
  const ends: Piece[] = [0, 1].map((index) => [0, {
    "choices": [{ index, "delta": {}, "finish_reason": "stop" }],
  }]);
  for (const tokens of [20, 22]) {
    const usage: Piece = [0, { "choices": [], ...usageOf(tokens) }];
    const record = recordOf([...pieces, ...ends, usage, [0, "[DONE]"]]);
    const { itlMs, rangeMs: [least, most] } = measure(record);
    assert.equal(itlMs, 20);
    assert.ok(least <= 20 && 20 <= most);
  }
});

Deno.test("FIELDS_OF_COUNT names every field of a record that the count looks at", () => {
  const known = new Set<string>([...FIELDS_OF_COUNT, "stampCount"]);
  const all = new Set<string>([...RECORD_FIELDS, "stampCount", "chunkNs"]);
  for (const { pieces } of CASES) {
    const record = new Proxy(recordOf(pieces), {
      get(target, name) {
        if (all.has(String(name))) assert.ok(known.has(String(name)), String(name));
        return Reflect.get(target, name);
      },
    });
    tokensAfterFirstChunk(record);
  }
  tokensAfterFirstChunk(recordWith({ choices: 2 }));
});
