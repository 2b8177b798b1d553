import assert from "node:assert/strict";
import { CANARY_KIND } from "../../../src/measurement/canary/canary_kind.ts";
import { CanaryLog } from "../../../src/measurement/canary/canary_log.ts";
import { delaysByKind } from "../../../src/measurement/own_error/delays_by_kind.ts";

const MS = 1e6;
const OF_A_KIND = 40;

/** As many canaries of each kind, of which every second one had to wait for 2 ms to be written. */
function log(): CanaryLog {
  const canaries = new CanaryLog();
  const { first, last, second } = CANARY_KIND;
  for (let i = 0; i < 3 * OF_A_KIND; i++) {
    const intendedMs = i * 10;
    const writtenMs = intendedMs + (Math.floor(i / 3) % 4 === 0 ? 2.1 : 0.1);
    const row = [intendedMs, writtenMs, writtenMs + 0.3].map((ms) => ms * MS);
    canaries.add(0, Float64Array.of([first, second, last][i % 3] as number, ...row));
  }
  return canaries;
}

Deno.test("delaysByKind uses all canaries for last chunks where fewer than 30 stand for them", () => {
  const { last, poisson } = CANARY_KIND;
  const lastOf = (count: number) => {
    const canaries = new CanaryLog();
    for (let i = 0; i < 100; i++) {
      const row = [i * 10, i * 10, i * 10 + (i < count ? 5 : 1)].map((ms) => ms * MS);
      canaries.add(0, Float64Array.of(i < count ? last : poisson, ...row));
    }
    return delaysByKind(canaries).last.get(0)?.delayNs.length;
  };
  assert.deepEqual([lastOf(29), lastOf(30)], [100, 30]);
});

Deno.test("delaysByKind counts the wait for writing canaries of last chunks only", () => {
  const delays = delaysByKind(log());
  const longestMs = (kind: "last" | "all") => Math.max(...delays[kind].get(0)?.delayNs ?? []) / MS;
  assert.ok(Math.abs(longestMs("last") - 2.3) < 1e-6, `${longestMs("last")}`);
  assert.ok(Math.abs(longestMs("all") - 0.3) < 1e-6, `${longestMs("all")}`);
});

Deno.test("delaysByKind has chunks wait longer near canaries that contradict turns", () => {
  const canaries = log();
  const contradict = (writtenMs: number, readMs: number) =>
    canaries.add(
      0,
      Float64Array.of(CANARY_KIND.contradiction, writtenMs * MS, readMs * MS, readMs * MS),
    );
  contradict(498, 500);
  contradict(549, 550);
  const delays = delaysByKind(canaries);
  const longerMs = (atMs: number) => delays.longerNs(0, atMs * MS) / MS;
  assert.deepEqual([399, 400, 500, 600, 601, 650, 651].map(longerMs), [0, 4, 4, 4, 2, 2, 0]);
  assert.equal(longerMs(1200 + 3100), Infinity, "no canary was read about it");
  assert.equal(delays.areTurnsTrusted, false, "250 ms are more than a fifth of the time");
});

Deno.test("delaysByKind knows nothing of how long chunks waited whose thread had just stood still", () => {
  const canaries = log();
  canaries.add(0, Float64Array.of(CANARY_KIND.stall, 400 * MS, NaN, 450 * MS));
  const { longerNs } = delaysByKind(canaries);
  assert.deepEqual([399, 451, 1000].map((ms) => longerNs(0, ms * MS)), [0, Infinity, 0]);
});
