import assert from "node:assert/strict";
import { profile } from "../../../src/run/runner/profile.ts";
import { resolvePlan } from "../../../src/config/plan/resolve/resolve_plan.ts";
import { waitForReadiness } from "../../../src/run/runner/inference_probe.ts";
import { serversIdle } from "../../../src/run/runner/server_idle.ts";
import { findModel, waitForModels } from "../../../src/run/runner/server_probe.ts";
import { readArtifacts, withFolder } from "../../support/artifacts.ts";
import { startRecordingServer } from "../../support/recording_server.ts";
import { scriptedServer } from "../../support/scripted_server.ts";

/** What a server answers to one question after another; the last again and again. */
function answers(...all: readonly (() => Response)[]) {
  const asked = { times: 0 };
  const models = () => (all[Math.min(asked.times++, all.length - 1)] as () => Response)();
  return { asked, models };
}

const list = (...ids: readonly string[]) => () =>
  Response.json({ "object": "list", "data": ids.map((id) => ({ id })) });
const loading = () => new Response("loading", { status: 503 });
const nothing = () => Response.json({ "object": "list", "data": null });

/** The targets and the way to them of a plan with such a wait. */
function accessOf(url: string, waitForModelTimeout: number) {
  return resolvePlan(
    { url: [url], model: "named", waitForModelTimeout, noServerMetrics: true },
    { cores: 1, cliCommand: "", findModel: () => Promise.reject(new Error("Not asked")) },
  );
}

Deno.test("findModel waits for a server that does not serve yet, or lists no model yet", async () => {
  for (const early of [loading, list(), nothing]) {
    const { asked, models } = answers(early, list("late", "other"));
    await using server = startRecordingServer({ models });
    const plan = await accessOf(server.url, 60);
    assert.equal(await findModel(plan.targets, plan), "late");
    assert.ok(asked.times >= 2);
  }
});

Deno.test("findModel does not wait where nobody is to wait", async () => {
  for (const early of [list(), nothing, loading]) {
    const { asked, models } = answers(early, list("late"));
    await using server = startRecordingServer({ models });
    const plan = await accessOf(server.url, 0);
    await assert.rejects(findModel(plan.targets, plan), /name the model with --model/);
    assert.equal(asked.times, 1);
  }
});

Deno.test("waitForModels waits until a model is listed, whatever its name", async () => {
  const { asked, models } = answers(list(), list("any"));
  await using server = startRecordingServer({ models });
  const plan = await accessOf(server.url, 60);
  await waitForModels(plan.targets, plan);
  assert.equal(asked.times, 2);
});

Deno.test("waitForModels takes a server that keeps no list as ready", async () => {
  for (const reply of [() => new Response("fine"), () => Response.json({ "status": "ok" })]) {
    const { asked, models } = answers(reply);
    await using server = startRecordingServer({ models });
    const plan = await accessOf(server.url, 60);
    await waitForModels(plan.targets, plan);
    assert.equal(asked.times, 1);
  }
});

Deno.test("waitForModels tells what was missing when the time is over", async () => {
  await using server = startRecordingServer({ models: list() });
  const plan = await accessOf(server.url, 0.01);
  await assert.rejects(
    waitForModels(plan.targets, plan),
    /is not ready within 0\.01 s: no models listed/,
  );
});

Deno.test("findModel ends with an interrupt", async () => {
  const interrupt = new AbortController();
  await using server = startRecordingServer({
    models: () => {
      interrupt.abort();
      return loading();
    },
  });
  const plan = await accessOf(server.url, Infinity);
  await assert.rejects(findModel(plan.targets, plan, interrupt.signal), /interrupted/);
});

Deno.test("profile waits for the server before it asks for the model", () =>
  withFolder(async (folder) => {
    const { asked, models } = answers(loading, list(), list("late"));
    await using server = startRecordingServer({ models });
    await profile({
      url: [server.url],
      waitForModelTimeout: 60,
      requestCount: 2,
      isl: 10,
      noServerMetrics: true,
      noServerInfo: true,
      artifactDir: folder,
    });
    // Once more to learn its name.
    assert.equal(asked.times, 4);
    const { records } = await readArtifacts(folder);
    assert.equal(records.length, 2);
    assert.equal(JSON.parse(server.requests[0]?.body ?? "").model, "late");
  }));

Deno.test("a wait for a silent server ends when its time is over", async () => {
  using server = scriptedServer(() => new Promise<void>(() => {}));
  const plan = await accessOf(`http://127.0.0.1:${server.port}`, 1);
  const startMs = performance.now();
  await assert.rejects(waitForModels(plan.targets, plan), /is not ready within 1 s/);
  const inference = { ...plan, readinessMode: "inference" as const };
  await assert.rejects(waitForReadiness(inference, false), /does not answer .* within 1 s/);
  const { origin } = plan.targets[0] as (typeof plan.targets)[0];
  const endpoint = { origin, path: "/metrics", authorization: undefined };
  const signal = new AbortController().signal;
  assert.equal(await serversIdle([endpoint], plan, 1000, signal), "unknown");
  assert.ok(performance.now() - startMs < 9000, "one question alone took 5, 10 or 60 s");
});

Deno.test("findModel names what helps against the cause", async () => {
  const cases: readonly (readonly [scheme: string, reply: string, message: RegExp])[] = [
    ["http", "HTTP/1.1 401 No\r\nContent-Length: 0\r\n\r\n", /returned HTTP 401; check --api-key$/],
    [
      "http",
      "HTTP/1.1 404 No\r\nContent-Length: 0\r\n\r\n",
      /\/v1\/models returned HTTP 404; name the/,
    ],
    ["http", "\0\0\x04\x04\0\0\0\0\0", /it speaks HTTP\/2 without TLS/],
    ["https", "HTTP/1.1 400 No\r\nContent-Length: 0\r\n\r\n", /use http:\/\/ in --url$/],
  ];
  for (const [scheme, reply, message] of cases) {
    using listener = Deno.listen({ hostname: "127.0.0.1", port: 0 });
    const serving = (async () => {
      for await (const connection of listener) {
        using open = connection;
        await open.read(new Uint8Array(4096));
        await open.write(new TextEncoder().encode(reply));
      }
    })();
    const plan = await accessOf(`${scheme}://127.0.0.1:${listener.addr.port}`, 0);
    await assert.rejects(findModel(plan.targets, plan), message);
    listener.close();
    await serving;
  }
});
