import assert from "node:assert/strict";
import { RateLimitWaits } from "../../../src/load/worker/rate_limit_waits.ts";
import { retryAfterMs } from "../../../src/load/worker/retry_after.ts";
import { FakeTime } from "../../support/fake_time.ts";

const NOW = Date.parse("2026-01-01T00:00:00Z");

Deno.test("retryAfterMs takes seconds and dates, within bounds, and a second where nothing is said", () => {
  const told: readonly [value: string | undefined, ms: number][] = [
    ["2", 2000],
    [" 0.5 ", 500],
    ["0", 100],
    ["3600", 60_000],
    ["Thu, 01 Jan 2026 00:00:07 GMT", 7000],
    ["Wed, 31 Dec 2025 00:00:00 GMT", 100],
    ["Fri, 02 Jan 2026 00:00:00 GMT", 60_000],
    ["soon", 1000],
    ["-1", 1000],
    ["2,5", 1000],
    ["", 1000],
    [undefined, 1000],
  ];
  for (const [value, ms] of told) assert.equal(retryAfterMs(value, NOW), ms, `of ${value}`);
});

Deno.test("RateLimitWaits sends again after the time that the server said, but not for ever", async () => {
  const time = new FakeTime();
  const again: string[] = [];
  const waits = new RateLimitWaits<string>(5e9, time, () => NOW, (name) => again.push(name));
  assert.ok(waits.hold("a", { underWayNs: 1e9, retryAfter: "2" }));
  assert.ok(waits.hold("b", { underWayNs: 1e9, retryAfter: "3" }));
  assert.equal(waits.hold("c", { underWayNs: 4e9, retryAfter: "2" }), false, "beyond the timeout");
  waits.forget("b");
  await time.pass(1999);
  assert.deepEqual(again, []);
  await time.pass(5000);
  assert.deepEqual(again, ["a"]);
  waits.close();
  assert.equal(waits.hold("d", { underWayNs: 0, retryAfter: "1" }), false, "after the end");
});
