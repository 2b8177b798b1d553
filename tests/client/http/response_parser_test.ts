import assert from "node:assert/strict";
import { KnownHead } from "../../../src/client/http/known_head.ts";
import { ProtocolError } from "../../../src/client/http/protocol_error.ts";
import {
  MAX_CHUNK_LINE_BYTES,
  MAX_HEAD_BYTES,
  ResponseParser,
} from "../../../src/client/http/response_parser.ts";
import { cutAt, everyCut, readFixture } from "../../support/fixtures.ts";

interface ReplyCase {
  readonly name: string;
  readonly bytes: string;
}

interface Replies {
  readonly accept: readonly (ReplyCase & {
    readonly status: number;
    readonly body: string;
    readonly closed?: boolean;
    readonly reuse: boolean;
  })[];
  readonly reject: readonly (ReplyCase & { readonly error: string })[];
  readonly cut: readonly ReplyCase[];
}

const replies = readFixture<Replies>("http/replies.json");
const encoder = new TextEncoder();

/** What a parser reports of some pieces. */
class Reading {
  status = 0;
  headers: readonly (readonly [string, string])[] = [];
  body = "";
  ended = 0;
  readonly parser: ResponseParser;

  constructor(known?: KnownHead) {
    this.parser = new ResponseParser({
      onHead: ({ status, headers }) => {
        this.status = status;
        this.headers = headers;
      },
      onBody: (bytes, start, end) => {
        this.body += new TextDecoder().decode(bytes.subarray(start, end));
      },
      onEnd: () => {
        this.ended++;
      },
    }, known);
  }

  /** Pushes pieces; returns how many bytes were taken. */
  push(pieces: readonly Uint8Array[]): number {
    let taken = 0;
    for (const piece of pieces) {
      const stop = this.parser.push(piece, 0, piece.length);
      taken += stop;
      if (stop < piece.length) break;
    }
    return taken;
  }
}

function reading(pieces: readonly Uint8Array[], known?: KnownHead): Reading {
  const read = new Reading(known);
  read.parser.expect();
  read.push(pieces);
  return read;
}

for (const testCase of replies.accept) {
  Deno.test(`ResponseParser accepts ${testCase.name}, however it is cut`, () => {
    const bytes = encoder.encode(testCase.bytes);
    for (const places of everyCut(bytes)) {
      const read = reading(cutAt(bytes, places));
      if (testCase.closed) {
        assert.equal(read.ended, 0);
        assert.equal(read.parser.close(), true);
      }
      assert.equal(read.status, testCase.status);
      assert.equal(read.body, testCase.body);
      assert.equal(read.ended, 1);
      assert.equal(read.parser.keepAlive, testCase.reuse);
    }
  });
}

Deno.test("ResponseParser reads a head that another reply had like one that is new", () => {
  const parts = ({ status, headers, body, ended, parser }: Reading) => [
    ...[status, headers, body, ended, parser.keepAlive, parser.inChunks],
  ];
  const known = new KnownHead();
  const date = "HTTP/1.1 200 OK\r\nDate: now\r\nContent-Length: 1\r\n\r\na";
  const others = [date.replace("now", "new"), date.replace(": 1", ": 2") + "a", date.slice(0, -1)];
  for (const bytes of [...replies.accept.map(({ bytes }) => bytes), date, ...others]) {
    const piece = encoder.encode(bytes);
    const expected = parts(reading([piece]));
    // The first one is read, and may be mistaken for the one before; the second one is known.
    assert.deepEqual(parts(reading([piece], known)), expected, bytes);
    assert.deepEqual(parts(reading([piece], known)), expected, bytes);
    assert.deepEqual(parts(reading(cutAt(piece, [20]), known)), expected, bytes);
  }
});

