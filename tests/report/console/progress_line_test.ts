import assert from "node:assert/strict";
import type { PhasePlan } from "../../../src/config/plan/run_plan.ts";
import { ProgressLine, progressText } from "../../../src/report/console/progress_line.ts";
import type { RunProgress } from "../../../src/report/model/run_progress.ts";

const PLAN: PhasePlan = {
  kind: "profiling",
  load: { loop: "closed", concurrency: 8 },
  requestCount: 200,
  durationNs: Infinity,
  graceNs: Infinity,
};

function progressWith(fields: Partial<RunProgress> = {}): RunProgress {
  return {
    phase: "profiling",
    plan: PLAN,
    elapsedSeconds: 5,
    sent: 58,
    done: 50,
    inFlight: 8,
    limit: 8,
    failed: 0,
    tokens: 5000,
    ttftP50Ms: NaN,
    itlP50Ms: NaN,
    ...fields,
  };
}

/** A screen that keeps what is written. */
function screenOf(overwrites: boolean, width = 80): { written: string[]; line: ProgressLine } {
  const written: string[] = [];
  const line = new ProgressLine({
    overwrites,
    width: () => width,
    write: (text) => written.push(text),
  });
  return { written, line };
}

const RATES = { requests: 10, tokens: 1690 };

const TEXTS: readonly (readonly [Partial<RunProgress>, number, string])[] = [
  [{}, 200, "50 of 200 requests  8 streams  1,690 tok/s  0 failed  15 s left"],
  [
    { phase: "warmup", ttftP50Ms: 52.34, itlP50Ms: 5.678, failed: 3 },
    200,
    "warm-up  50 of 200 requests  8 streams  1,690 tok/s  TTFT 52 ms  ITL 5.7  3 failed  15 s left",
  ],
  [
    {
      plan: { ...PLAN, requestCount: Infinity, durationNs: 45e9 },
      ...{ elapsedSeconds: 12.4, running: 8, waiting: 24, ttftP50Ms: 4903, itlP50Ms: 12.2 },
    },
    200,
    "12 of 45 s  50 done  8 running 24 waiting  1,690 tok/s  TTFT 4,903 ms  ITL 12  0 failed",
  ],
  // What matters least is given up first: ITL, TTFT, streams.
  [
    { phase: "warmup", ttftP50Ms: 52.34, itlP50Ms: 5.678, failed: 3 },
    87,
    "warm-up  50 of 200 requests  8 streams  1,690 tok/s  TTFT 52 ms  3 failed  15 s left",
  ],
  [
    { ttftP50Ms: 60.9, itlP50Ms: 8.01, inFlight: 16 },
    89,
    "50 of 200 requests  16 streams  1,690 tok/s  TTFT 61 ms  ITL 8.0  0 failed  15 s left",
  ],
  [{}, 20, "0 failed  15 s left"],
  [
    { plan: { ...PLAN, requestCount: Infinity, durationNs: 60e9 } },
    200,
    "5 of 60 s  50 done  8 streams  1,690 tok/s  0 failed",
  ],
  [
    { plan: { ...PLAN, durationNs: 6e9 }, done: 199, inFlight: 1, ttftP50Ms: 1234.5 },
    200,
    "5 of 6 s  199 of 200 requests  1 stream  1,690 tok/s  TTFT 1,235 ms  0 failed",
  ],
  [
    { plan: { ...PLAN, requestCount: 20_000 }, ttftP50Ms: 12_340 },
    200,
    "50 of 20,000 requests  8 streams  1,690 tok/s  TTFT 12.3 s  0 failed  33 min left",
  ],
  [
    { plan: { ...PLAN, requestCount: Infinity }, tokens: 0 },
    200,
    "5 s  50 done  8 streams  10.0 req/s  0 failed",
  ],
  [
    { plan: { ...PLAN, durationNs: 4e9 }, done: 200 },
    200,
    "4 of 4 s  200 of 200 requests  8 streams  1,690 tok/s  0 failed",
  ],
  // The concurrency counts sessions, and each has none, one or several requests in flight.
  [
    {
      plan: { ...PLAN, requestCount: Infinity, sessionCount: 40 },
      ...{ sessions: 12, sessionsInProgress: 8, inFlight: 11, ttftP50Ms: 60.9 },
    },
    80,
    "50 done  12 of 40 sessions, 8 in progress  11 streams  1,690 tok/s  0 failed",
  ],
  [
    {
      plan: { ...PLAN, requestCount: Infinity, durationNs: 45e9 },
      ...{ sessions: 1, sessionsInProgress: 1, inFlight: 0, limit: 3 },
    },
    200,
    "5 of 45 s  50 done  1 session, 1 in progress (ramp: 3 of 8)  0 streams  1,690 tok/s  0 failed",
  ],
  [
    { elapsedSeconds: 0.1, done: 0, tokens: 0 },
    200,
    "0 of 200 requests  8 streams  1,690 tok/s  0 failed  20 s left",
  ],
];

