import assert from "node:assert/strict";
import { type LocalDelays, localDelays } from "../../src/own_error/local_delays.ts";
import { quantileShifts } from "../../src/own_error/quantile_shift.ts";
import { CLOCK_MS } from "../../src/own_error/bounded_statistics.ts";
import { statisticBounds } from "../../src/own_error/statistic_bounds.ts";
import { randomStream } from "../../src/statistics/random_stream.ts";
import { summarize } from "../../src/statistics/summarize.ts";

const MS = 1e6;
const MEDIAN_MS = 100;
const CANARIES = 4000;
const CHUNK_GAP_MS = 40;

/** Delays of chunks that are read one by one, told by canaries with these delays in turn. */
function delaysOf(
  chunks: number,
  delaysMs: readonly number[],
  canaryCount = CANARIES,
  kind: "first" | "last" = "first",
  atMostMs?: number,
): LocalDelays {
  const spanMs = chunks * CHUNK_GAP_MS;
  const readNs = Float64Array.from(
    { length: canaryCount },
    (_, i) => i * spanMs / canaryCount * MS,
  );
  const delayNs = readNs.map((_, i) => (delaysMs[i % delaysMs.length] as number) * MS);
  const canaries = new Map([[0, { readNs, delayNs }]]);
  const stampNs = Float64Array.from({ length: chunks }, (_, i) => i * CHUNK_GAP_MS * MS);
  const atMostNs = atMostMs === undefined ? undefined : stampNs.map(() => atMostMs * MS);
  const delays = localDelays({ workers: new Float64Array(chunks), stampNs, atMostNs }, kind, {
    ...{ first: canaries, second: canaries, last: canaries, all: canaries },
    isUnwatched: () => false,
    wake: { meanNs: 0, deviationNs: 0, count: 0 },
  });
  assert.ok(delays);
  return delays;
}

interface Below {
  readonly actual: number;
  readonly shiftMs: number;
  readonly roomMs: number;
  /** Of all delays. */
  readonly meanMs: number;
}

/**
 * Bounds of spread out times, and how far they would be below if delays hung together with nothing.
 * @param spread of the times, as a share of their median
 */
function boundsOf(
  chunks: number,
  delaysMs: readonly number[],
  canaryCount?: number,
  spread = 1,
  kind?: "first" | "last",
) {
  const random = randomStream(3, "times");
  const values = Float64Array.from(
    { length: chunks },
    () => MEDIAN_MS * (1 + spread * (random() - 0.5)),
  );
  const later = delaysOf(chunks, delaysMs, canaryCount, kind);
  const summary = summarize(values);
  assert.ok(summary);
  const bounds = statisticBounds({
    ...{ summary, values, divisors: undefined, later, earlier: undefined },
  });
  const percentiles = [["p50", 50], ["p90", 90]] as const;
  const shifts = quantileShifts(
    values.slice().sort(),
    chunks,
    percentiles.map(([, p]) => p),
    1,
    later.timed,
    undefined,
  );
  const below = Object.fromEntries(percentiles.map(([name], index) => {
    const { shiftMs, standardErrorMs, drawnMs } = shifts[index] ?? assert.fail();
    return [name, {
      actual: summary[name] - bounds[name].lower - CLOCK_MS,
      shiftMs,
      roomMs: 2 * Math.hypot(standardErrorMs, drawnMs) + 0.1,
      meanMs: later.meanNs / MS,
    }];
  }));
  return below as Record<"p50" | "p90", Below>;
}

function equals(actual: number, expected: number): void {
  assert.ok(Math.abs(actual - expected) < 1e-9, `${actual}, not ${expected}`);
}

const CALM = [0.2, 0.4, 1, 3];

Deno.test("a median is shifted by at most five quarters of what independent delays do, in calm runs", () => {
  const { p50, p90 } = boundsOf(400, CALM);
  equals(p50.actual, 1.25 * p50.shiftMs + p50.roomMs);
  equals(p90.actual, 1.5 * p90.shiftMs + p90.roomMs);
});

Deno.test("a median is shifted by half as much again where a delay is a tenth of it", () => {
  // Of a thousand canaries one.
  const disturbed = Array.from({ length: 1000 }, (_, i) => i === 500 ? 12 : CALM[i % 4] as number);
  const { p50, p90 } = boundsOf(400, disturbed);
  equals(p50.actual, 1.5 * p50.shiftMs + p50.roomMs);
  assert.ok(p90.actual > 1.5 * p90.shiftMs + p90.roomMs, "higher percentiles need calm");
});

Deno.test("a median of first chunks is shifted by up to three halves of the mean delay where most are a twentieth of it", () => {
  const delayedBy = (usual: number, kind: "first" | "last") =>
    boundsOf(400, [usual, usual, usual, 25], CANARIES, 0.3, kind).p50;
  const [short, long, last] = [
    delayedBy(4, "first"),
    delayedBy(6, "first"),
    delayedBy(6, "last"),
  ];
  assert.ok([short, long].every(({ meanMs, shiftMs }) => meanMs > shiftMs + 0.3));
  equals(short.actual, 1.5 * short.shiftMs + short.roomMs);
  equals(long.actual, 1.5 * long.meanMs + long.roomMs);
  equals(last.actual, 1.5 * last.shiftMs + last.roomMs);
});

Deno.test("a percentile's independent shift needs four values beyond it", () => {
  const delaysMs = [0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 1, 9];
  const enough = boundsOf(45, delaysMs).p90;
  equals(enough.actual, 1.5 * enough.shiftMs + enough.roomMs);
  const few = boundsOf(35, delaysMs).p90;
  assert.ok(Math.abs(few.actual - (1.5 * few.shiftMs + few.roomMs)) > 0.01);
});

Deno.test("a few canaries do not tell by how much delays shift the median", () => {
  const [few, more] = [59, 60].map((canaries) => boundsOf(2000, [0.1, 0.2, 0.3], canaries).p50);
  assert.ok(few && more);
  equals(more.actual, 1.25 * more.shiftMs + more.roomMs);
  assert.ok(few.actual > 2 * more.actual, `${few.actual} after ${more.actual}`);
});

Deno.test("a percentile of a sample of the times is as sure as one of all of them", () => {
  const chunks = 12_000;
  const values = Float64Array.from({ length: chunks }, (_, i) => 1000 + i);
  const summary = summarize(values);
  const roomOf = (later: LocalDelays) =>
    summary.p90 -
    statisticBounds({ summary, values, divisors: undefined, later, earlier: undefined })
      .p90.lower;
  // A sample is taken where it is known of each how late it can have been.
  const all = roomOf(delaysOf(chunks, CALM));
  const sampled = roomOf(delaysOf(chunks, CALM, CANARIES, "first", 50));
  assert.ok(all > 2, `${all}`);
  assert.ok(Math.abs(sampled / all - 1) < 0.05, `${sampled} beside ${all}`);
});
