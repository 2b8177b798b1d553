import assert from "node:assert/strict";
import { StolenTimeWatch } from "../../../src/run/runner/stolen_time_watch.ts";

/** What is found of shares that were stolen, one a second of a machine of 200 ticks a second. */
function found(shares: readonly number[]) {
  let time = { total: 1000, stolen: 50 };
  let nowNs = 0;
  const watch = new StolenTimeWatch({ read: () => time }, { nowNs: () => nowNs });
  watch.look();
  for (const share of shares) {
    nowNs += 1e9;
    time = { total: time.total + 200, stolen: time.stolen + share * 200 };
    watch.look();
  }
  return watch.end();
}

Deno.test("StolenTimeWatch keeps stretches in which much was stolen, neighbours as one", () => {
  assert.equal(found([0, 0.01, 0.04]), undefined);
  assert.deepEqual(found([0, 0.1, 0.2, 0, 0.5]), [
    { startNs: 1e9, endNs: 3e9, share: 0.15 },
    { startNs: 4e9, endNs: 5e9, share: 0.5 },
  ]);
});

Deno.test("StolenTimeWatch keeps the worst of very many stretches", () => {
  const stretches = found(
    Array.from({ length: 1000 }, (_, at) => at % 2 === 0 ? 0 : 0.1 + at / 2e3),
  );
  assert.equal(stretches?.length, 200);
  assert.equal(stretches?.at(-1)?.endNs, 1000e9);
  assert.ok((stretches?.[0]?.startNs ?? 0) > 500e9);
});

Deno.test("StolenTimeWatch finds nothing on a machine that does not tell", () => {
  const watch = new StolenTimeWatch(undefined, { nowNs: () => 0 });
  watch.begin();
  watch.look();
  assert.equal(watch.end(), undefined);
});
