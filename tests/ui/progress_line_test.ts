import assert from "node:assert/strict";
import type { PhasePlan } from "../../src/plan/run_plan.ts";
import type { RunProgress } from "../../src/report/run_progress.ts";
import { ProgressLine, progressText } from "../../src/ui/progress_line.ts";

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
    failed: 0,
    ttftP50Ms: NaN,
    itlP50Ms: NaN,
    ...fields,
  };
}

/** A screen that keeps what is written. */
function screenOf(isTerminal: boolean, width = 80): { written: string[]; line: ProgressLine } {
  const written: string[] = [];
  const line = new ProgressLine({
    isTerminal,
    width: () => width,
    write: (text) => written.push(text),
  });
  return { written, line };
}

const TEXTS: readonly [Partial<RunProgress>, number, string][] = [
  [
    {},
    10,
    "profiling | 50/200 requests (25 %) | 5.0 s | 10 req/s | 8 in flight | 0 errors | 15.0 s left",
  ],
  [
    { phase: "warmup", ttftP50Ms: 52.34, itlP50Ms: 5.678, failed: 3 },
    9.96,
    "warmup | 50/200 requests (25 %) | 5.0 s | 10.0 req/s | 8 in flight | 3 errors | TTFT p50 52.3 ms | ITL p50 5.68 ms | 15.1 s left",
  ],
  [
    { plan: { ...PLAN, requestCount: Infinity, durationNs: 60e9 } },
    1234.5,
    "profiling | 50 requests | 5.0 s of 1 min 00 s | 1235 req/s | 8 in flight | 0 errors | 55.0 s left",
  ],
  [
    { plan: { ...PLAN, durationNs: 6e9 }, done: 199, ttftP50Ms: 1234.5 },
    0,
    "profiling | 199/200 requests (99 %) | 5.0 s of 6.0 s | 0.0 req/s | 8 in flight | 0 errors | TTFT p50 1235 ms | 1.0 s left",
  ],
  [
    { plan: { ...PLAN, requestCount: Infinity } },
    1,
    "profiling | 50 requests | 5.0 s | 1.0 req/s | 8 in flight | 0 errors",
  ],
  [
    { plan: { ...PLAN, durationNs: 4e9 }, done: 200 },
    40,
    "profiling | 200/200 requests (100 %) | 5.0 s of 4.0 s | 40 req/s | 8 in flight | 0 errors | 0 ms left",
  ],
];

Deno.test("progressText tells how far a phase has come", () => {
  for (const [fields, rate, text] of TEXTS) {
    assert.equal(progressText(progressWith(fields), rate), text);
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
  assert.equal(written.length, 3, "at 0, 5 and 10 s");
  for (const text of written) {
    assert.match(text, /^profiling \| .*left\n$|^profiling \| .*errors\n$/);
    assert.ok(!text.includes("\x1b"));
  }
});

Deno.test("ProgressLine begins anew with the next phase", () => {
  const { written, line } = screenOf(false);
  line.show(progressWith({ phase: "warmup", elapsedSeconds: 3 }));
  line.show(progressWith({ phase: "profiling", elapsedSeconds: 0.1 }));
  assert.equal(written.length, 2);
  assert.match(written[1] ?? "", /^profiling/);
});

function rateIn(text: string | undefined): number {
  return Number(/ ([\d.]+) req\/s/.exec(text ?? "")?.[1]);
}

Deno.test("ProgressLine shows the rate of about the last second, zero if nothing comes", () => {
  const { written, line } = screenOf(true, 300);
  const shown = (elapsedSeconds: number, done: number): number => {
    line.show(progressWith({ elapsedSeconds, done }));
    return rateIn(written.at(-1));
  };
  assert.equal(shown(0, 0), 0);
  assert.equal(shown(0.5, 10), 20, "the mean, while there is no second yet");
  assert.equal(shown(1, 20), 20);
  assert.equal(shown(1.5, 100), 20);
  assert.equal(shown(2, 120), 100);
  assert.equal(shown(3, 120), 0, "nothing in the last second");
  assert.equal(shown(3.4, 120), 0, "and still nothing");
  assert.equal(shown(4, 150), 30);
});
