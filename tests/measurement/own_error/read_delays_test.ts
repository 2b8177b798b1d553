import assert from "node:assert/strict";
import fc from "fast-check";
import type { WorkerDelays } from "../../../src/measurement/own_error/canary_delays.ts";
import { readDelays } from "../../../src/measurement/own_error/read_delays.ts";

const MS = 1e6;

/** Canaries of one worker, 10 ms apart from 0, with the given read delays in ms. */
function canaries(delaysMs: readonly number[]): WorkerDelays {
  return {
    readNs: Float64Array.from(delaysMs, (_, i) => i * 10 * MS),
    delayNs: Float64Array.from(delaysMs, (ms) => ms * MS),
  };
}

/** Bounds of one chunk of worker 0, in ms, rounded to the nanosecond. */
function boundsOf(
  kind: "first" | "second" | "last",
  stampMs: number,
  sets: {
    readonly all: ReadonlyMap<number, WorkerDelays>;
    readonly last?: ReadonlyMap<number, WorkerDelays>;
    readonly isUnwatched?: boolean;
  },
  atMostMs = Infinity,
): { mean: number; latest: number } {
  const { meanMs, latestMs } = readDelays(
    {
      workers: Float64Array.of(0),
      stampNs: Float64Array.of(stampMs * MS),
      atMostNs: Float64Array.of(atMostMs * MS),
    },
    kind,
    { all: sets.all, last: sets.last ?? sets.all, isUnwatched: () => sets.isUnwatched === true },
  );
  const rounded = (ms: number | undefined): number => Math.round((ms ?? NaN) * 1e6) / 1e6;
  return { mean: rounded(meanMs[0]), latest: rounded(latestMs[0]) };
}

Deno.test("readDelays are twice the canaries' and half a millisecond, of last chunks four times", () => {
  const all = new Map([[0, canaries([1, 3, 2, 2])]]);
  assert.deepEqual(boundsOf("first", 15, { all }), { mean: 4.5, latest: 6.5 });
  assert.deepEqual(boundsOf("second", 15, { all }), { mean: 4.5, latest: 6.5 });
  assert.deepEqual(boundsOf("last", 15, { all }), { mean: 8.5, latest: 12.5 });
});

Deno.test("readDelays use the 15 canaries read nearest to the chunk", () => {
  const delaysMs = new Array(41).fill(0.1);
  for (const [far, near] of [[12, 13], [28, 27]] as const) {
    const withLate = (at: number) => new Map([[0, canaries(delaysMs.with(at, 9))]]);
    assert.equal(boundsOf("first", 201, { all: withLate(near) }).latest, 18.5, `${near}`);
    assert.equal(boundsOf("first", 199, { all: withLate(near) }).latest, 18.5, `${near}`);
    assert.equal(boundsOf("first", 200, { all: withLate(far) }).latest, 0.7, `${far}`);
  }
});

Deno.test("readDelays of last chunks also use the canaries written when replies ended", () => {
  const all = new Map([[0, canaries([1, 1, 1, 1])]]);
  const last = new Map([[0, canaries([2, 4])]]);
  assert.deepEqual(boundsOf("last", 5, { all, last }), { mean: 12.5, latest: 16.5 });
  assert.deepEqual(boundsOf("first", 5, { all, last }), { mean: 2.5, latest: 2.5 });
  const sooner = new Map([[0, canaries([0.1])]]);
  assert.deepEqual(boundsOf("last", 5, { all, last: sooner }), { mean: 4.5, latest: 4.5 });
});

Deno.test("readDelays of a worker without canaries use those of all others", () => {
  const all = new Map([[1, canaries([1, 2])], [2, canaries([5, 2])]]);
  assert.deepEqual(boundsOf("first", 0, { all }), { mean: 5.5, latest: 10.5 });
});

Deno.test("readDelays of an unwatched time are what is certain alone", () => {
  const all = new Map([[0, canaries([1])]]);
  const unwatched = { all, isUnwatched: true };
  assert.deepEqual(boundsOf("first", 0, unwatched, 30), { mean: 30, latest: 30 });
});

Deno.test("readDelays never exceed the certain limit, and the mean never exceeds the latest", () => {
  const delay = fc.double({ min: 0, max: 1e3, noNaN: true });
  fc.assert(fc.property(
    fc.array(delay, { minLength: 1, maxLength: 60 }),
    fc.double({ min: 0, max: 700, noNaN: true }),
    delay,
    fc.constantFrom("first" as const, "second" as const, "last" as const),
    (delaysMs, stampMs, atMostMs, kind) => {
      const all = new Map([[0, canaries(delaysMs)]]);
      const { mean, latest } = boundsOf(kind, stampMs, { all }, atMostMs);
      assert.ok(mean <= latest && latest <= atMostMs + 1e-6, `${mean} ${latest} ${atMostMs}`);
      assert.ok(mean >= Math.min(0.5, atMostMs) - 1e-6);
    },
  ));
});
