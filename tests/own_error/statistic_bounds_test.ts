import assert from "node:assert/strict";
import type { Shadow } from "../../src/canary/canary_kind.ts";
import { type Bounds, boundsBy } from "../../src/own_error/bounded_statistics.ts";
import { type LocalDelays, localDelays } from "../../src/own_error/local_delays.ts";
import type { ShiftedMetric } from "../../src/own_error/shifted_metric.ts";
import { statisticBounds } from "../../src/own_error/statistic_bounds.ts";
import { withFirstWave, withWakings } from "../../src/own_error/wider_bounds.ts";
import { percentile } from "../../src/statistics/percentile.ts";
import { randomStream } from "../../src/statistics/random_stream.ts";
import { summarize } from "../../src/statistics/summarize.ts";

const MS = 1e6;
const CHUNKS = 16;
const CANARIES = 1000;
const TRUE_MS = 20;

/** A delay that is drawn: most are short, some long. */
type Draw = () => number;

function draws(name: string): Draw {
  const random = randomStream(5, name);
  return () => -Math.log(1 - random());
}

/** Delays of chunks on one thread, each of which can have lain unread for some time. */
function delaysOf(
  kind: Shadow,
  delayMs: Draw,
  atMostMs?: number,
  chunks: number = CHUNKS,
  canaryCount: number = CANARIES,
): LocalDelays {
  // Over four seconds.
  const readNs = Float64Array.from(
    { length: canaryCount },
    (_, i) => (i + 0.5) * 4 * MS * CANARIES / canaryCount,
  );
  const delayNs = readNs.map(() => delayMs() * MS);
  const canaries = new Map([[0, { readNs, delayNs }]]);
  const stampNs = Float64Array.from({ length: chunks }, (_, i) => i * 250 * MS);
  const atMostNs = atMostMs === undefined ? undefined : stampNs.map(() => atMostMs * MS);
  const delays = localDelays({ workers: new Float64Array(chunks), stampNs, atMostNs }, kind, {
    ...{ first: canaries, second: canaries, last: canaries, all: canaries },
    isUnwatched: () => false,
    wake: { meanNs: 0, deviationNs: 0, count: 0 },
  });
  assert.ok(delays);
  return delays;
}

/** Bounds of times that are all the same but for the delays of their ends. */
function boundsOf(values: Float64Array, later: LocalDelays, earlier?: LocalDelays) {
  const summary = summarize(values);
  assert.ok(summary);
  const bounds = statisticBounds({ summary, values, divisors: undefined, later, earlier });
  return { summary, bounds };
}

function measured(late: Draw, early: Draw = () => 0): Float64Array {
  return Float64Array.from({ length: CHUNKS }, () => TRUE_MS + late() - early());
}

Deno.test("bounds of a median have room for how far the delays of so few values move it", () => {
  const [late, early] = [draws("late"), draws("early")];
  const medians = Array.from({ length: 500 }, () => percentile(measured(late, early).sort(), 50));
  const spreadMs = Math.sqrt(
    medians.reduce((sum, median) => sum + (median - TRUE_MS) ** 2, 0) / medians.length,
  );
  const roomsMs = Array.from({ length: 20 }, () => {
    const [later, earlier] = [delaysOf("second", late), delaysOf("first", early)];
    const { summary, bounds } = boundsOf(measured(late, early), later, earlier);
    return Math.min(summary.p50 - bounds.p50.lower, bounds.p50.upper - summary.p50);
  }).sort((a, b) => a - b);
  assert.ok((roomsMs[10] as number) > 2 * spreadMs, `${roomsMs[10]} for ${spreadMs}`);
});

Deno.test("bounds of a median are wider where last chunks can be later than canaries", () => {
  const late = draws("late");
  const [delays, values] = [delaysOf("last", late), measured(late)];
  const alike = boundsOf(values, delays).bounds.p50;
  const { lower } = boundsOf(values, { ...delays, factor: 3 }).bounds.p50;
  assert.ok(lower < alike.lower - 0.1, `${lower} of ${alike.lower}`);
});

