/** Servers that are asked to forget their prefix cache, as they are known to answer. */

import assert from "node:assert/strict";
import { parseTarget } from "../../../src/config/plan/servers/target_url.ts";
import { resetPrefixCache } from "../../../src/run/runner/reset_prefix_cache.ts";

type Replies = Readonly<Record<string, readonly number[]>>;

/** Asks a server that has these statuses for its paths, one after another; the last one stays. */
async function asked(replies: Replies, path?: string) {
  const requests: string[] = [];
  const counts = new Map<string, number>();
  await using server = Deno.serve(
    { hostname: "127.0.0.1", port: 0, onListen() {} },
    (request) => {
      const { pathname } = new URL(request.url);
      requests.push(`${request.method} ${pathname} ${request.headers.get("authorization")}`);
      const statuses = replies[pathname] ?? [404];
      const number = counts.get(pathname) ?? 0;
      counts.set(pathname, number + 1);
      return new Response("", { status: statuses[Math.min(number, statuses.length - 1)] ?? 404 });
    },
  );
  const { target } = parseTarget(`http://127.0.0.1:${server.addr.port}/v1`, "/v1/chat/completions");
  const missing = await resetPrefixCache(
    {
      ...{ targets: [target, target], transport: "socket", caCerts: [], systemCerts: [] },
      ...{ clientCert: undefined, headers: [["Authorization", "Bearer k"]] },
    },
    { path, timeoutMs: 5000 },
    new AbortController().signal,
  );
  return { requests, missing };
}

Deno.test("vLLM is asked once, with the run's headers", async () => {
  assert.deepEqual(await asked({ "/reset_prefix_cache": [200] }), {
    requests: ["POST /reset_prefix_cache Bearer k"],
    missing: [],
  });
});

Deno.test("SGLang is asked where vLLM's path is missing, and again while it is busy", async () => {
  const { requests, missing } = await asked({ "/flush_cache": [400, 200] });
  assert.deepEqual(requests.map((text) => text.split(" ")[1]), [
    "/reset_prefix_cache",
    ...["/flush_cache", "/flush_cache"],
  ]);
  assert.deepEqual(missing, []);
});

Deno.test("a server that is busy for a moment is asked again", async () => {
  const { requests } = await asked({ "/reset_prefix_cache": [503, 200] });
  assert.equal(requests.length, 2);
});

Deno.test("a server without either is told, one that refuses is an error", async () => {
  assert.equal((await asked({})).missing.length, 1);
  assert.equal(
    (await asked({ "/reset_prefix_cache": [405], "/flush_cache": [405] })).missing.length,
    1,
  );
  await assert.rejects(
    asked({ "/reset_prefix_cache": [401] }),
    /reset_prefix_cache does not reset the prefix cache: it answers HTTP 401/,
  );
  await assert.rejects(asked({}, "/mine"), /\/mine does not reset .*: it answers HTTP 404/);
  assert.deepEqual((await asked({ "/mine": [202] }, "/mine")).requests, ["POST /mine Bearer k"]);
});
