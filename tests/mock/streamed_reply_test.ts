/** A reply's schedule, with a clock that is as late as the test wants it. */

import assert from "node:assert/strict";
import { chat } from "../../src/client/endpoint/openai/chat.ts";
import type {
  ScriptedReply,
  StreamWriter,
} from "../../src/client/endpoint/protocol/reply_writer.ts";
import { streamFrames } from "../../src/mock/reply_frames.ts";
import { replyPieces } from "../../src/mock/reply_pieces.ts";
import { StreamedReply } from "../../src/mock/streamed_reply.ts";

const WRITER = chat.writer.stream as StreamWriter;
const REPLY: ScriptedReply = {
  id: "0",
  createdSeconds: 1_763_600_000,
  model: "Zürich 🚀",
  promptTokens: 3,
  pieces: replyPieces({ outputTokens: 6, reasoningTokens: 0, tokensPerChunk: 1, choices: 1 }),
  finishReason: "length",
  includeUsage: true,
  usageInChunks: false,
  results: 1,
};

/** A connection that takes so many bytes at a time and keeps what it was given. */
class KeptConnection {
  readonly #most: number;
  readonly writes: Uint8Array[] = [];

  constructor(most = Infinity) {
    this.#most = most;
  }

  async write(bytes: Uint8Array): Promise<number> {
    await Promise.resolve();
    const taken = bytes.slice(0, this.#most);
    this.writes.push(taken);
    return taken.length;
  }

  get text(): string {
    const all = this.writes.flatMap((bytes) => [...bytes]);
    return new TextDecoder().decode(Uint8Array.from(all));
  }
}

function sendTo(connection: KeptConnection, delaysMs: readonly number[], late = (_: number) => 0) {
  const dueMs: number[] = [];
  const chunks: number[] = [];
  const frames = streamFrames(WRITER, REPLY);
  const reply = new StreamedReply(connection as unknown as Deno.Conn, frames, {
    clock: {
      at(due, ring) {
        const number = dueMs.push(due) - 1;
        // Later alarms first become known when earlier ones have rung.
        const turns = 1 + late(number);
        (async () => {
          for (let turn = 0; turn < turns; turn++) await Promise.resolve();
          ring();
        })();
      },
    },
    startMs: 1000,
    delaysMs,
    fault: undefined,
    writer: WRITER,
    onChunk: (index) => chunks.push(index),
  });
  return {
    reply,
    sent: reply.send(),
    dueMs,
    chunks,
    whole: new TextDecoder().decode(frames.bytes),
  };
}

Deno.test("StreamedReply keeps to its schedule however late its clock was", async () => {
  const delays = [50, 5, 5, 7, 0, 5];
  for (const late of [() => 0, () => 40, (number: number) => number === 1 ? 200 : 0]) {
    const connection = new KeptConnection();
    const { sent, dueMs, chunks, whole } = sendTo(connection, delays, late);
    assert.equal(await sent, true);
    assert.deepEqual(dueMs, [1050, 1055, 1060, 1067, 1067, 1072]);
    assert.deepEqual(chunks, [0, 1, 2, 3, 4, 5]);
    assert.equal(connection.text, whole);
  }
});

Deno.test("StreamedReply writes every byte to a connection that takes a few at a time", async () => {
  for (const delays of [[0, 0, 0, 0, 0, 0], [1, 1, 1, 1, 1, 1]]) {
    const connection = new KeptConnection(7);
    const { sent, whole } = sendTo(connection, delays);
    assert.equal(await sent, true);
    assert.equal(connection.text, whole);
  }
});

Deno.test("StreamedReply writes each chunk by itself while its reader keeps up", async () => {
  const connection = new KeptConnection();
  const { sent } = sendTo(connection, [1, 1, 1, 1, 1, 1], () => 20);
  await sent;
  const { chunkEnds } = streamFrames(WRITER, REPLY);
  let length = 0;
  const ends = connection.writes.map((bytes) => length += bytes.length);
  assert.deepEqual(ends.slice(0, chunkEnds.length), chunkEnds);
});

Deno.test("StreamedReply without delays does not ask its clock", async () => {
  const connection = new KeptConnection();
  const { sent, dueMs, chunks } = sendTo(connection, [0, 0, 0, 0, 0, 0]);
  assert.equal(await sent, true);
  assert.deepEqual(dueMs, []);
  assert.equal(chunks.length, 6);
  assert.ok(connection.writes.length <= 2, "one burst and the end");
});

Deno.test("StreamedReply notes the write that took the last byte of each chunk", async () => {
  for (const delays of [[0, 0, 0, 0, 0, 0], [1, 1, 1, 1, 1, 1]]) {
    const atMs: number[] = [];
    const connection = new KeptConnection(7);
    const write = connection.write.bind(connection);
    connection.write = (bytes) => {
      atMs.push(performance.now());
      return write(bytes);
    };
    const { sent, reply } = sendTo(connection, delays);
    await sent;
    const { chunkEnds } = streamFrames(WRITER, REPLY);
    assert.equal(reply.sentMs.length, chunkEnds.length);
    let length = 0;
    const writeEnds = connection.writes.map((bytes) => length += bytes.length);
    chunkEnds.forEach((end, chunk) => {
      const last = writeEnds.findIndex((writeEnd) => writeEnd >= end);
      const sentMs = reply.sentMs[chunk] as number;
      assert.ok(sentMs <= (atMs[last] as number), `chunk ${chunk} is noted after its write`);
      assert.ok(sentMs >= (atMs[last - 1] as number), `chunk ${chunk} is noted too early`);
    });
  }
});

Deno.test("StreamedReply does not note what could not be written", async () => {
  const connection = new KeptConnection();
  const write = connection.write.bind(connection);
  connection.write = (bytes) => {
    if (connection.writes.length === 2) throw new Deno.errors.BrokenPipe();
    return write(bytes);
  };
  const { sent, reply } = sendTo(connection, [1, 1, 1, 1, 1, 1]);
  await assert.rejects(sent, Deno.errors.BrokenPipe);
  const written = connection.writes.reduce((sum, bytes) => sum + bytes.length, 0);
  const { chunkEnds } = streamFrames(WRITER, REPLY);
  assert.ok(written > 0);
  assert.equal(reply.sentMs.length, chunkEnds.filter((end) => end <= written).length);
});

Deno.test("StreamedReply without delays sends the end with the content", async () => {
  const connection = new KeptConnection();
  await sendTo(connection, [0, 0, 0, 0, 0, 0]).sent;
  assert.equal(connection.writes.length, 1);
});