Deno.test("bounds of a mean have room for one burst more that is late, at either end", () => {
  const [late, early] = [draws("late"), draws("early")];
  const [later, earlier] = [delaysOf("second", late, 5), delaysOf("first", early, 5)];
  const values = measured(late, early);
  const room = (laterMs: number, earlierMs: number) =>
    boundsOf(
      values,
      { ...later, oneMoreNs: laterMs * MS, busyMs: undefined },
      { ...earlier, oneMoreNs: earlierMs * MS, busyMs: undefined },
    ).bounds.avg;
  const [neither, down, up] = [room(0, 0), room(0.2, 0), room(0, 0.2)];
  // That, and what so few canaries leave open, are unlikely to come together.
  const drawnMs = 2 * later.timed.longerThan(earlier.timed, CHUNKS).standardErrorNs / MS;
  const moreMs = Math.hypot(drawnMs, 0.2) - drawnMs;
  assert.ok(moreMs > 0.01);
  assert.ok(Math.abs(neither.lower - down.lower - moreMs) < 1e-9, "later ends make it too great");
  assert.ok(Math.abs(up.upper - neither.upper - moreMs) < 1e-9, "later beginnings, too small");
  assert.deepEqual([down.upper, up.lower], [neither.upper, neither.lower]);
});

/** How far below and above each statistic of some equal values its bounds lie, in milliseconds. */
function roomsOf(
  count: number,
  canaryMs: Draw,
  atMostMs: number | undefined,
  options: {
    readonly isPart?: boolean;
    readonly factor?: number;
    readonly canaryCount?: number;
  } = {},
): { readonly below: number; readonly above: number }[] {
  const values = new Float64Array(count).fill(TRUE_MS);
  const summary = summarize(values);
  assert.ok(summary);
  const { factor = 1, isPart = false, canaryCount = CANARIES } = options;
  const later = { ...delaysOf("second", canaryMs, atMostMs, count, canaryCount), factor };
  const earlier = delaysOf("first", canaryMs, atMostMs, count, canaryCount);
  const bounds = statisticBounds({ summary, values, divisors: undefined, later, earlier, isPart });
  return Object.values(bounds).map(({ lower, upper }) => ({
    below: TRUE_MS - lower,
    above: upper - TRUE_MS,
  }));
}

const PROMPT: Draw = () => 0.01;

Deno.test("bounds of few values, or of a part of a run, go as far as turns allow for, however prompt canaries were", () => {
  const rooms = [roomsOf(9, PROMPT, 2), roomsOf(CHUNKS, PROMPT, 2, { isPart: true })].flat();
  for (const { below, above } of rooms) {
    assert.ok(below >= 2 && above >= 2 && below < 2.1 && above < 2.1, `${below}, ${above}`);
  }
  const [, median] = roomsOf(CHUNKS, PROMPT, 2);
  assert.ok(median && median.below < 1 && median.above < 1, "those of many trust canaries");
});

Deno.test("bounds by few canaries go as far as turns allow for, however many values there are", () => {
  const few = (canaryCount: number) => roomsOf(CHUNKS, PROMPT, 2, { canaryCount });
  for (const { below, above } of few(59)) assert.ok(below >= 2 && above >= 2, `${below}, ${above}`);
  const [, median] = few(60);
  assert.ok(median && median.below < 1 && median.above < 1);
});

Deno.test("bounds of few values count whole chunks that were late, not shares of one", () => {
  let canary = 0;
  const seldomLate: Draw = () => canary++ % 100 === 0 ? 20 : 0.01;
  const values = Float64Array.of(10, 20, 30, 40);
  const later = delaysOf("first", seldomLate, undefined, values.length);
  // One canary of a hundred was so late, and so may the greatest value be.
  const { p99 } = boundsOf(values, later).bounds;
  assert.ok(p99.lower <= 20, String(p99.lower));
});

