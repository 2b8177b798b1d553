import assert from "node:assert/strict";
import { pause, SYSTEM_TIMERS } from "../../../src/core/thread/timers.ts";
import {
  CANARY_CERTIFICATE,
  CANARY_ISSUER,
} from "../../../src/measurement/canary/canary_certificate.ts";
import { CANARY_KIND } from "../../../src/measurement/canary/canary_kind.ts";
import {
  ASKING_CONNECTIONS,
  CANARY_CONNECTIONS,
  type CanaryConnection,
  CanaryServer,
} from "../../../src/measurement/canary/canary_server.ts";

const encoder = new TextEncoder();
const decoder = new TextDecoder();

async function exchange(connection: Deno.Conn, path: string): Promise<string> {
  await connection.write(encoder.encode(`GET ${path} HTTP/1.1\r\nHost: x\r\n\r\n`));
  return await nextText(connection);
}

async function nextText(connection: Deno.Conn): Promise<string> {
  const buffer = new Uint8Array(1000);
  const count = await connection.read(buffer);
  return count === null ? "closed" : decoder.decode(buffer.subarray(0, count));
}

function listen(): { server: CanaryServer; listener: Deno.TcpListener; port: number } {
  const listener = Deno.listen({ hostname: "127.0.0.1", port: 0 });
  const server = new CanaryServer(2, "/token");
  server.accept(listener);
  return { server, listener, port: listener.addr.port };
}

Deno.test("CanaryServer writes to the worker that a canary is for, on its connections in turn", async () => {
  const { server, listener, port } = listen();
  const connect = () => Deno.connect({ hostname: "127.0.0.1", port });
  const [first, second, other] = [await connect(), await connect(), await connect()];
  assert.match(await exchange(first, "/token/1"), /^HTTP\/1\.1 200 OK\r\n/);
  assert.match(await exchange(second, "/token/1"), /200 OK/);
  assert.match(await exchange(other, "/token/0"), /200 OK/);
  server.write(1, 2, 5, () => 6);
  server.write(1, 2, 7, () => 8);
  for (const connection of [first, second]) assert.match(await nextText(connection), /^18\r\n/);
  for (const connection of [first, second, other]) connection.close();
  listener.close();
});

Deno.test("CanaryServer turns away who does not know the token, and names no worker", async () => {
  const { server, listener, port } = listen();
  for (const path of ["/", "/token", "/token/2", "/token/-1", "/token/x", "/other/0"]) {
    const connection = await Deno.connect({ hostname: "127.0.0.1", port });
    assert.equal(await exchange(connection, path), "closed", path);
    connection.close();
  }
  const talker = await Deno.connect({ hostname: "127.0.0.1", port });
  await talker.write(new Uint8Array(5000));
  // Closed, with or without a reset: what it said was not read to the end.
  await talker.read(new Uint8Array(10)).catch(() => null);
  talker.close();
  assert.equal(server.isComplete, false);
  listener.close();
});

for (
  const [isAsked, perWorker] of [
    [false, CANARY_CONNECTIONS],
    [true, CANARY_CONNECTIONS + ASKING_CONNECTIONS],
  ] as const
) {
  const how = isAsked ? "that ask and read streams" : "that read streams";
  Deno.test(`CanaryServer takes the connections of all load workers ${how} at once, and few strangers`, async () => {
    const workers = 40;
    const server = new CanaryServer(workers, "/token", isAsked);
    const own = workers * perWorker;
    let closed = 0;
    const connections = Array.from({ length: own + 100 }, () => ({
      // None has said yet who it is.
      read: () => new Promise<number | null>(() => {}),
      write: (bytes: Uint8Array) => Promise.resolve(bytes.length),
      close: () => void closed++,
    }));
    await server.accept((async function* () {
      yield* connections;
    })());
    assert.equal(closed, 36);
  });
}

