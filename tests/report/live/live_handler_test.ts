import assert from "node:assert/strict";
import { LiveHandler } from "../../../src/report/live/live_handler.ts";
import assets from "../../../src/report/live/live_page_assets.json" with { type: "json" };
import { liveModel } from "../../support/live_models.ts";

const TOKEN = "0123456789abcdef";

function handlerWith(model = liveModel()): LiveHandler {
  const handler = new LiveHandler(TOKEN);
  handler.model = model;
  return handler;
}

function ask(handler: LiveHandler, path: string, options: RequestInit = {}): Response {
  return handler.answer(new Request(`http://127.0.0.1:9400${path}`, options));
}

Deno.test("LiveHandler answers whoever has the token, in a header or in the URL", async () => {
  const handler = handlerWith();
  const shown: readonly [string, RequestInit][] = [
    [`/metrics?token=${TOKEN}`, {}],
    ["/metrics", { headers: { "Authorization": `Bearer ${TOKEN}` } }],
    ["/metrics?token=wrong", { headers: { "Authorization": `bearer ${TOKEN}` } }],
  ];
  for (const [path, options] of shown) {
    const reply = ask(handler, path, options);
    assert.equal(reply.status, 200);
    assert.equal(reply.headers.get("Content-Type"), "text/plain; version=0.0.4; charset=utf-8");
    assert.match(await reply.text(), /^inferometer_requests_in_flight 16$/m);
  }
  const wrong: readonly [string, RequestInit][] = [
    ["/metrics", {}],
    ["/metrics?token=", {}],
    [`/metrics?token=${TOKEN}x`, {}],
    [`/metrics?token=${TOKEN.slice(0, -1)}`, {}],
    [`/metrics?token=${TOKEN.slice(0, -1)}0`, {}],
    [`/metrics?token=${TOKEN}`, { headers: { "Authorization": "Bearer wrong" } }],
    ["/metrics", { headers: { "Authorization": `Basic ${btoa(`x:${TOKEN}`)}` } }],
    ["/%6detrics", {}],
  ];
  for (const [path, options] of wrong) {
    const reply = ask(handler, path, options);
    assert.equal(reply.status, 401, path);
    assert.ok(!(await reply.text()).includes("inferometer_"));
  }
});

Deno.test("LiveHandler gives numbers that are not known as null", async () => {
  const reply = ask(handlerWith(liveModel({ leftSeconds: NaN })), `/live.json?token=${TOKEN}`);
  const model = await reply.json();
  assert.deepEqual([model.leftSeconds, model.succeeded], [null, 72]);
});

Deno.test("LiveHandler has nothing to show before the first moment", () => {
  const handler = new LiveHandler(TOKEN);
  assert.equal(ask(handler, `/live.json?token=${TOKEN}`).status, 503);
  assert.equal(ask(handler, `/metrics?token=${TOKEN}`).status, 503);
  assert.equal(ask(handler, `/?token=${TOKEN}`).status, 200);
});

Deno.test("LiveHandler lets the page run its own script and style, and nothing else", async () => {
  const reply = ask(handlerWith(liveModel({ model: "<script>" })), `/?token=${TOKEN}`);
  const policy = reply.headers.get("Content-Security-Policy") ?? "";
  assert.match(
    policy,
    /^default-src 'none'; script-src 'sha256-[^']+'; style-src 'sha256-[^']+'; /,
  );
  assert.ok(!policy.includes("unsafe"));
  const page = await reply.text();
  const inside = (name: string): string =>
    new RegExp(`<${name}>([^]*)</${name}>`).exec(page)?.[1] ?? "";
  for (
    const [name, hash] of [["script", assets.scriptHash], ["style", assets.styleHash]] as const
  ) {
    const digest = await crypto.subtle.digest("SHA-256", new TextEncoder().encode(inside(name)));
    assert.equal(`sha256-${btoa(String.fromCharCode(...new Uint8Array(digest)))}`, hash);
  }
  assert.ok(!page.includes(TOKEN), "nor does it repeat the token");
  assert.ok(!/https?:/.test(page.replace("http://www.w3.org/2000/svg", "")), "nor name a server");
});

Deno.test("LiveHandler takes no orders", () => {
  const handler = handlerWith();
  for (const method of ["POST", "PUT", "DELETE", "PATCH", "OPTIONS"]) {
    const reply = ask(handler, `/live.json?token=${TOKEN}`, { method });
    assert.deepEqual([reply.status, reply.headers.get("Allow")], [405, "GET, HEAD"]);
    assert.equal(reply.headers.get("Access-Control-Allow-Origin"), null);
  }
});
