import assert from "node:assert/strict";
import { resolvePlan } from "../../../src/config/plan/resolve/resolve_plan.ts";
import { waitForReadiness } from "../../../src/run/runner/inference_probe.ts";

/** A server whose list is ready at once, and whose answers are ready after some questions. */
function startServer(unready: number, status = 503) {
  const asked: { path: string; body: string }[] = [];
  let left = unready;
  const server = Deno.serve(
    { port: 0, hostname: "127.0.0.1", onListen() {} },
    async (request) => {
      const { pathname } = new URL(request.url);
      asked.push({ path: pathname, body: await request.text() });
      if (pathname === "/v1/models") return Response.json({ data: [{ id: "m" }] });
      return left-- > 0 ? new Response("no", { status }) : Response.json({ choices: [] });
    },
  );
  return {
    asked,
    url: `http://127.0.0.1:${server.addr.port}`,
    [Symbol.asyncDispose]: () => server.shutdown(),
  };
}

function planOf(url: string, waitForModelMode: "models" | "inference" | "both", seconds = 60) {
  return resolvePlan({
    ...{ url: [url], model: ["a,b"], waitForModelMode, noServerMetrics: true },
    ...{ waitForModelTimeout: seconds, waitForModelInterval: 0.001 },
  }, { cores: 1, cliCommand: "", findModel: () => Promise.reject(new Error("Not asked")) });
}

Deno.test("waitForReadiness asks for what the mode says, until it is there", async () => {
  await using server = startServer(2);
  await waitForReadiness(await planOf(server.url, "models"), false);
  assert.deepEqual(server.asked.splice(0).map(({ path }) => path), ["/v1/models"]);
  await waitForReadiness(await planOf(server.url, "inference"), false);
  const asked = server.asked.splice(0);
  assert.deepEqual(new Set(asked.map(({ path }) => path)), new Set(["/v1/chat/completions"]));
  assert.equal(asked.length, 4, "two models, and two answers that it was not ready");
  const bodies = asked.map(({ body }) => JSON.parse(body));
  assert.deepEqual(new Set(bodies.map(({ model }) => model)), new Set(["a", "b"]));
  for (const { max_completion_tokens: limit, stream } of bodies) {
    assert.deepEqual([limit, stream], [1, false]);
  }
  await waitForReadiness(await planOf(server.url, "both"), false);
  assert.equal(server.asked.length, 3);
});

Deno.test("waitForReadiness tells a server that is not in time, and one that refuses the key", async () => {
  await using slow = startServer(Infinity);
  await assert.rejects(
    waitForReadiness(await planOf(slow.url, "inference", 0.05), false),
    /does not answer a request for [ab] within 0\.05 s: HTTP 503/,
  );
  await using closed = startServer(Infinity, 401);
  await assert.rejects(
    waitForReadiness(await planOf(closed.url, "inference"), false),
    /returned HTTP 401; check --api-key/,
  );
});

Deno.test("a way to wait needs a time to wait", async () => {
  await assert.rejects(
    planOf("http://127.0.0.1:1", "inference", 0),
    /--wait-for-model-mode: Requires --wait/,
  );
  await assert.rejects(
    planOf("http://127.0.0.1:1", "models", 0),
    /--wait-for-model-interval: Requires --wait/,
  );
});
