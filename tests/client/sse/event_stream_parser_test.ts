import { createParser } from "eventsource-parser";
import fc from "fast-check";
import assert from "node:assert/strict";
import { EventScanner } from "../../../src/client/sse/event_scanner.ts";
import { EventStreamParser, type StreamItem } from "../../../src/client/sse/event_stream_parser.ts";
import { bytesFromBase64, cutAt, everyCut, readFixture } from "../../support/fixtures.ts";

interface SpecCase {
  readonly "name": string;
  readonly "input_b64"?: string;
  readonly "events": readonly { type: string; data: string }[] | string;
  readonly "eof_extra": readonly { type: string; data: string }[];
  readonly "comments": number | null;
}

const { spec } = readFixture<{ spec: readonly SpecCase[] }>("sse/cases.json");
const encoder = new TextEncoder();

function inputOf(testCase: SpecCase): Uint8Array {
  if (testCase.input_b64 !== undefined) return bytesFromBase64(testCase.input_b64);
  return encoder.encode(Array.from({ length: 5000 }, (_, i) => `data: ${i}\n\n`).join(""));
}

function eventsOf(testCase: SpecCase): { type: string; data: string }[] {
  if (typeof testCase.events !== "string") return [...testCase.events];
  return Array.from({ length: 5000 }, (_, i) => ({ type: "message", data: String(i) }));
}

function parse(pieces: readonly Uint8Array[]): { pushed: StreamItem[]; ended: StreamItem[] } {
  const parser = new EventStreamParser();
  const pushed = pieces.flatMap((piece) => parser.push(piece));
  return { pushed, ended: parser.end() };
}

function typesAndData(items: readonly StreamItem[]): { type: string; data: string }[] {
  return items.flatMap((item) =>
    item.kind === "event" ? [{ type: item.event, data: item.data }] : []
  );
}

for (const testCase of spec) {
  Deno.test(`EventStreamParser follows the rules: ${testCase.name}, however it is cut`, () => {
    const bytes = inputOf(testCase);
    const expected = eventsOf(testCase);
    let cuts = 0;
    for (const places of everyCut(bytes)) {
      if (++cuts > 300) break;
      const { pushed, ended } = parse(cutAt(bytes, places));
      assert.deepEqual(typesAndData(pushed), expected);
      assert.deepEqual(typesAndData(ended), testCase.eof_extra);
      const comments = [...pushed, ...ended].filter(({ kind }) => kind === "comment").length;
      if (testCase.comments !== null) assert.equal(comments, testCase.comments);
      for (const item of ended) if (item.kind === "event") assert.equal(item.unfinished, true);
    }
  });
}

Deno.test("EventStreamParser gives each event the last id seen up to it", () => {
  const { pushed } = parse([encoder.encode("data: a\n\nid: 7\ndata: b\n\ndata: c\n\n")]);
  assert.deepEqual(
    pushed.map((item) => item.kind === "event" ? item.lastEventId : "-"),
    ["", "7", "7"],
  );
});

/** Pieces of streams, the odd ones more often than nature has them. */
const line = fc.oneof(
  fc.constantFrom("data: x", "data:", "data", ": c", "", "event: e", "id: 1", "retry: 5", "da"),
  fc.string({ maxLength: 8 }).map((text) => `data: ${text.replace(/[\r\n]/g, "")}`),
  fc.string({ maxLength: 8 }).map((text) => text.replace(/[\r\n]/g, "")),
);
const stream = fc.array(fc.tuple(line, fc.constantFrom("\n", "\r\n", "\n\n", "\r\r")), {
  maxLength: 20,
}).map((lines) => lines.map(([text, end]) => text + end).join(""));

Deno.test("EventStreamParser gives the same items however the bytes are cut", () => {
  fc.assert(
    fc.property(stream, fc.array(fc.nat(400)), (text, places) => {
      const bytes = encoder.encode(text);
      const cuts = [...new Set(places.map((place) => place % (bytes.length + 1)))].sort((a, b) =>
        a - b
      );
      const whole = parse([bytes]);
      const cut = parse(cutAt(bytes, cuts));
      assert.deepEqual([...cut.pushed, ...cut.ended], [...whole.pushed, ...whole.ended]);
    }),
    { numRuns: 500 },
  );
});

Deno.test("EventStreamParser agrees with eventsource-parser on streams with LF line ends", () => {
  fc.assert(
    fc.property(stream, (text) => {
      // That parser differs by design: it drops a BOM later, and reads CR only before LF.
      const plain = text.replace(/\r\n?/g, "\n").replace(/\ufeff/g, "");
      const theirs: { type: string; data: string }[] = [];
      const parser = createParser({
        onEvent: ({ event, data }) => theirs.push({ type: event ?? "message", data }),
      });
      parser.feed(plain);
      assert.deepEqual(typesAndData(parse([encoder.encode(plain)]).pushed), theirs);
    }),
    { numRuns: 500 },
  );
});

Deno.test("EventScanner refuses a line and an event longer than allowed", () => {
  const sink = {
    onEvent() {},
    onComment() {},
    onIgnoredLine() {},
    onEventWithoutData() {},
    consumeKnownEvent: () => 0,
  };
  const push = (text: string, cut: boolean) => {
    const scanner = new EventScanner(sink, { maxEventBytes: 20 });
    const bytes = encoder.encode(text);
    for (const piece of cut ? cutAt(bytes, [5, 15, 25]) : [bytes]) {
      scanner.push(piece, 0, piece.length);
    }
  };
  const tooLong = /longer than 20 bytes/;
  for (const cut of [false, true]) {
    push("data: 123456789\n\n", cut);
    assert.throws(() => push(`data: ${"1".repeat(30)}\n\n`, cut), tooLong);
    assert.throws(() => push("data: 123456789\n".repeat(3) + "\n", cut), tooLong);
  }
});
