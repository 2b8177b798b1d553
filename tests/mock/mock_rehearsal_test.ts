import assert from "node:assert/strict";
import { withMock } from "../support/local_mock.ts";
import { exchangeOnce } from "../support/raw_connection.ts";

Deno.test("a rehearsal of the mock server is answered, and counts nowhere", async () => {
  const replyOf = (rehearses: boolean) =>
    withMock({ truth: true, prefixCache: true }, async ({ server, stats }) => {
      if (rehearses) assert.equal(await server.rehearse(), 16 * 4 * 16);
      assert.equal(server.lateness.count, 0);
      assert.deepEqual(server.takeServed(), []);
      assert.equal((await stats()).requests, 0);
      const { body: pages } = await exchangeOnce(server.port, "GET", "/metrics");
      assert.match(pages, /^vllm:time_to_first_token_seconds_count\{[^}]*\} 0(\.0)?$/m);
      const { body } = await exchangeOnce(server.port, "POST", "/v1/chat/completions", {
        "model": "m",
        "messages": [{ "role": "user", "content": "Who was here before?" }],
      });
      return JSON.parse(body).choices;
    });
  assert.deepEqual(await replyOf(true), await replyOf(false), "it is the first request");
});