Deno.test("bounds of few values are wider where last chunks can be later than canaries", () => {
  const alike = roomsOf(4, PROMPT, 2);
  roomsOf(4, PROMPT, 2, { factor: 3 }).forEach(({ below, above }, index) => {
    const { below: one, above: same } = alike[index] as typeof alike[number];
    assert.ok(Math.abs(below - 3 * one) < 1e-9, `${below}, ${one}`);
    assert.equal(above, same);
  });
});

Deno.test("bounds of few values go as far as canaries where turns know no end", () => {
  const [, ...percentiles] = roomsOf(4, () => 3, undefined);
  for (const { below, above } of percentiles) {
    assert.ok(below >= 3 && above >= 3 && below < 3.1 && above < 3.1, `${below}, ${above}`);
  }
});

Deno.test("bounds of few values have no end where neither canaries nor turns know one", () => {
  const unknown = { unwatched: 4, longestNs: Infinity, meanAtMostNs: Infinity };
  const delaysAt = (kind: Shadow): LocalDelays => {
    const delays = delaysOf(kind, PROMPT, undefined, 4);
    const all = delays.exceeding.map(() => 4);
    return { ...delays, ...unknown, exceeding: all, exceedingAtMost: all };
  };
  const values = new Float64Array(4).fill(TRUE_MS);
  const { bounds } = boundsOf(values, delaysAt("second"), delaysAt("first"));
  for (const [name, { lower, upper }] of Object.entries(bounds)) {
    assert.deepEqual([lower, upper], [0, Infinity], name);
  }
});

Deno.test("a mean that delays overwhelm is bounded by half as much again as canaries tell", () => {
  const late = draws("late");
  const delays = delaysOf("first", late, undefined, 200);
  const values = (trueMs: number) => Float64Array.from({ length: 200 }, () => trueMs + late());
  const roomOf = (trueMs: number) => {
    const { summary, bounds } = boundsOf(values(trueMs), delays);
    return summary.avg - bounds.avg.lower;
  };
  // Delays of 1 ms, against 20 ms and against 2.
  const [calm, overwhelmed] = [roomOf(20), roomOf(2)];
  assert.ok(Math.abs(overwhelmed / calm - 1.5) < 0.01, `${overwhelmed} beside ${calm}`);
  assert.equal(boundsOf(values(2), delays).bounds.p90.lower, 0);
});

Deno.test("percentiles are as far off as the chunks can be whose thread stood still", () => {
  const short: Draw = () => 0.01;
  // The median is the same, and 20 places further are others: below it in the one case, above in the other.
  const below = Float64Array.from({ length: 200 }, (_, i) => i < 90 ? 60 : 100);
  const above = Float64Array.from({ length: 200 }, (_, i) => i < 110 ? 100 : 180);
  const delays = (kind: Shadow) => delaysOf(kind, short, undefined, below.length);
  const all = new Float64Array(delays("last").delaysNs.length).fill(20);
  const late = (kind: Shadow) => ({
    ...{ ...delays(kind), stood: 20 },
    ...{ exceeding: all, exceedingAtMost: all },
  });
  const of = (values: Float64Array, later: LocalDelays, earlier?: LocalDelays) =>
    boundsOf(values, later, earlier).bounds.p50;
  assert.ok(of(below, delays("last")).lower > 99);
  const { lower, upper } = of(below, late("last"));
  assert.ok(lower <= 60 && lower > 50, `${lower}`);
  assert.ok(upper < 101);
  const early = of(above, delays("last"), late("first"));
  assert.ok(early.upper >= 180 && early.upper < 190, `${early.upper}`);
  assert.ok(early.lower > 99);
});

Deno.test("parts of a run have the wider bounds with fewer than a thousand values", () => {
  const late = draws("late");
  const roomOf = (count: number, isPart: boolean) => {
    // Each can have been late by 9 ms, and canaries tell of far less.
    const later = delaysOf("first", late, 9, count);
    const values = Float64Array.from({ length: count }, () => 1000 + late());
    const summary = summarize(values);
    const bounds = statisticBounds({
      ...{ summary, values, divisors: undefined, later, earlier: undefined, isPart },
    });
    return summary.p50 - bounds.p50.lower;
  };
  assert.ok(roomOf(900, true) > 8.9);
  assert.ok(roomOf(900, false) < 3);
  assert.ok(roomOf(1100, true) < 5);
});

