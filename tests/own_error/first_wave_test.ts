import assert from "node:assert/strict";
import { CanaryLog } from "../../src/canary/canary_log.ts";
import { delaysByKind } from "../../src/own_error/delays_by_kind.ts";
import { areOfFirstWave, firstWave } from "../../src/own_error/first_wave.ts";
import type { RequestTimes } from "../../src/own_error/last_factor.ts";

const MS = 1e6;

/** A request: its thread, start, time to first token and end, in milliseconds. */
type Row = [worker: number, start: number, ttft: number, end: number];

function requestsOf(...rows: Row[]) {
  const column = (at: 0 | 1 | 2 | 3, unit: number) =>
    Float64Array.from(rows, (row) => row[at] * unit);
  return {
    ...{
      workers: column(0, 1),
      startNs: column(1, MS),
      ttftMs: column(2, 1),
      endNs: column(3, MS),
    },
    itlMs: undefined,
  } satisfies RequestTimes;
}

/** Whether many of the first rows are of the first wave. */
function areMany(requests: RequestTimes, rows: number): boolean {
  return areOfFirstWave(
    Uint32Array.from({ length: rows }, (_, i) => i),
    requests,
    firstWave(requests),
  );
}

Deno.test("the first wave of a thread ends with the first first chunk that it reads", () => {
  const { count, readNs } = firstWave(
    requestsOf([0, 0, 30, 90], [0, 5, 20, 95], [0, 24, 30, 99], [0, 25, 30, 99], [1, 25, 30, 60]),
  );
  assert.deepEqual([...readNs], [[0, 25 * MS], [1, 55 * MS]]);
  assert.equal(count, 4, "what starts at that moment is none of it");
});

Deno.test("the first wave ends with a reply in one piece as with a first chunk, and with no failure", () => {
  const wave = firstWave(
    requestsOf([0, 0, NaN, NaN], [0, 1, NaN, 40], [0, 2, 50, 90], [0, 41, 1, 43]),
  );
  assert.deepEqual([...wave.readNs], [[0, 40 * MS]]);
  assert.equal(wave.count, 3);
  assert.deepEqual([...firstWave({ ...requestsOf([0, 0, 5, 9]), ttftMs: undefined }).readNs], [
    [0, 9 * MS],
  ]);
});

Deno.test("many requests of some rows are of the first wave if it is a quarter of them", () => {
  const late = Array.from({ length: 7 }, (_, i): Row => [0, 100 + i, 10, 150]);
  const requests = requestsOf([0, 0, 10, 50], [0, 1, 10, 50], ...late);
  assert.deepEqual([1, 2, 8, 9].map((rows) => areMany(requests, rows)), [true, true, true, false]);
  const wave = firstWave(requests);
  assert.equal(areOfFirstWave(Uint32Array.of(0, 2, 3, 4), requests, wave), true);
  assert.equal(areOfFirstWave(Uint32Array.of(5, 6, 7, 8), requests, wave), false);
});

Deno.test("the first wave of a run is found once, for its parts, too", () => {
  const delays = delaysByKind(new CanaryLog());
  const wave = delays.firstWave(requestsOf([0, 0, 10, 50]));
  assert.equal(delays.firstWave(requestsOf([0, 0, 99, 100])), wave);
});
