import assert from "node:assert/strict";
import { resolvePlan } from "../../../src/config/plan/resolve/resolve_plan.ts";
import type { RunPlan } from "../../../src/config/plan/run_plan.ts";
import { askServers } from "../../../src/report/server_info/ask_servers.ts";
import { ServerInquiry } from "../../../src/run/runner/server_inquiry.ts";
import { deadAddress } from "../../support/dead_address.ts";

async function planOf(url: string, options: { noServerInfo?: boolean } = {}): Promise<RunPlan> {
  return await resolvePlan({ url: [url], model: "m", apiKey: "sesame-9876", ...options }, {
    ...{ cores: 2, cliCommand: "test" },
    findModel: () => Promise.reject(new Error("not asked")),
  });
}

/** Serves replies by path; 404 for others. */
function serve(
  answer: (path: string, request: Request) => Response | Promise<Response> | undefined,
) {
  const server = Deno.serve(
    { hostname: "127.0.0.1", port: 0, onListen() {} },
    (request) =>
      answer(new URL(request.url).pathname, request) ?? new Response("no", { status: 404 }),
  );
  return { server, url: `http://127.0.0.1:${server.addr.port}` };
}

Deno.test("askServers asks in the folder of the API, with the key, and writes down each outcome", async () => {
  const keys = new Set<string | null>();
  const { server, url } = serve((path, request) => {
    keys.add(request.headers.get("authorization"));
    if (path === "/api/version") return Response.json({ "version": "1.2" });
    if (path === "/api/get_server_info") return new Response("x".repeat(2_000_000));
    if (path === "/api/props") return Response.json(["no object"]);
    if (path === "/api/v2") return Response.redirect("http://127.0.0.1:1/");
    return path === "/api/info" ? Response.json({ "echo": "sesame-9876" }) : undefined;
  });
  const [info, ...others] = await askServers(
    await planOf(`${url}/api/v1/chat/completions`),
    new AbortController().signal,
  );
  await server.shutdown();
  assert.equal(others.length, 0);
  assert.deepEqual([...keys], ["Bearer sesame-9876"]);
  const asked = new Map(info?.asked);
  assert.equal(asked.get("/version"), "HTTP 200");
  assert.match(asked.get("/get_server_info") ?? "", /longer than/);
  assert.equal(asked.get("/props"), "HTTP 200, no JSON object");
  assert.equal(asked.get("/v2"), "HTTP 302");
  assert.equal(asked.get("/model_info"), "HTTP 404");
  assert.deepEqual(info?.facts, [["info.echo", "<redacted>"], ["version", "1.2"]]);
});

Deno.test("askServers of a server that is not there says so and fails not", async () => {
  const plan = await planOf(`http://${deadAddress()}`);
  const [info] = await askServers(plan, new AbortController().signal);
  assert.deepEqual(info?.facts, []);
  assert.ok((info?.asked.length ?? 0) > 5);
  for (const [path, outcome] of info?.asked ?? []) assert.match(outcome, /refused/i, path);
});

Deno.test("a run that is ready gets what is known, and does not wait for a silent server", async () => {
  const { promise, resolve } = Promise.withResolvers<void>();
  const { server, url } = serve((path) =>
    path === "/version"
      ? Response.json({ "version": "1" })
      : promise.then(() => new Response("late"))
  );
  const [info] = await ServerInquiry.begin(await planOf(url), new AbortController().signal).end();
  assert.deepEqual(info?.facts, [["version", "1"]]);
  const asked = new Map(info?.asked);
  assert.equal(asked.get("/props"), "no answer before the run");
  resolve();
  await server.shutdown();
});

Deno.test("nothing is asked where the user does not want it", async () => {
  const { server, url } = serve(() => assert.fail("asked"));
  const plan = await planOf(url, { noServerInfo: true });
  assert.deepEqual(await ServerInquiry.begin(plan, new AbortController().signal).end(), []);
  await server.shutdown();
});
