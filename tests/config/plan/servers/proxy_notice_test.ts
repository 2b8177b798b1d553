import assert from "node:assert/strict";
import { originOf } from "../../../../src/config/plan/servers/target_url.ts";
import { proxyNotices } from "../../../../src/config/plan/servers/proxy_notice.ts";

function notices(urls: readonly string[], environment: Readonly<Record<string, string>>): string[] {
  const targets = urls.map((url) => ({ origin: originOf(new URL(url)) }));
  return proxyNotices(targets, (name) => environment[name]);
}

Deno.test("proxyNotices name the proxy of each server, without its password", () => {
  const urls = ["http://a:8000", "https://b", "http://a:8000/other"];
  assert.deepEqual(notices(urls, { "http_proxy": "u:p@proxy:3128", "HTTPS_PROXY": "https://s" }), [
    "Requests to a:8000 go through the proxy <redacted>@proxy:3128 of HTTP_PROXY",
    "Requests to b go through the proxy https://s of HTTPS_PROXY",
  ]);
  assert.deepEqual(notices(["http://a"], { "ALL_PROXY": "http://x", "HTTP_PROXY": "http://y" }), [
    "Requests to a go through the proxy http://x of ALL_PROXY",
  ]);
});

Deno.test("proxyNotices say nothing of servers that are asked themselves", () => {
  const proxy = { "HTTP_PROXY": "http://x" };
  assert.deepEqual(notices(["http://a"], {}), []);
  assert.deepEqual(notices(["http://a"], { "HTTPS_PROXY": "http://x", "HTTP_PROXY": "" }), []);
  for (const list of ["*", "a.corp", "b, a.corp", ".corp", "*.corp", "corp"]) {
    assert.deepEqual(notices(["http://a.corp:8000"], { ...proxy, "no_proxy": list }), [], list);
  }
  assert.deepEqual(notices(["http://10.0.0.7"], { ...proxy, "NO_PROXY": "10.0.0.0/8" }), [
    "Requests to 10.0.0.7 go through the proxy http://x of HTTP_PROXY unless NO_PROXY excludes it",
  ]);
});
