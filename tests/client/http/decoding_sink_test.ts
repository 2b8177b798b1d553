import assert from "node:assert/strict";
import { createBrotliCompress, createDeflate, createGzip } from "node:zlib";
import { DecodingSink } from "../../../src/client/http/decoding_sink.ts";
import type { ReplySink } from "../../../src/client/http/transport.ts";

const HEAD = { status: 200, reason: "", headers: [] } as unknown as Parameters<
  ReplySink["onHead"]
>[0];

/** Each text compressed such that it comes out of what was sent up to it. */
async function flushed(
  packer: ReturnType<typeof createGzip>,
  texts: readonly string[],
): Promise<Uint8Array[]> {
  const bytes: number[] = [];
  packer.on("data", (piece: Uint8Array) => bytes.push(...piece));
  const pieces: Uint8Array[] = [];
  const taken = () => pieces.push(Uint8Array.from(bytes.splice(0)));
  for (const text of texts) {
    packer.write(text);
    await new Promise<void>((resolve) => packer.flush(resolve));
    taken();
  }
  await new Promise<void>((resolve) => packer.once("end", resolve).end());
  taken();
  return pieces;
}

const TEXTS = Array.from({ length: 30 }, (_, i) => `data: ${"x".repeat(i * 500)}\n\n`);

for (
  const [encoding, packer] of [
    ["gzip", createGzip],
    ["deflate", createDeflate],
    ["br", createBrotliCompress],
  ] as const
) {
  Deno.test(`DecodingSink gives what comes out of ${encoding} the stamp of what went in`, async () => {
    const pieces = await flushed(packer(), TEXTS);
    const texts = new Map<number, string>();
    const ended = Promise.withResolvers<number>();
    const decoder = new TextDecoder();
    const sink = new DecodingSink({
      onSent() {},
      onHead() {},
      onBody(bytes, start, end, stampNs) {
        const text = decoder.decode(bytes.subarray(start, end));
        texts.set(stampNs, (texts.get(stampNs) ?? "") + text);
      },
      onEnd: (stampNs) => ended.resolve(stampNs),
      onFailure: (_kind, message) => ended.reject(new Error(message)),
    }, encoding);
    sink.onHead(HEAD, 0);
    // Reads that were looked at together.
    pieces.forEach((piece, index) => sink.onBody(piece, 0, piece.length, index + 1));
    sink.onEnd(99);
    assert.equal(await ended.promise, 99);
    assert.deepEqual([...texts], TEXTS.map((text, index) => [index + 1, text]));
  });
}

Deno.test("DecodingSink reports nothing once it is cancelled, and fails half a body once", async () => {
  const [first] = await flushed(createGzip(), TEXTS) as [Uint8Array];
  const reported: string[] = [];
  const failed = Promise.withResolvers<void>();
  const inner: ReplySink = {
    onSent() {},
    onHead() {},
    onBody: () => reported.push("body"),
    onEnd: () => reported.push("end"),
    onFailure: (kind) => {
      reported.push(kind);
      failed.resolve();
    },
  };
  const cancelled = new DecodingSink(inner, "gzip");
  cancelled.onHead(HEAD, 0);
  cancelled.onBody(first, 0, first.length, 1);
  cancelled.cancel();
  cancelled.onEnd(2);
  const half = new DecodingSink(inner, "gzip");
  half.onHead(HEAD, 0);
  half.onBody(first, 0, first.length, 1);
  half.onEnd(2);
  await failed.promise;
  assert.deepEqual(reported, ["body", "protocol"]);
});

Deno.test("DecodingSink lets go of the decoder of a reply that was given up before it had one", async () => {
  const told = () => assert.fail("told of a reply that was given up");
  const inner = { onSent() {}, onHead() {}, onBody: told, onEnd: told, onFailure: told };
  const letGo = Promise.withResolvers<void>();
  const { DecompressionStream: real } = globalThis;
  globalThis.DecompressionStream = class {
    readonly readable = new ReadableStream({ cancel: () => letGo.resolve() });
    readonly writable = new WritableStream();
  } as typeof real;
  try {
    const sink = new DecodingSink(inner, "gzip");
    sink.onHead(HEAD, 0);
    sink.cancel();
    await letGo.promise;
  } finally {
    globalThis.DecompressionStream = real;
  }
});
