import assert from "node:assert/strict";
import type { DelaysByKind } from "../../src/own_error/delays_by_kind.ts";
import { localDelays } from "../../src/own_error/local_delays.ts";

const MS = 1e6;
const CHUNKS = 300;

/** Canaries of one thread, 10 ms apart, of which every so-manieth is late. */
function canaries(count: number, every: number, lateMs: number) {
  const readNs = Float64Array.from({ length: count }, (_, i) => (i + 0.5) * 10 * MS * 300 / count);
  const delayNs = readNs.map((_, i) => (i % every === 0 ? lateMs : 0.1) * MS);
  return new Map([[0, { readNs, delayNs }]]);
}

function delaysOf(
  own: DelaysByKind["first"],
  all: DelaysByKind["all"],
  atMostMs?: number,
  { kind = "first", factor = 1, burst = 1, stoodMs = [], wakeMs = 0 }: {
    readonly kind?: "first" | "last";
    readonly factor?: number;
    readonly burst?: number;
    readonly stoodMs?: readonly number[];
    readonly wakeMs?: number;
  } = {},
) {
  const stampNs = Float64Array.from(
    { length: CHUNKS },
    // The first ones come all at once.
    (_, i) => (i < burst ? 0 : i * 10) * MS,
  );
  const atMostNs = atMostMs === undefined ? undefined : stampNs.map(() => atMostMs * MS);
  const stoodNs = Float64Array.from({ length: CHUNKS }, (_, i) => (stoodMs[i] ?? 0) * MS);
  const chunks = { workers: new Float64Array(CHUNKS), stampNs, atMostNs, stoodNs };
  const delays = localDelays(chunks, kind, {
    ...{ first: all, second: all, last: all, all, [kind]: own },
    isUnwatched: () => false,
    wake: { meanNs: wakeMs * MS, deviationNs: 0, count: 40 },
  }, factor);
  assert.ok(delays);
  return delays;
}

/** How many chunks can have been later than that. */
function laterThan(delayMs: number, delays: ReturnType<typeof delaysOf>): number {
  const at = delays.delaysNs.findLastIndex((delayNs) => delayNs <= delayMs * MS);
  return delays.exceeding[at] as number;
}

Deno.test("localDelays count what canaries of any kind tell, beyond the longest of their own", () => {
  const quick = canaries(30, 31, 0.1);
  const few = laterThan(4, delaysOf(quick, quick));
  const many = laterThan(4, delaysOf(quick, canaries(300, 10, 5)));
  // A tenth of them were.
  assert.ok(many >= CHUNKS / 10 && many < CHUNKS / 4, `${many}`);
  assert.ok(few < CHUNKS / 20, `${few}`);
});

Deno.test("localDelays are of a mean no longer than the chunks themselves can have lain unread", () => {
  const late = canaries(300, 5, 8);
  assert.ok(delaysOf(late, late).meanAtMostNs > 1.5 * MS);
  assert.ok(delaysOf(late, late, 0.3).meanAtMostNs <= 0.3001 * MS);
});

Deno.test("localDelays have room for one burst more that is no later than its chunks can have been", () => {
  const late = canaries(300, 5, 8);
  const burst = 100;
  const { oneMoreNs, together } = delaysOf(late, late, undefined, { burst });
  assert.ok(Math.abs(oneMoreNs - 8 * MS * together / CHUNKS) < 1, `${oneMoreNs}`);
  const known = delaysOf(late, late, 0.3, { burst });
  assert.ok(Math.abs(known.oneMoreNs - 0.3 * MS * burst / CHUNKS) < 1, `${known.oneMoreNs}`);
});

Deno.test("localDelays fall with the delay, and are known as far as chunks can have been late", () => {
  const { delaysNs, exceeding } = delaysOf(canaries(60, 7, 2), canaries(300, 10, 5));
  for (let at = 1; at < exceeding.length; at++) {
    assert.ok((delaysNs[at] as number) > (delaysNs[at - 1] as number));
  }
  assert.equal(exceeding.at(-1), 0);
  assert.ok((exceeding[0] as number) <= CHUNKS);
});

Deno.test("localDelays do not end with the longest canary of any kind", () => {
  const quick = canaries(30, 31, 0.1);
  const few = laterThan(6, delaysOf(quick, canaries(300, 301, 0.1)));
  const many = laterThan(6, delaysOf(quick, canaries(300, 10, 5)));
  assert.ok(many > few, `${many} after ${few}`);
});

