import assert from "node:assert/strict";
import { CANARY_KIND } from "../../../src/measurement/canary/canary_kind.ts";
import { CanaryLog } from "../../../src/measurement/canary/canary_log.ts";
import { delaysByKind } from "../../../src/measurement/own_error/delays_by_kind.ts";
import {
  type ErrorCircumstances,
  errorReasons,
} from "../../../src/measurement/own_error/error_reasons.ts";

const S = 1e9;

function log(...rows: (readonly [worker: number, ...row: number[]])[]): CanaryLog {
  const canaries = new CanaryLog();
  for (const [worker, ...row] of rows) canaries.add(worker, Float64Array.from(row));
  return canaries;
}

function reasons(canaries: CanaryLog, rest: Partial<ErrorCircumstances> = {}): string[] {
  return errorReasons({
    verdict: "invalid",
    delays: delaysByKind(canaries),
    window: { startNs: 100 * S, endNs: 110 * S },
    originNs: 100 * S,
    workers: 1,
    streams: 64,
    cpuCores: 0.5,
    cores: 2,
    ...rest,
  });
}

const stall = (worker: number, from: number, to: number) =>
  [worker, CANARY_KIND.stall, (100 + from) * S, NaN, (100 + to) * S] as const;

/** Canaries that were read at once, one a second over the whole run. */
const calm = (worker: number) =>
  Array.from({ length: 11 }, (_, second) => {
    const readNs = (100 + second) * S;
    return [worker, CANARY_KIND.poisson, readNs, readNs, readNs] as const;
  });

/** The first seconds, in which there are all canaries of {@linkcode delayed}. */
const SHORT = { window: { startNs: 100 * S, endNs: 102 * S } };

/** Canaries that lay unread for so many milliseconds, a hundred of them in a second. */
const delayed = (worker: number, count: number, delayMs: number) =>
  Array.from({ length: count }, (_, i) => {
    const written = 100 * S + i * 1e7;
    return [worker, CANARY_KIND.poisson, written, written, written + delayMs * 1e6] as const;
  });

Deno.test("errorReasons gives none for a valid run", () => {
  assert.deepEqual(reasons(log(stall(0, 1, 9)), { verdict: "valid" }), []);
});

Deno.test("errorReasons tells when how much of its time the process did not get", () => {
  assert.deepEqual(
    reasons(log(...calm(0), stall(0, 2.5, 3), stall(0, 3.2, 3.7), stall(0, 8, 8.05))),
    [
      "CPU starvation from 2 s to 4 s: the client got 50 % of the CPU time it needed; " +
      "use an idle machine, or stop other processes on this one",
    ],
  );
});

Deno.test("errorReasons shares the time lost out among the workers, and blames the load for its own", () => {
  const canaries = log(...calm(0), ...calm(1), stall(0, 4, 5), stall(1, 4, 4.5));
  const [reason] = reasons(canaries, { workers: 2, cpuCores: 1.9 });
  assert.match(
    reason as string,
    / from 4 s to 5 s: the client got 25 % of the CPU time it needed;/,
  );
  assert.match(reason as string, /the client itself used 1\.9 of 2 cores; use a larger machine/);
});

Deno.test("errorReasons does not tell of stalls that took little of every second", () => {
  assert.doesNotMatch(reasons(log(stall(0, 1, 1.09))).join(), /CPU starvation/);
});

