import assert from "node:assert/strict";
import { SYSTEM_TIMERS } from "../../../src/core/thread/timers.ts";
import { LiveServer } from "../../../src/report/live/live_server.ts";
import { PatientTimers } from "../../support/barriers.ts";
import { exchangeOnce, RawConnection } from "../../support/raw_connection.ts";

const ALLOWED = { "Authorization": "Bearer right" };

function answer(request: Request): Response {
  const isAllowed = request.headers.get("Authorization") === ALLOWED.Authorization;
  const { pathname, search } = new URL(request.url);
  return isAllowed
    ? new Response(`${request.method} ${pathname}${search} ü`, { headers: { "X-Of": "live" } })
    : new Response("no", { status: 401 });
}

/** A server at a free port; long limits end when the test says so. */
async function withServer(
  test: (port: number, timers: PatientTimers, server: LiveServer) => Promise<void>,
  wrap: (listener: Deno.Listener) => Deno.Listener = (listener) => listener,
): Promise<void> {
  const listener = Deno.listen({ hostname: "127.0.0.1", port: 0 });
  const timers = new PatientTimers();
  const server = new LiveServer(wrap(listener), answer, timers);
  try {
    await test((listener.addr as Deno.NetAddr).port, timers, server);
  } finally {
    await server.close();
  }
}

Deno.test("LiveServer answers a request per connection, and closes it", () =>
  withServer(async (port) => {
    using connection = await RawConnection.open(port);
    await connection.send("GET", "/a?b=c", undefined, ALLOWED);
    const { status, headers, body, end } = await connection.reply();
    assert.deepEqual([status, body, end], [200, "GET /a?b=c ü", "complete"]);
    assert.equal(headers.get("x-of"), "live");
    assert.equal(headers.get("connection"), "close");
    assert.equal(await connection.ending(), "closed");
    const posted = await exchangeOnce(port, "POST", "/", "x".repeat(10_000), ALLOWED);
    assert.deepEqual([posted.status, posted.body], [200, "POST / ü"]);
    assert.equal((await exchangeOnce(port, "GET", "/")).status, 401);
  }));

Deno.test("LiveServer sends the head only for HEAD", () =>
  withServer(async (port) => {
    const reply = await fetch(`http://127.0.0.1:${port}/`, { method: "HEAD", headers: ALLOWED });
    assert.equal(reply.headers.get("content-length"), String("HEAD / ü".length + 1));
    assert.equal(await reply.text(), "");
  }));

Deno.test("LiveServer answers what is no request with 400, or closes", () =>
  withServer(async (port) => {
    for (const text of ["\0\0\0\0\r\n\r\n", "GET /\r\n\r\n", "GET http://x/ HTTP/1.1\r\n\r\n"]) {
      using connection = await RawConnection.open(port);
      await connection.write(text);
      assert.equal((await connection.reply()).status, 400, text);
    }
    using connection = await RawConnection.open(port);
    await connection.write("x".repeat(16_384));
    assert.equal(await connection.ending(), "closed");
  }));

Deno.test("LiveServer drops the oldest silent connections, not those that it answers", () =>
  withServer(async (port) => {
    const strangers: RawConnection[] = [];
    for (let i = 0; i < 200; i++) {
      const stranger = await RawConnection.open(port);
      strangers.push(stranger);
      await stranger.write("GET / HTT").catch(() => {});
    }
    assert.equal((await exchangeOnce(port, "GET", "/", undefined, ALLOWED)).status, 200);
    // 32 connections stay open; the others end without a timer.
    for (const stranger of strangers.slice(0, 160)) await stranger.ending();
    for (const stranger of strangers) stranger.close();
  }));

Deno.test("LiveServer closes connections that send no request in time", () =>
  withServer(async (port, timers) => {
    using connection = await RawConnection.open(port);
    await connection.write("GET / HTTP/1.1\r\n");
    // The reply to a later connection shows that this one was accepted.
    assert.equal((await exchangeOnce(port, "GET", "/")).status, 401);
    timers.expire(5000);
    assert.equal(await connection.ending(), "closed");
  }));

Deno.test("LiveServer accepts again after there were no descriptors", () => {
  let failures = 3;
  const failing = (listener: Deno.Listener): Deno.Listener =>
    new Proxy(listener, {
      get: (target, name) => {
        if (name === "accept" && failures-- > 0) {
          return () => Promise.reject(new Error("Too many open files (os error 24)"));
        }
        const value = Reflect.get(target, name);
        return typeof value === "function" ? value.bind(target) : value;
      },
    });
  return withServer(async (port) => {
    assert.equal((await exchangeOnce(port, "GET", "/", undefined, ALLOWED)).status, 200);
    assert.ok(failures < 0);
  }, failing);
});

Deno.test("LiveServer frees its port while a connection is silent", async () => {
  const listener = Deno.listen({ hostname: "127.0.0.1", port: 0 });
  const { port } = listener.addr as Deno.NetAddr;
  const server = new LiveServer(listener, answer, SYSTEM_TIMERS);
  using silent = await RawConnection.open(port);
  assert.equal((await exchangeOnce(port, "GET", "/")).status, 401);
  await server.close();
  assert.equal(await silent.ending(), "closed");
  Deno.listen({ hostname: "127.0.0.1", port }).close();
});