Deno.test("localDelays are of no chunk, or of as many as were once read together", () => {
  const late = canaries(300, 60, 2);
  const { delaysNs, exceeding } = delaysOf(late, late, undefined, { burst: 30 });
  const few = exceeding.filter((count) => count < 30);
  assert.ok(delaysNs.some((delayNs) => delayNs > 2 * MS));
  assert.deepEqual([...new Set(few)], [0]);
  assert.ok(exceeding.includes(30));
});

Deno.test("localDelays that are some times longer than canaries keep the mean of canaries", () => {
  const late = canaries(300, 10, 5);
  const alike = delaysOf(late, late);
  const longer = delaysOf(late, late, undefined, { factor: 3 });
  assert.equal(longer.longestNs, 3 * alike.longestNs);
  assert.ok(Math.abs(longer.meanNs / alike.meanNs - 1) < 1e-9);
  assert.ok(Math.abs(longer.meanAtLeastNs / alike.meanAtLeastNs - 1) < 1e-9);
});

Deno.test("localDelays count chunks whose thread stood still, late as others besides", () => {
  const late = canaries(300, 10, 5);
  const plain = delaysOf(late, late);
  const stood = delaysOf(late, late, undefined, { stoodMs: [0, 1003, 0, 1000] });
  assert.ok(stood.delaysNs.includes(1005 * MS), "how late the one can have been");
  assert.ok(stood.delaysNs.includes(1008 * MS), "and the other one");
  // 5 ms are the longest that others waited.
  assert.ok(laterThan(1, stood) >= 2);
  assert.ok(laterThan(1004, stood) >= 2);
  assert.ok(laterThan(1005, stood) >= 1);
  assert.equal(laterThan(1008, stood), laterThan(1008, plain));
  assert.equal(stood.stood, 2);
  assert.ok(Math.abs(stood.meanAtMostNs - plain.meanAtMostNs - 2003 / CHUNKS * MS) < 1);
});

Deno.test("localDelays take the longest of few canaries for a millisecond at least", () => {
  const prompt = (count: number) => {
    const all = canaries(count, count + 1, 0.1);
    return delaysOf(all, all);
  };
  const [few, more] = [prompt(59), prompt(60)];
  assert.equal(few.longestNs, 1 * MS);
  assert.equal(more.longestNs, 0.2 * MS);
  assert.ok(few.oneMoreNs > 4 * more.oneMoreNs);
  assert.ok(laterThan(0.9, few) > laterThan(0.9, more));
  // Those of a kind are few in any run.
  const own = delaysOf(canaries(30, 31, 0.1), canaries(60, 61, 0.1));
  assert.equal(own.longestNs, 0.2 * MS);
});

Deno.test("localDelays tell of busy threads where canaries or chunks come in few groups", () => {
  const many = canaries(300, 60, 0.5);
  assert.equal(delaysOf(many, many).busyMs, undefined);
  const few = canaries(29, 60, 0.5);
  assert.equal(delaysOf(few, many).busyMs?.length, CHUNKS, "few of the chunks' kind");
  const burst = 280;
  assert.equal(delaysOf(many, many, undefined, { burst }).busyMs?.length, CHUNKS);
  const late = delaysOf(few, many, undefined, { wakeMs: 0.7 }).busyMs ?? [];
  assert.ok(late.length === CHUNKS && Math.abs(Math.min(...late) - 0.7) < 1e-6, `${late[0]}`);
});

Deno.test("localDelays tell how late threads wake, but of last chunks, whose canaries wait themselves", () => {
  const prompt = canaries(300, 60, 0.5);
  const wakeMs = 0.7;
  assert.ok(Math.abs(delaysOf(prompt, prompt, undefined, { wakeMs }).wakeMs - wakeMs) < 1e-6);
  assert.equal(delaysOf(prompt, prompt, undefined, { wakeMs, kind: "last" }).wakeMs, 0);
  const late = canaries(300, 1, 0.5);
  assert.equal(delaysOf(late, prompt, undefined, { wakeMs }).wakeMs, 0, "of that kind");
});

Deno.test("localDelays take the latest canary for a millisecond at least where few groups were seen", () => {
  const prompt = canaries(300, 301, 0.1);
  const longestMs = (burst: number) =>
    delaysOf(prompt, prompt, undefined, { burst }).longestNs / MS;
  assert.deepEqual([longestMs(1), longestMs(280)], [0.2, 1]);
});
