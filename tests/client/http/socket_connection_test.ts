import assert from "node:assert/strict";
import type { ByteStream } from "../../../src/client/http/open_connection.ts";
import { ReadTurn } from "../../../src/client/http/read_turn.ts";
import {
  type ConnectionOwner,
  SocketConnection,
} from "../../../src/client/http/socket_connection.ts";
import { emptyTrace, type Exchange } from "../../../src/client/http/transport.ts";

const encoder = new TextEncoder();
const HEAD = "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n";

/** A connection whose server is the test, and what was reported of it. */
class Stage implements ConnectionOwner {
  #now = 0;
  #buffer: Uint8Array | undefined;
  #answer: (count: number | null) => void = () => {};
  readonly reports: string[] = [];
  /** Since when reads had left something, in milliseconds, for each piece of a body. */
  readonly piledSinceMs: number[] = [];
  /** Whether what comes next is to be told at once. */
  isAwaited = false;
  readonly #exchange: Exchange;
  readonly connection: SocketConnection;
  /** Each look at the clock takes a millisecond, so that a turn looks at one reply. */
  readonly #turn = new ReadTurn(() => this.#now += 1e6);

  constructor() {
    const stream: ByteStream = {
      read: (buffer) => {
        this.#buffer = buffer;
        return new Promise((resolve) => this.#answer = resolve);
      },
      write: (bytes) => Promise.resolve(bytes.length),
      close() {},
    };
    const cost = { dnsNs: 0, connectingNs: 0, tlsNs: 0 };
    this.connection = new SocketConnection(stream, this, this.#turn, cost);
    // Others' replies, which go first and take the time of these turns.
    this.#turn.stamp();
    for (let i = 0; i < 10; i++) this.#turn.add({ look() {} });
    const reports = this.reports;
    const decoder = new TextDecoder();
    const isAwaited = (): boolean => this.isAwaited;
    this.#exchange = {
      request: {
        origin: { protocol: "http:", hostname: "", port: 0, addresses: [], host: "" },
        method: "GET",
        path: "/",
        headerLines: "",
        body: [],
      },
      trace: emptyTrace(),
      sink: {
        get isAwaited() {
          return isAwaited();
        },
        onSent() {},
        onHead: ({ status }) => reports.push(`head ${status}`),
        onBody: (bytes, start, end) => {
          reports.push(decoder.decode(bytes.subarray(start, end)));
          this.piledSinceMs.push(this.#exchange.trace.piledSinceNs / 1e6);
        },
        onEnd() {},
        onFailure() {},
      },
    };
    this.start();
  }

  /** Sends the request, once more after a reply. */
  start(): void {
    this.connection.start(this.#exchange);
  }

  get trace(): Readonly<Exchange["trace"]> {
    return this.#exchange.trace;
  }

  /** Whether it reads. */
  get isReading(): boolean {
    return this.#buffer !== undefined;
  }

  /** Has the read under way return this, or that the server has closed the connection. */
  async answer(text: string | null): Promise<void> {
    const buffer = this.#buffer as Uint8Array;
    this.#buffer = undefined;
    if (text !== null) buffer.set(encoder.encode(text));
    this.#answer(text === null ? null : text.length);
    // The function that reads on runs after this.
    await Promise.resolve();
  }

  /** Has the read under way return as much as it has room for. */
  async fill(text = ""): Promise<void> {
    await this.answer(text.padEnd(this.#buffer?.length ?? 0, "x"));
  }

  /** The time of the last look at the clock. */
  get nowMs(): number {
    return this.#now / 1e6;
  }

  /** Waits until everything has been looked at whose turn will come. */
  async lookedAt(): Promise<void> {
    this.#turn.stamp();
    await new Promise<void>((resolve) => this.#turn.add({ look: resolve }));
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.lookedAt();
  }

  onReply(_: SocketConnection, __: Exchange, reusable: boolean): void {
    this.reports.push(`reply, ${reusable ? "reusable" : "not reusable"}`);
  }

  onBroken(_: SocketConnection, __: Exchange, kind: string): void {
    this.reports.push(`broken: ${kind}`);
  }

  onIdleEnd(): void {
    this.reports.push("idle end");
  }
}

Deno.test("SocketConnection reads on while what it has read waits", async () => {
  await using stage = new Stage();
  await stage.answer(`${HEAD}3\r\none\r\n`);
  assert.deepEqual([stage.isReading, stage.reports], [true, []]);
  await stage.answer("3\r\ntwo\r\n");
  assert.equal(stage.isReading, true);
  stage.connection.look();
  assert.deepEqual(stage.reports, ["head 200", "one", "two"]);
});

Deno.test("SocketConnection tells at once what somebody waits for, also where the head came before", async () => {
  await using stage = new Stage();
  stage.isAwaited = true;
  await stage.answer(HEAD);
  await stage.lookedAt();
  await stage.answer("3\r\none\r\n");
  await stage.lookedAt();
  assert.deepEqual(stage.reports, ["head 200", "one"]);
  stage.isAwaited = false;
  await stage.answer("3\r\ntwo\r\n");
  await stage.lookedAt();
  assert.deepEqual(stage.reports, ["head 200", "one"], "more is likely to come soon");
});

Deno.test("SocketConnection goes on where it was when it was looked at during a read", async () => {
  await using stage = new Stage();
  await stage.answer(`${HEAD}3\r\none\r\n`);
  stage.connection.look();
  await stage.answer("5\r\nth");
  await stage.answer("ree\r\n0\r\n\r\n");
  stage.connection.look();
  assert.deepEqual(stage.reports, ["head 200", "one", "th", "ree", "reply, reusable"]);
  assert.equal(stage.isReading, true);
});

Deno.test("SocketConnection reports a reply before its server's close, which it saw first", async () => {
  await using stage = new Stage();
  await stage.answer("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok");
  assert.deepEqual(stage.reports, []);
  await stage.answer(null);
  assert.deepEqual(stage.reports, ["head 200", "ok", "reply, reusable", "idle end"]);
});

Deno.test("SocketConnection reports a cut reply with all that came of it", async () => {
  await using stage = new Stage();
  await stage.answer(`${HEAD}3\r\none\r\n`);
  await stage.answer(null);
  assert.deepEqual(stage.reports, ["head 200", "one", "broken: truncated"]);
});

Deno.test("SocketConnection reads on after a reply whose end was found when it was drained", async () => {
  await using stage = new Stage();
  await stage.answer(`${HEAD}3\r\none\r\n0\r\n\r\n`);
  assert.equal(
    stage.isReading,
    false,
    "what ends a reply is looked at before anything else is read",
  );
  stage.connection.drain();
  assert.deepEqual(stage.reports, ["head 200", "one", "reply, reusable"]);
  stage.connection.look();
  assert.equal(stage.isReading, true, "else a close is not noticed, and no further reply arrives");
});

Deno.test("SocketConnection tells since when reads had left something, until one has room to spare", async () => {
  await using stage = new Stage();
  const since: number[] = [];
  /** Looks at what a read brought, which may make room for more. */
  const look = (): void => {
    stage.connection.look();
    since.push(stage.piledSinceMs.at(-1) as number);
  };
  await stage.answer(`${HEAD}10000\r\n`);
  look();
  await stage.fill();
  look();
  await stage.lookedAt();
  const before = stage.nowMs;
  await stage.fill();
  look();
  await stage.answer("x");
  look();
  assert.ok(stage.piledSinceMs.length >= 3);
  const [, first, second, third] = since as [number, number, number, number];
  assert.ok(first <= before, "the first of them");
  assert.deepEqual([second, third], [first, first]);
  await stage.answer("x");
  look();
  assert.ok(since.at(-1) as number > before, "the one before had left nothing");
});

Deno.test("SocketConnection knows that nothing was left where a read waited for turns", async () => {
  await using stage = new Stage();
  await stage.answer(`${HEAD}10000\r\n`);
  stage.connection.look();
  await stage.fill();
  stage.connection.look();
  const leftMs = stage.piledSinceMs.at(-1) as number;
  for (let turn = 0; turn < 4; turn++) await stage.lookedAt();
  const before = stage.nowMs;
  await stage.answer("x");
  stage.connection.look();
  assert.ok(leftMs < before);
  assert.ok(stage.piledSinceMs.at(-1) as number >= before);
});

Deno.test("SocketConnection takes nothing of a reply for left over from the one before", async () => {
  await using stage = new Stage();
  // The last of four reads, for which the buffer grew from 4 to 32 kB, is a large one.
  const left = 4096 + 8192 + 16384 + 20_000;
  await stage.answer(`HTTP/1.1 200 OK\r\nContent-Length: ${left}\r\n\r\n`);
  stage.connection.look();
  for (const size of [4096, 8192, 16384, 20_000]) {
    await stage.answer("x".repeat(size));
    stage.connection.look();
  }
  assert.match(stage.reports.at(-1) ?? "", /^reply/);
  const beforeMs = stage.nowMs;
  assert.ok(stage.piledSinceMs.at(-1) as number <= beforeMs);
  stage.start();
  await stage.answer(`${HEAD}1\r\ny\r\n`);
  stage.connection.look();
  assert.ok(stage.piledSinceMs.at(-1) as number > beforeMs);
});

Deno.test("SocketConnection does not tell of a compressed reply how long it may have lain unread", async () => {
  await using stage = new Stage();
  const head = "HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\nContent-Length: 9\r\n\r\n";
  await stage.answer(head);
  stage.connection.look();
  assert.ok(stage.trace.piledSinceNs > 0, "of its head it does");
  for (let turn = 0; turn < 4; turn++) await stage.lookedAt();
  await stage.answer("\x1f");
  stage.connection.look();
  assert.deepEqual([stage.trace.piledSinceNs, stage.trace.unreadSinceNs], [NaN, NaN]);
});