Deno.test("the canaries' certificate proves 127.0.0.1 to who trusts its issuer alone", async () => {
  const listener = Deno.listenTls({ hostname: "127.0.0.1", port: 0, ...CANARY_CERTIFICATE });
  const server = new CanaryServer(1, "/token");
  server.accept(listener);
  const connection = await Deno.connectTls({
    hostname: "127.0.0.1",
    port: listener.addr.port,
    caCerts: [CANARY_ISSUER],
  });
  assert.match(await exchange(connection, "/token/0"), /200 OK/);
  connection.close();
  listener.close();
});

/** A connection of worker 0 that counts what is written. */
function countingConnection(extra: Partial<CanaryConnection>, path = "/token/0") {
  const request = encoder.encode(`GET ${path} HTTP/1.1\r\n\r\n`);
  let isAsked = false;
  const written: Uint8Array[] = [];
  const connection: CanaryConnection = {
    read(buffer) {
      if (isAsked) return new Promise(() => {});
      isAsked = true;
      buffer.set(request);
      return Promise.resolve(request.length);
    },
    write(bytes) {
      written.push(bytes);
      return Promise.resolve(bytes.length);
    },
    close() {},
    ...extra,
  };
  return { connection, written };
}

Deno.test("CanaryServer writes to no connection that its worker has closed", async () => {
  const server = new CanaryServer(1, "/token");
  const request = encoder.encode("GET /token/0 HTTP/1.1\r\n\r\n");
  let isAsked = false;
  const ended = countingConnection({
    setNoDelay() {},
    read(buffer) {
      if (isAsked) return Promise.resolve(null);
      isAsked = true;
      buffer.set(request);
      return Promise.resolve(request.length);
    },
  });
  const open = countingConnection({ setNoDelay() {} });
  await server.serve(ended.connection);
  server.serve(open.connection);
  while (open.written.length < 1) await Promise.resolve();
  await Promise.resolve();
  for (let number = 0; number < 3; number++) server.write(0, 0, 0, () => 0);
  assert.equal(ended.written.length, 1, "the head alone");
  assert.equal(open.written.length, 4);
});

Deno.test("CanaryServer tells a connection to hold nothing back, where it can", async () => {
  const server = new CanaryServer(1, "/token");
  const told: boolean[] = [];
  const { connection, written } = countingConnection({ setNoDelay: (is) => void told.push(is) });
  server.serve(connection);
  while (written.length < 1) await Promise.resolve();
  await Promise.resolve();
  server.write(0, 0, 0, () => 0);
  assert.deepEqual(told, [true]);
  assert.equal(written.length, 2);
});

Deno.test("CanaryServer writes nothing on a TLS connection before its peer acknowledges at once", async () => {
  const server = new CanaryServer(1, "/token");
  const { connection, written } = countingConnection({});
  server.serve(connection);
  while (written.length < 1) await Promise.resolve();
  await Promise.resolve();
  const startMs = performance.now();
  server.write(0, 0, 0, () => 0);
  assert.equal(written.length, 1, "the head alone");
  while (written.length < 2 && performance.now() - startMs < 5000) server.write(0, 0, 0, () => 0);
  assert.equal(written.length, 2);
  assert.ok(performance.now() - startMs > 40);
});

/** Whether a promise has settled by now, or soon. */
async function isSettled(promise: Promise<unknown>): Promise<boolean> {
  let settled = false;
  void promise.then(() => settled = true);
  await pause(SYSTEM_TIMERS, 0);
  return settled;
}

/** Serves a connection that says one thing, and then waits for its end. */
function serveWaiting(server: CanaryServer, path: string, more: Partial<CanaryConnection>): void {
  let hasAsked = false;
  server.serve({
    read(buffer) {
      if (hasAsked) return new Promise(() => {});
      hasAsked = true;
      const request = encoder.encode(`GET ${path} HTTP/1.1\r\n\r\n`);
      buffer.set(request);
      return Promise.resolve(request.length);
    },
    write: (bytes) => Promise.resolve(bytes.length),
    close() {},
    ...more,
  });
}