/** How far the 99th percentile's bound lies below it, of chunks that turns allow to be 4 ms late. */
function p99BelowMs(kind: Shadow, medianMs: number): number {
  let canary = 0;
  // Two of five canaries are later than turns allow for, so that these decide.
  const late = delaysOf(kind, () => canary++ % 5 < 2 ? 8 : medianMs);
  const later = { ...late, atMostMs: new Float64Array(CHUNKS).fill(4) };
  // Far apart, so that being late costs many ranks.
  const values = Float64Array.from(
    { length: CHUNKS },
    (_, i) => TRUE_MS / 2 + i * TRUE_MS / (CHUNKS - 1),
  );
  const { summary, bounds } = boundsOf(values, later);
  return Math.round((summary.p99 - bounds.p99.lower) * 100) / 100;
}

Deno.test("last chunks of a thread with too much to read may have been written a turn earlier", () => {
  assert.equal(p99BelowMs("last", 1.01), 5.01);
  assert.equal(p99BelowMs("last", 0.99), 4.01);
  assert.equal(p99BelowMs("first", 1.01), 4.01);
});

/** How far a mean's bound lies below it, of times whose first chunks lay unread for some time. */
function meanBelowMs(earlyMs: number): number {
  const [later, earlier] = [delaysOf("second", () => 12, 15), delaysOf("first", () => earlyMs, 15)];
  const { summary, bounds } = boundsOf(new Float64Array(CHUNKS).fill(TRUE_MS), later, earlier);
  return summary.avg - bounds.avg.lower;
}

Deno.test("delays of two chunks say nothing together where both are often read at once", () => {
  const [apart, merged] = [meanBelowMs(9.9), meanBelowMs(10.1)];
  assert.ok(apart < 5, `${apart}`);
  assert.ok(merged > 6, `${merged}`);
});

Deno.test("bounds are no closer than what chunks may have waited for while their thread was busy", () => {
  const [later, earlier] = [delaysOf("last", PROMPT, 5, 200), delaysOf("first", PROMPT, 5, 200)];
  const values = new Float64Array(200).fill(TRUE_MS);
  const busy = (delays: LocalDelays, ms: number) => ({
    ...delays,
    busyMs: new Float64Array(200).fill(ms),
  });
  const idle = boundsOf(values, later, earlier).bounds;
  const late = boundsOf(values, busy(later, 0.8), busy(earlier, 0.5)).bounds;
  for (const name of ["avg", "p50", "p90", "p95", "p99"] as const) {
    const { lower, upper } = late[name];
    assert.ok(lower <= TRUE_MS - 0.8 && lower >= Math.min(idle[name].lower, TRUE_MS - 0.82), name);
    assert.ok(upper >= TRUE_MS + 0.5 && upper <= Math.max(idle[name].upper, TRUE_MS + 0.52), name);
  }
  assert.deepEqual(boundsOf(values, busy(later, 0), busy(earlier, 0)).bounds, idle);
});

Deno.test("bounds have room for threads that wake late, no more than chunks can have been", () => {
  const names = ["avg", "p50", "p90", "p95", "p99"] as const;
  const values = new Float64Array(200).fill(TRUE_MS);
  const changesBy = (mostMs: number, laterMs: number, earlierMs: number) => {
    const [later, earlier] = [
      delaysOf("second", PROMPT, mostMs, 200),
      delaysOf("first", PROMPT, mostMs, 200),
    ];
    const usual = boundsOf(values, later, earlier).bounds;
    const late = boundsOf(
      values,
      { ...later, wakeMs: laterMs },
      { ...earlier, wakeMs: earlierMs },
    ).bounds;
    return names.map((name) =>
      [usual[name].lower - late[name].lower, late[name].upper - usual[name].upper] as const
    );
  };
  for (const [down, up] of changesBy(5, 0.8, 0.5)) {
    assert.ok(Math.abs(down - 0.8) < 1e-6 && Math.abs(up - 0.5) < 1e-6, `${down} ${up}`);
  }
  for (const [down, up] of changesBy(0.5, 0.8, 0.8)) assert.ok(down < 0.5 && up < 0.5);
});

