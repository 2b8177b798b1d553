import assert from "node:assert/strict";
import { pageIsIdle, serversIdle } from "../../../src/run/runner/server_idle.ts";

const ACCESS = {
  caCerts: [],
  systemCerts: [],
  clientCert: undefined,
  transport: "socket",
} as const;

function endpointAt(port: number) {
  const origin = {
    protocol: "http:",
    hostname: "127.0.0.1",
    port,
    host: `127.0.0.1:${port}`,
    addresses: [],
  } as const;
  return { origin, path: "/metrics", authorization: undefined };
}

Deno.test("a page says that a server is idle, or busy, or neither", () => {
  assert.equal(pageIsIdle('vllm:num_requests_running{engine="0"} 0\n'), true);
  assert.equal(
    pageIsIdle("vllm:num_requests_running 0\nvllm:num_requests_waiting 2\n"),
    false,
  );
  assert.equal(pageIsIdle("sglang:num_running_reqs 1\n"), false);
  assert.equal(pageIsIdle("up 1\n"), undefined);
  assert.equal(pageIsIdle("<html>"), undefined);
});

Deno.test("serversIdle waits for a busy server, and for no other", async () => {
  let asked = 0;
  await using server = Deno.serve({ port: 0, hostname: "127.0.0.1", onListen() {} }, () => {
    asked++;
    return new Response(`vllm:num_requests_running ${asked < 3 ? 1 : 0}\n`);
  });
  const signal = new AbortController().signal;
  const { port } = server.addr;
  assert.equal(await serversIdle([endpointAt(port)], ACCESS, 60_000, signal), "idle");
  assert.equal(asked, 3);
  asked = -1e9;
  assert.equal(await serversIdle([endpointAt(port)], ACCESS, 0, signal), "busy");
  await using silent = Deno.serve(
    { port: 0, hostname: "127.0.0.1", onListen() {} },
    () => new Response("up 1\n"),
  );
  const other = endpointAt(silent.addr.port);
  assert.equal(await serversIdle([other], ACCESS, 60_000, signal), "unknown");
});