Deno.test("CanaryServer is ready once all workers have all connections, those that ask too", async () => {
  const server = new CanaryServer(2, "/token", true);
  const plain = { setNoDelay() {} };
  const connect = (path: string, count: number) => {
    for (let i = 0; i < count; i++) serveWaiting(server, `/token/${path}`, plain);
  };
  connect("0", CANARY_CONNECTIONS);
  connect("1", CANARY_CONNECTIONS);
  connect("0/first", ASKING_CONNECTIONS);
  connect("1/first", ASKING_CONNECTIONS - 1);
  assert.equal(await isSettled(server.ready), false);
  connect("1/first", 1);
  assert.equal(await isSettled(server.ready), true);
});

Deno.test("CanaryServer is ready over TLS when its peers acknowledge at once", async () => {
  const server = new CanaryServer(1, "/token");
  const startMs = performance.now();
  for (let i = 0; i < CANARY_CONNECTIONS; i++) serveWaiting(server, "/token/0", {});
  while (!server.isComplete) await Promise.resolve();
  await server.ready;
  assert.ok(performance.now() - startMs > 40);
});

Deno.test("CanaryServer answers who asks for canaries of first chunks, each once, and streams the others", async () => {
  const { server, listener, port } = listen();
  const stream = await Deno.connect({ hostname: "127.0.0.1", port });
  assert.match(await exchange(stream, "/token/1"), /200 OK/);
  const asking = await Deno.connect({ hostname: "127.0.0.1", port });
  const { first, last } = CANARY_KIND;
  for (let round = 0; round < 2; round++) {
    const answer = exchange(asking, "/token/1/first");
    // Nobody waits before the request was read: then the canary goes to the stream.
    let isAnswered = false;
    answer.then(() => isAnswered = true);
    server.write(1, last, 5, () => 6);
    assert.match(await nextText(stream), /^18\r\n/);
    while (!isAnswered) {
      server.write(1, first, 5, () => 6);
      await pause(SYSTEM_TIMERS, 0);
    }
    assert.match(await answer, /^HTTP\/1\.1 200 OK\r\n[^]*\r\n0\r\n\r\n$/);
    server.write(1, first, 7, () => 8);
    assert.match(await nextText(stream), /^18\r\n/, "nobody asks now");
  }
  for (const connection of [stream, asking]) connection.close();
  listener.close();
});

Deno.test("CanaryServer answers who asks for any canary with one of any kind", async () => {
  const { server, listener, port } = listen();
  const asking = await Deno.connect({ hostname: "127.0.0.1", port });
  for (const kind of [CANARY_KIND.poisson, CANARY_KIND.last]) {
    let isAnswered = false;
    const answer = exchange(asking, "/token/0/any").finally(() => isAnswered = true);
    while (!isAnswered) {
      server.write(0, kind, 5, () => 6);
      await pause(SYSTEM_TIMERS, 0);
    }
    assert.match(await answer, /\r\n0\r\n\r\n$/);
  }
  const stranger = await Deno.connect({ hostname: "127.0.0.1", port });
  assert.equal(await exchange(stranger, "/token/0/other"), "closed");
  for (const connection of [asking, stranger]) connection.close();
  listener.close();
});

Deno.test("CanaryServer keeps who asks for canaries of first chunks waiting for one", async () => {
  const server = new CanaryServer(1, "/token", true);
  const stream = countingConnection({ setNoDelay() {} });
  const asking = countingConnection({ setNoDelay() {} }, "/token/0/first");
  server.serve(asking.connection);
  server.serve(stream.connection);
  while (stream.written.length < 1) await Promise.resolve();
  await Promise.resolve();
  const written = () => [stream.written.length, asking.written.length];
  server.write(0, CANARY_KIND.last, 0, () => 0);
  assert.deepEqual(written(), [2, 0]);
  server.write(0, CANARY_KIND.first, 0, () => 0);
  assert.deepEqual(written(), [2, 1]);
  server.write(0, CANARY_KIND.first, 0, () => 0);
  assert.deepEqual(written(), [3, 1], "it has not asked again");
});