Deno.test("a thread that wakes late changes the time between tokens by a share of that", () => {
  const all = (value: Bounds) => boundsBy(() => value);
  const [later, earlier] = [0.8, 0.5].map((wakeMs) => ({ wakeMs } as LocalDelays));
  assert.ok(later && earlier);
  const { p50 } = withWakings(
    all({ lower: 5, upper: 6 }),
    all({ lower: 0, upper: Infinity }),
    { later, earlier } as ShiftedMetric,
    1 / 10,
  );
  assert.deepEqual(p50, { lower: 5 - 0.08, upper: 6 + 0.05 });
});

Deno.test("bounds of first requests are twice as wide, no wider than what is certain", () => {
  const summary = { avg: 10, p50: 10, p90: 10, p95: 10, p99: 10 } as ShiftedMetric["summary"];
  const boundsIf = (areOfFirstWave: boolean, certain: Bounds) =>
    withFirstWave(
      boundsBy(() => ({ lower: 9, upper: 10.5 })),
      boundsBy(() => certain),
      { summary, later: { areOfFirstWave } } as ShiftedMetric,
    ).p50;
  const unknown = { lower: 0, upper: Infinity };
  assert.deepEqual(boundsIf(false, unknown), { lower: 9, upper: 10.5 });
  assert.deepEqual(boundsIf(true, unknown), { lower: 8, upper: 11 });
  assert.deepEqual(boundsIf(true, { lower: 8.5, upper: 10.75 }), { lower: 8.5, upper: 10.75 });
  assert.deepEqual(boundsIf(true, { lower: 9.5, upper: 10 }), { lower: 9, upper: 10.5 });
});

Deno.test("few values of first requests have twice the room as well", () => {
  const values = new Float64Array(9).fill(TRUE_MS);
  // Turns allow for as much as can be.
  const later = { ...delaysOf("first", PROMPT, undefined, 9), areFew: true };
  const usual = boundsOf(values, later).bounds.p90;
  const first = boundsOf(values, { ...later, areOfFirstWave: true }).bounds.p90;
  assert.ok(TRUE_MS - usual.lower > 0.1, `${usual.lower}`);
  assert.ok(Math.abs(TRUE_MS - first.lower - 2 * (TRUE_MS - usual.lower)) < 1e-6, `${first.lower}`);
});

Deno.test("high percentiles are as far off as the latest of few canaries was", () => {
  /** Rooms of values whose beginnings and ends can have lain unread for half a millisecond. */
  const roomsOf = (count: number, canaryCount: number) => {
    let canary = 0;
    const seldomLate: Draw = () => canary++ % canaryCount === 7 ? 3 : 0.01;
    const delays = (kind: Shadow) => delaysOf(kind, seldomLate, 0.5, count, canaryCount);
    const values = new Float64Array(count).fill(TRUE_MS);
    const { p50, p90 } = boundsOf(values, delays("second"), delays("first")).bounds;
    return [p50, p90].flatMap(({ lower, upper }) => [TRUE_MS - lower, upper - TRUE_MS]);
  };
  const [p50Below, p50Above, p90Below, p90Above] = roomsOf(200, 59);
  assert.ok(p90Below && p90Above && Math.abs(p90Below - 3) < 0.02, `${p90Below}`);
  assert.ok(Math.abs(p90Above - 3) < 0.02, `${p90Above}`);
  assert.ok(p50Below && p50Above && p50Below < 1.1 && p50Above < 1.1, "the median is not");
  for (const room of roomsOf(200, 200)) assert.ok(room < 1.1, `${room} by many canaries`);
  for (const room of roomsOf(9, 200)) assert.ok(room < 1.1, `${room} of few values`);
});
