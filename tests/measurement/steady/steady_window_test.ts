import assert from "node:assert/strict";
import { randomStream } from "../../../src/core/statistics/random_stream.ts";
import type { ErrorKind } from "../../../src/client/record/error_kind.ts";
import type { OfferedLoad } from "../../../src/measurement/steady/offered_load.ts";
import { steadyWindow } from "../../../src/measurement/steady/steady_window.ts";
import { recordTable } from "../../support/record_tables.ts";
import { recordWith } from "../../support/records.ts";

const SECOND = 1e9;

interface Request {
  readonly startS: number;
  /** End; the first token comes at `ttftS` after the start. */
  readonly endS: number;
  readonly ttftS?: number;
  readonly intendedS?: number;
  readonly session?: number;
  readonly error?: ErrorKind;
}

function found(requests: readonly Request[], load: OfferedLoad) {
  const table = recordTable();
  const values = new Float64Array(table.metrics.length);
  const ns = (seconds: number): number => Math.round(seconds * SECOND);
  requests.forEach(({ startS, endS, ttftS = 0.05, intendedS = startS, session = 0, error }) => {
    const chunkNs = error === undefined
      ? Float64Array.of(ns(startS + ttftS), ns(endS))
      : new Float64Array(0);
    table.add(
      recordWith({
        ...{ startNs: ns(startS), endNs: ns(endS), chunkNs, intendedNs: ns(intendedS), session },
        ...(error === undefined ? {} : { error }),
      }),
      values,
    );
  });
  const { window, facts } = steadyWindow(table, load);
  const none = "none" in window ? window.none : undefined;
  const [startS, endS] = "none" in window
    ? [NaN, NaN]
    : [window.startNs / SECOND, window.endNs / SECOND];
  return { facts, none, startS, endS };
}

/** A closed loop of slots that each take a request after another, of a time to first token by number. */
function closedLoop(
  slots: number,
  count: number,
  latencyS: (index: number) => number,
  ttftS: (index: number) => number = () => 0.05,
): Request[] {
  const free = new Array(slots).fill(0);
  return Array.from({ length: count }, (_, index) => {
    const startS = Math.min(...free);
    const endS = startS + latencyS(index);
    free[free.indexOf(startS)] = endS;
    return { startS, endS, ttftS: ttftS(index) };
  });
}

const closed = (slots: number, hasTurns = false): OfferedLoad => ({
  ...{ loop: "closed", slots, hasTurns },
});
const open = (lastArrivalS?: number): OfferedLoad => ({
  ...{ loop: "open", hasTurns: false },
  lastArrivalNs: lastArrivalS === undefined ? undefined : lastArrivalS * SECOND,
});

Deno.test("steadyWindow of a closed loop ends when 5 % of its slots are free for good", () => {
  const random = randomStream(1, "closed");
  // 100 slots may lose five, 16 none.
  for (const [slots, spare] of [[16, 0], [100, 5], [40, 2], [1, 0]] as const) {
    const requests = closedLoop(slots, 50 * slots, () => 1 + 0.2 * random());
    const ends = requests.map(({ endS }) => endS).sort((a, b) => a - b);
    const { endS, none } = found(requests, closed(slots));
    assert.equal(none, undefined);
    assert.ok(Math.abs(endS - (ends[ends.length - slots + spare] as number)) < 1e-6, `${slots}`);
  }
});

Deno.test("steadyWindow of a closed loop goes on while its slots wait for a server that hangs", () => {
  // 16 slots; the server answers until 3 s, and the run is cut off at 8 s.
  const answered = closedLoop(16, 480, () => 0.1);
  const hung = Array.from({ length: 16 }, (): Request => ({
    ...{ startS: 3, endS: 8, error: "cut_off" },
  }));
  const { startS, endS, facts } = found([...answered, ...hung], closed(16));
  assert.equal(endS, 8);
  assert.ok(startS < 0.5);
  assert.ok(Math.abs(facts.servedPerSecond - 464 / (8 - startS)) < 5, `${facts.servedPerSecond}`);
  assert.ok(facts.meanInFlight > 15.5);
});