Deno.test("progressText says how far a phase has come, and fits its width", () => {
  for (const [fields, width, text] of TEXTS) {
    const line = progressText(progressWith(fields), RATES, width);
    assert.equal(line, text);
    assert.ok(line.length <= width);
  }
});

Deno.test("ProgressLine draws over its line on a terminal, never wider than that", () => {
  for (const width of [21, 40, 80, 200]) {
    const { written, line } = screenOf(true, width);
    line.show(progressWith({ elapsedSeconds: 1 }));
    line.show(progressWith({ elapsedSeconds: 1.1 }));
    line.clear();
    line.clear();
    assert.equal(written.length, 3, "what is not there is not cleared");
    for (const text of written) {
      assert.ok(text.startsWith("\r\x1b[2K"));
      assert.ok(!text.includes("\n"));
      const shown = text.slice("\r\x1b[2K".length);
      assert.ok(shown.length < width, `${shown.length} columns of ${width}`);
    }
    assert.equal(written[2], "\r\x1b[2K");
  }
});

Deno.test("ProgressLine writes whole lines now and then where there is no terminal", () => {
  const { written, line } = screenOf(false, 20);
  for (let tenths = 0; tenths < 120; tenths++) {
    line.show(progressWith({ elapsedSeconds: tenths / 10, done: tenths }));
  }
  line.clear();
  assert.equal(written.length, 2, "at 0 and 10 s");
  for (const text of written) {
    assert.match(text, /^\d+ of \d+ requests.* (failed|left)\n$/);
    assert.ok(!text.includes("\x1b"));
  }
});

Deno.test("ProgressLine begins anew with the next phase", () => {
  const { written, line } = screenOf(false);
  line.show(progressWith({ phase: "warmup", elapsedSeconds: 3 }));
  line.show(progressWith({ phase: "profiling", elapsedSeconds: 0.1 }));
  assert.equal(written.length, 2);
  assert.match(written[0] ?? "", /^warm-up/);
  assert.match(written[1] ?? "", /^50 of 200/);
});

/** The rate of tokens that is shown after each of these moments. */
function ratesAt(
  moments: readonly (readonly [elapsedSeconds: number, tokens: number])[],
): number[] {
  const { written, line } = screenOf(true, 300);
  return moments.map(([elapsedSeconds, tokens]) => {
    line.show(progressWith({ elapsedSeconds, tokens }));
    const [, rate = ""] = / ([\d,]+) tok\/s/.exec(written.at(-1) ?? "") ?? [];
    return Number(rate.replace(",", ""));
  });
}

Deno.test("ProgressLine shows rates of the last five seconds, from the first moment", () => {
  const flowing = [[0, 0], [0.5, 100], [1, 200], [4, 1000], [5, 1000]] as const;
  assert.deepEqual(ratesAt(flowing), [0, 200, 200, 250, 200]);
  // Nothing came for ten seconds: a stalled server has next to no rate.
  const [stalled = NaN] = ratesAt([...flowing, [10, 1000], [15, 1000]]).slice(-1);
  assert.ok(stalled < 100, `${stalled}`);
});

Deno.test("ProgressLine shows a steady rate where replies are rare and come in one piece", () => {
  // Every ten seconds one reply of 190 tokens.
  const moments = Array.from(
    { length: 600 },
    (_, tenth) => [tenth / 10, 190 * Math.floor(tenth / 100)] as const,
  );
  const rates = ratesAt(moments).slice(150);
  assert.ok(Math.min(...rates) >= 9, `${Math.min(...rates)}`);
  assert.ok(Math.max(...rates) <= 39, `${Math.max(...rates)}`);
});

Deno.test("ProgressLine shows what is done when all requests have ended, on a terminal alone", () => {
  const { written, line } = screenOf(true, 30);
  line.showStage("reading the servers' last metrics (2 s)");
  line.clear();
  assert.deepEqual(written, ["\r\x1b[2Kreading the servers' last met", "\r\x1b[2K"]);
  const plain = screenOf(false);
  plain.line.showStage("writing the results");
  assert.deepEqual(plain.written, []);
});