Deno.test("errorReasons tells for how long chunks lay unread, and of more workers", () => {
  assert.deepEqual(reasons(log(...delayed(0, 40, 12)), SHORT), [
    "Read delay: chunks waited up to 12 ms (p99) in the socket before the load worker " +
    "read them; use --workers 2, or reduce the load",
  ]);
  const [reason] = reasons(log(...delayed(0, 40, 1), ...delayed(1, 40, 3.25)), {
    ...{ workers: 2, cores: 8 },
    ...SHORT,
  });
  assert.equal(
    reason,
    "Read delay: chunks waited up to 3.3 ms (p99) in the socket before load worker 1 read " +
      "them; use --workers 4, or reduce the load",
  );
  // The worst of several is told.
  const [worst] = reasons(log(...delayed(0, 40, 3), ...delayed(1, 40, 300)), {
    workers: 2,
    ...SHORT,
  });
  assert.match(
    worst as string,
    /^Read delay: chunks waited up to 300 ms .* before load worker 1 read/,
  );
  // Of two shards, each is told how many workers to have.
  const [shards] = reasons(log(...delayed(0, 40, 1), ...delayed(1, 40, 3.25)), {
    ...{ workers: 2, processes: 2, cores: 8 },
    ...SHORT,
  });
  assert.match(shards as string, /; use --workers 2, or reduce the load$/);
  // No more than there are cores.
  const late = log(...delayed(0, 40, 1), ...delayed(1, 40, 3.25));
  const [most] = reasons(late, { workers: 2, cores: 3, ...SHORT });
  assert.match(most as string, /; use --workers 3, or reduce the load$/);
  const [shared] = reasons(late, { workers: 4, processes: 2, cores: 5, ...SHORT });
  assert.match(shared as string, /; use --workers 3, or reduce the load$/);
  const [none] = reasons(late, { workers: 2, cores: 2, ...SHORT });
  assert.match(none as string, /; use a larger machine, or reduce the load$/);
  const [own] = reasons(log(...delayed(0, 40, 12)), { cpuCores: 1.8, ...SHORT });
  assert.match(own as string, /use a larger machine, or reduce the load/);
});

Deno.test("errorReasons advises more requests where nothing was late, as long as they would tell more", () => {
  assert.match(
    reasons(log(...delayed(0, 9, 50)), SHORT).join(),
    /^Too few canary samples to bound the client error; increase --request-count$/,
  );
  assert.match(
    reasons(log(...delayed(0, 40, 0.1)), SHORT).join(),
    /or the sample is too small; increase --request-count/,
  );
  // More of them would tell nothing more.
  const window = { startNs: 100 * S, endNs: 106 * S };
  assert.deepEqual(reasons(log(...delayed(0, 600, 0.1)), { window }), [
    "Latencies are small relative to the client error; use an idle or a faster machine",
  ]);
});

Deno.test("errorReasons advises no more workers where each has few streams, unless they are busy", () => {
  const late = log(...delayed(0, 40, 12));
  const idle = /^Read delay: .*; use an idle machine, or stop other processes on this one$/;
  assert.match(reasons(late, { streams: 1, ...SHORT }).join(), idle);
  assert.match(reasons(late, { streams: 31, workers: 2, cpuCores: NaN, ...SHORT }).join(), idle);
  assert.match(reasons(late, { streams: 4, cpuCores: 0.7, ...SHORT }).join(), /use --workers 2/);
  assert.match(reasons(late, { streams: NaN, ...SHORT }).join(), /use --workers 2/);
});

Deno.test("errorReasons blames no load for what lay unread while the thread stood still", () => {
  const late = delayed(0, 40, 12);
  // The thread stood still for the first 420 of 552 ms.
  const [reason, ...others] = reasons(log(...late, stall(0, 0, 0.42)), SHORT);
  assert.match(reason as string, /^CPU starvation from .* got 58 %/);
  assert.deepEqual(others, []);
});

Deno.test("errorReasons tells of a part of a run what happened in it, in seconds of the whole", () => {
  const canaries = log(...delayed(0, 40, 12), ...calm(0).slice(4), stall(0, 6.2, 6.6));
  const of = (from: number, to: number) =>
    reasons(canaries, { window: { startNs: (100 + from) * S, endNs: (100 + to) * S } });
  assert.match(of(0, 2).join(), /^Read delay: chunks waited up to 12 ms/);
  assert.match(of(5, 8).join(), /^CPU starvation from 6 s to 7 s: the client got 60 % of [^:]*$/);
  assert.match(
    of(8, 10).join(),
    /^Too few canary samples to bound the client error; increase --request-count$/,
  );
});

