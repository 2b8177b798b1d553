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
  for (const list of ["*", "a.corp", "b, a.corp", ".corp", ".a.corp", "corp"]) {
    assert.deepEqual(notices(["http://a.corp:8000"], { ...proxy, "no_proxy": list }), [], list);
  }
});

/** What Deno 2.9.6 did with each entry of NO_PROXY and host. */
const RULES: readonly (readonly [entry: string, host: string, isDirect: boolean])[] = [
  ["*.example.invalid", "a.example.invalid", false],
  [".example.invalid", "example.invalid", true],
  ["example.invalid", "a.example.invalid", true],
  ["EXAMPLE.invalid", "example.invalid", false],
  ["127.0.0.0/8", "127.0.0.1", true],
  ["10.0.0.0/8", "127.0.0.1", false],
  ["127.0.0.1/32", "127.0.0.1", true],
  ["127.0.0", "127.0.0.1", false],
  ["localhost", "127.0.0.1", false],
  ["::1", "[::1]", true],
  ["::/0", "[::1]", true],
  ["[::1]", "[::1]", false],
  ["127.0.0.1:9", "127.0.0.1", false],
  ["x.*", "x.invalid", false],
];

Deno.test("proxyNotices follow the runtime's rules for NO_PROXY", () => {
  for (const [entry, host, isDirect] of RULES) {
    const said = notices([`http://${host}`], { "HTTP_PROXY": "http://x", "NO_PROXY": entry });
    assert.equal(said.length === 0, isDirect, `${entry} ${host}`);
  }
});
