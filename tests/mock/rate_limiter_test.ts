import assert from "node:assert/strict";
import { RateLimiter } from "../../src/mock/rate_limiter.ts";

Deno.test("RateLimiter admits a second's worth at once, and then its rate", () => {
  const limiter = new RateLimiter(4);
  const admitted = (nowMs: number, count: number) =>
    Array.from({ length: count }, () => limiter.admits(nowMs)).filter((is) => is).length;
  assert.equal(admitted(5000, 10), 4);
  assert.equal(admitted(5249, 1), 0);
  assert.equal(admitted(5500, 10), 2);
  assert.equal(admitted(60_000, 10), 4);
  assert.ok(new RateLimiter(Infinity).admits(0));
});