Deno.test("errorReasons tells the ends of short slices apart", () => {
  const of = (from: number, to: number) =>
    reasons(log(...calm(0), stall(0, 2.1, 3)), {
      window: { startNs: (100 + from) * S, endNs: (100 + to) * S },
    }).join();
  assert.match(of(2.15, 2.2), / from 2\.15 s to 2\.2 s: /);
  assert.match(of(2.25, 2.5), / from 2\.25 s to 2\.5 s: /);
  assert.match(of(2.201, 2.202), / from 2\.201 s to 2\.202 s: /);
});

Deno.test("errorReasons counts of a second only the part that lies in the window", () => {
  const short = { window: { startNs: 100 * S, endNs: 100.4 * S } };
  assert.match(
    reasons(log(stall(0, 0.1, 0.16)), short).join(),
    / from 0 s to 0\.4 s: the client got 85 % of the CPU time it needed; use an idle machine/,
  );
  // What was lost in the same second, but before the slice, is not told of it.
  const later = { window: { startNs: 101.5 * S, endNs: 103 * S } };
  const before = log(...calm(0), stall(0, 1.1, 1.4));
  assert.doesNotMatch(reasons(before, later).join(), /CPU starvation/);
  // Nor does the first moment of a second stand for a stretch.
  const sliver = { window: { startNs: 101 * S, endNs: 104.01 * S } };
  assert.doesNotMatch(
    reasons(log(...calm(0), stall(0, 4, 4.008)), sliver).join(),
    /CPU starvation/,
  );
});

Deno.test("errorReasons tells of the whole run where all of it is in doubt, but nothing in the window", () => {
  const canaries = log(...calm(0), stall(0, 1, 3));
  assert.deepEqual(reasons(canaries, { window: { startNs: 105 * S, endNs: 107 * S } }), [
    "CPU starvation over the whole run: the client got 80 % of the CPU time it needed; " +
    "use an idle machine, or stop other processes on this one",
  ]);
});

Deno.test("errorReasons tells of the time in which nothing measured the client's own error", () => {
  const nothing = (from: number, to: number) =>
    `Client error unknown from ${from} s to ${to} s (no canary was read); rerun`;
  // The last canary is read after 0.4 s; what comes within three seconds is like it.
  assert.deepEqual(reasons(log(...delayed(0, 40, 1))), [nothing(3.4, 10)]);
  assert.deepEqual(reasons(log()), [nothing(0, 10)]);
  assert.match(
    reasons(log(), SHORT).join(),
    /^Too few canary samples to bound the client error; increase --request-count$/,
  );
  // One of two load workers has lost its connections.
  const half = log(...calm(0), ...delayed(1, 40, 1));
  assert.deepEqual(reasons(half, { workers: 2 }), [nothing(3.4, 10)]);
  assert.deepEqual(reasons(log(...calm(0)), { workers: 3 }), [
    "Client error unknown on 2 of 3 load workers (no canary was read); rerun",
  ]);
  // No canary was read as the whole process stood still.
  const stopped = log(...calm(0).slice(0, 2), stall(0, 1, 9), ...calm(0).slice(9));
  assert.doesNotMatch(reasons(stopped).join(), /Client error unknown/);
});

Deno.test("errorReasons tells what fetch keeps canaries from telling", () => {
  const canaries = log(...delayed(0, 40, 1));
  const of = (areCanariesOther: boolean) =>
    reasons(canaries, {
      delays: delaysByKind(canaries, { isByFetch: true, areCanariesOther, itlMs: 3 }),
      ...SHORT,
    });
  assert.deepEqual(of(false), [
    "--transport fetch reads replies serially and may have read them later than they were " +
    "written; use --transport socket, or fewer streams",
  ]);
  assert.match(of(true).join(), /^Client error unknown: .*; set NO_PROXY=127\.0\.0\.1$/);
});

Deno.test("errorReasons tells of replies that came faster than they were read", () => {
  assert.deepEqual(reasons(log(...calm(0)), { piledMs: 123.4 }), [
    "Reply backlog: replies arrived faster than they were read; their ends waited up to 123 ms " +
    "(p99); use --workers 2, or reduce the load",
  ]);
  assert.equal(
    reasons(log(...calm(0)), { piledMs: 1.9 }).some((text) => /backlog/.test(text)),
    false,
  );
});
