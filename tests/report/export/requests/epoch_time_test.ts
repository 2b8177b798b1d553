import assert from "node:assert/strict";
import fc from "fast-check";
import { EpochTime } from "../../../../src/report/export/requests/epoch_time.ts";
import { JsonBytes } from "../../../../src/report/export/json_bytes.ts";

Deno.test("EpochTime writes every nanosecond", () => {
  const base = fc.bigInt({ min: 0n, max: 4_000_000_000_000_000_000n });
  const time = fc.oneof(
    fc.maxSafeInteger(),
    fc.nat(9_000_000).map((seconds) => seconds * 1e9 - 1),
    fc.constantFrom(0, 1, 999_999_999, 1e9, -1),
  );
  fc.assert(fc.property(base, fc.array(time), (baseNs, times) => {
    const epoch = new EpochTime(baseNs);
    for (const ns of times) {
      const out = new JsonBytes();
      epoch.write(out, ns);
      assert.equal(new TextDecoder().decode(out.view), String(baseNs + BigInt(ns)));
    }
  }));
});
