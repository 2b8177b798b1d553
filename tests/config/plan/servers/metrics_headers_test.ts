import assert from "node:assert/strict";
import { withMetricsHeaders } from "../../../../src/config/plan/servers/metrics_headers.ts";
import { namedMetricsUrl } from "../../../../src/config/plan/servers/metrics_url.ts";
import { redactedOption } from "../../../../src/core/secrets/redacted_option.ts";

const URLS = ["http://a:1", "http://a:1/other?q=x:y", "https://b/metrics"];
const PARSED = URLS.map((url) => namedMetricsUrl(url, "--server-metrics"));

function headersOf(entries: readonly string[]): (string | undefined)[] {
  return withMetricsHeaders(PARSED, entries).map(({ endpoint: { authorization, headers } }) =>
    headers === undefined ? undefined : JSON.stringify([authorization ?? "", ...headers])
  );
}

Deno.test("withMetricsHeaders gives headers to the endpoints that a URL names", () => {
  const cases: readonly (readonly [string, (string | undefined)[]])[] = [
    ["http://a:1=X-A: b", ['["",["X-A","b"]]', '["",["X-A","b"]]', undefined]],
    ["a:1/metrics=X-A:b=c: d", ['["",["X-A","b=c: d"]]', undefined, undefined]],
    ["a:1/other?q=x:y=X-A: b", [undefined, '["",["X-A","b"]]', undefined]],
    ["https://b:443=authorization: Key k", [undefined, undefined, '["Key k"]']],
  ];
  for (const [entry, expected] of cases) assert.deepEqual(headersOf([entry]), expected, entry);
  assert.deepEqual(
    headersOf(["https://b=X-A: 1", "https://b=X-B: 2"]),
    [undefined, undefined, '["",["X-A","1"],["X-B","2"]]'],
  );
});

Deno.test("withMetricsHeaders refuses what names no endpoint, or is no header", () => {
  const cases: readonly (readonly [string, RegExp])[] = [
    [
      "http://c=X-A: b",
      /No metrics endpoint has this URL: got "http:\/\/c"; scraped are http:\/\/a:1/,
    ],
    ["http://u:hidden@c=X-A: b", /got "http:\/\/<redacted>@c"/],
    ["http://b=X-A: b", /No metrics endpoint/],
    ["X-A: hidden", /^--server-metrics-header: Expected "URL=Name: value"/],
    ["http://a:1=X A: hidden", /Expected "URL=Name: value"/],
    ["http://a:1=Host: x", /Host is set by the client itself/],
    ["http://a:1=X-A: a\nb", /control character/],
  ];
  for (const [entry, message] of cases) {
    assert.throws(() => headersOf([entry]), (error: Error) => {
      assert.match(error.message, message);
      assert.doesNotMatch(error.message, /hidden/);
      return true;
    });
  }
});

Deno.test("redactedOption hides secrets after a URL, wherever the header begins", () => {
  const cases = [
    ["http://a:1=X-Tenant: blue", "http://a:1=X-Tenant: blue"],
    ["http://a:1=X-Api-Key: k", "http://a:1=X-Api-Key: <redacted>"],
    ["http://a/m?q=x:y=Authorization: Bearer k", "http://a/m?q=x:y=Authorization: <redacted>"],
    ["http://a/m?token=k=X-Tenant: blue", "http://a/m?token=<redacted>=X-Tenant: blue"],
    ["a:1=Cookie: a=b:c", "a:1=Cookie: <redacted>"],
    ["http://u:p@a=X: y", "http://<redacted>@a=X: y"],
    ["http://u:p=n:q@a=X: y", "<redacted>"],
    ["Authorization: Bearer k", "<redacted>"],
  ];
  for (const [text, shown] of cases as [string, string][]) {
    assert.equal(redactedOption("urlHeader", text), shown);
  }
});