Deno.test("steadyWindow ends when the first slot has no session left, where the rules of a run say so", () => {
  const firstIdleNs = 3.5 * SECOND;
  const requests = closedLoop(4, 20, () => 1);
  const { startS, endS, none, facts } = found(requests, {
    ...{ loop: "closed", slots: 4, hasTurns: true, firstIdleNs },
  });
  assert.deepEqual([startS, endS, none], [0, 3.5, undefined], "however few requests there are");
  assert.equal(facts.servedPerSecond, 12 / 3.5);
  const late = requests.map((request) => ({ ...request, startS: request.startS + 4, endS: 9 }));
  const failed = [{ startS: 0, endS: 1, error: "timeout" as const }, ...late];
  assert.match(
    found(failed, { loop: "closed", slots: 4, hasTurns: true, firstIdleNs }).none ?? "",
    /^no request that starts before the first slot has no session left succeeds$/,
  );
});

Deno.test("steadyWindow begins after the burst of first requests", () => {
  const requests = closedLoop(
    16,
    320,
    () => 0.6,
    (index) => index < 16 ? 0.03 * (index + 1) : 0.08,
  );
  const { startS } = found(requests, closed(16));
  // The second round begins at 0.6 s.
  assert.ok(startS >= 0.6 && startS <= 1.2, `${startS}`);
});

Deno.test("steadyWindow of an open loop ends with its last planned arrival", () => {
  const requests = Array.from({ length: 400 }, (_, i) => ({ startS: i / 20, endS: i / 20 + 1 }));
  assert.equal(found(requests, open()).endS, 19.95);
  assert.equal(found(requests, open(20)).endS, 20);
  const { facts } = found(requests, open(20));
  assert.ok(Math.abs(facts.offeredPerSecond - 20) < 0.1);
  assert.ok(Math.abs(facts.backlog?.perSecond ?? NaN) < 0.05);
});

Deno.test("steadyWindow is none where the backlog grows", () => {
  // 40 arrive a second, 30 are served.
  const requests = Array.from({ length: 800 }, (_, i) => ({
    ...{ startS: i / 40, endS: Math.max(i / 40 + 0.5, (i + 1) / 30) },
  }));
  const { none, facts } = found(requests, open());
  assert.match(none ?? "", /^the backlog grows by (9|10)[.\d]* requests\/s$/);
  assert.ok(Math.abs((facts.backlog?.perSecond ?? NaN) - 10) < 1);
  assert.ok((facts.backlog?.lower ?? NaN) > 5);
  assert.ok(facts.servedPerSecond < 31);
});

Deno.test("steadyWindow is none where the load varies, requests are few, or the run is short", () => {
  const requests = closedLoop(4, 40, () => 1);
  assert.equal(
    found(requests, { loop: "varying", form: "a ramp of the request rate" }).none,
    "the load varies on purpose: a ramp of the request rate",
  );
  assert.match(found(closedLoop(4, 20, () => 1), closed(4)).none ?? "", /^only \d+ requests start/);
  assert.match(found(closedLoop(64, 40, () => 1), closed(64)).none ?? "", /^the 64 slots were not/);
  const uneven = closedLoop(64, 80, (index) => index < 64 ? 1 + index / 20 : 3);
  assert.match(
    found(uneven, closed(64)).none ?? "",
    /^its [\d.]+ s are shorter than the mean latency of [\d.]+ s$/,
  );
});

Deno.test("steadyWindow of sessions of several turns goes by slots alone", () => {
  // Two slots: sessions of three turns, 1 s each, 0.5 s apart.
  const requests = Array.from(
    { length: 20 },
    (_, session) =>
      Array.from({ length: 3 }, (_, turn) => {
        const startS = Math.floor(session / 2) * 4.5 + turn * 1.5;
        return { startS, endS: startS + 1, ttftS: 0.9 - 0.3 * turn, session };
      }),
  ).flat();
  const { startS, endS } = found(requests, closed(2, true));
  assert.equal(startS, 0);
  // The last two sessions end together.
  assert.equal(endS, 9 * 4.5 + 4);
});

Deno.test("steadyWindow is none where no request succeeds", () => {
  const requests = Array.from({ length: 40 }, (): Request => ({
    ...{ startS: 0, endS: 100, error: "cut_off" },
  }));
  assert.equal(found(requests, closed(40)).none, "no request that starts in it succeeds");
});