for (const testCase of replies.reject) {
  Deno.test(`ResponseParser rejects ${testCase.name}, however it is cut`, () => {
    const bytes = encoder.encode(testCase.bytes);
    for (const places of everyCut(bytes)) {
      assert.throws(() => reading(cutAt(bytes, places)), (error) => {
        assert.ok(error instanceof ProtocolError);
        assert.ok(error.message.includes(testCase.error), error.message);
        return true;
      });
    }
  });
}

for (const testCase of replies.cut) {
  Deno.test(`ResponseParser knows that a reply is not complete: ${testCase.name}`, () => {
    const bytes = encoder.encode(testCase.bytes);
    for (const places of everyCut(bytes)) {
      const read = reading(bytes.length === 0 ? [] : cutAt(bytes, places));
      assert.equal(read.ended, 0);
      assert.equal(read.parser.close(), false);
      assert.equal(read.parser.keepAlive, false);
    }
  });
}

Deno.test("ResponseParser stops at the end of a reply and leaves what follows", () => {
  const reply = "HTTP/1.1 200 OK\r\nContent-Length: 1\r\n\r\na";
  const read = new Reading();
  read.parser.expect();
  const bytes = encoder.encode(`${reply}${reply}`);
  assert.equal(read.parser.push(bytes, 0, bytes.length), reply.length);
  assert.equal(read.ended, 1);
  // Nothing is expected any more, so nothing is taken.
  assert.equal(read.parser.push(bytes, reply.length, bytes.length), reply.length);
  read.parser.expect();
  assert.equal(read.parser.push(bytes, reply.length, bytes.length), bytes.length);
  assert.equal(read.ended, 2);
});

Deno.test("ResponseParser gives header names in lower case and keeps their order", () => {
  const { headers } = reading([
    encoder.encode(
      "HTTP/1.1 200 OK\r\nSet-Cookie: a\r\nX-B: 1\r\nset-cookie: b\r\nContent-Length: 0\r\n\r\n",
    ),
  ]);
  assert.deepEqual(headers, [
    ["set-cookie", "a"],
    ["x-b", "1"],
    ["set-cookie", "b"],
    ["content-length", "0"],
  ]);
});

Deno.test("ResponseParser limits head, chunk lines and trailers", () => {
  const chunked = "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n";
  const long = (length: number) => "x".repeat(length + 10);
  for (
    const [text, limit] of [
      [`HTTP/1.1 200 OK\r\nX-A: ${long(MAX_HEAD_BYTES)}`, "Head of the reply"],
      [`HTTP/1.1 200 OK\r\n${"X-A: 1\r\n".repeat(MAX_HEAD_BYTES / 4)}`, "Head of the reply"],
      [`${chunked}1;${long(MAX_CHUNK_LINE_BYTES)}`, "Chunk size line"],
      [`${chunked}0\r\n${"X-A: 1\r\n".repeat(MAX_HEAD_BYTES / 4)}`, "Trailer"],
    ] as const
  ) {
    const bytes = encoder.encode(text);
    assert.throws(() => reading([bytes]), new RegExp(`${limit} is longer than`));
    assert.throws(() => reading([...cutEvery(bytes, 1000)]), new RegExp(`${limit} is longer than`));
  }
});

Deno.test("ResponseParser finds the end of a long head when the body came with the same read", () => {
  const body = "b".repeat(5000);
  for (const padding of [0, 900, 1000, 1010, 1024, 2500, 60_000]) {
    const head = `HTTP/1.1 200 OK\r\nX-A: ${"x".repeat(padding)}\r\nContent-Length: 5000\r\n\r\n`;
    const bytes = encoder.encode(head + body);
    const { status, headers, body: read, ended } = reading([bytes]);
    assert.deepEqual(
      { status, length: headers[0]?.[1].length, read, ended },
      { status: 200, length: padding, read: body, ended: 1 },
      `${padding}`,
    );
  }
});

function* cutEvery(bytes: Uint8Array, size: number): Generator<Uint8Array> {
  for (let start = 0; start < bytes.length; start += size) {
    yield bytes.subarray(start, Math.min(bytes.length, start + size));
  }
}
