import assert from "node:assert/strict";
import {
  levelFinding,
  peakFinding,
  shareText,
  trendFinding,
} from "../../../src/report/html/findings.ts";

function overTime(value: (time: number) => number, count = 300) {
  const times = Float64Array.from({ length: count }, (_, i) => i / 10);
  return { times, values: times.map(value) };
}

Deno.test("trendFinding tells a metric that rises, falls, or stays", () => {
  assert.equal(
    trendFinding("TTFT", overTime((time) => time < 15 ? 60 : 134)),
    "TTFT rises: median 60 ms in the first third, 134 ms in the last third",
  );
  assert.match(trendFinding("TTFT", overTime((time) => 100 - 2 * time)), /^TTFT falls: /);
  assert.equal(
    trendFinding("ITL", overTime((time) => 8 + 0.1 * Math.sin(time))).split(" at ")[0],
    "ITL is stable",
  );
});

Deno.test("trendFinding sees no trend in a few values, nor where there is nothing to compare", () => {
  assert.equal(
    trendFinding("TTFT", overTime((time) => time * 100, 10)),
    "TTFT has a median of 45 ms",
  );
  assert.equal(trendFinding("ITL", overTime(() => 0)), "ITL has a median of 0 ms");
});

Deno.test("levelFinding says the mean and the maximum, or that there was nothing", () => {
  assert.equal(
    levelFinding("GPU power", [100, 300], "W"),
    "GPU power: 200 on average, 300 W at most",
  );
  assert.equal(levelFinding("In flight", [0, 0]), "In flight: none at any time");
});

Deno.test("shareText never says all or none of what is not", () => {
  assert.deepEqual([0, 0.0001, 0.5, 0.99996, 1].map(shareText), [
    ...["0 %", "under 0.1 %", "50 %", "over 99.9 %", "100 %"],
  ]);
});

Deno.test("peakFinding tells when p99 stands out, and who waited on the server then", () => {
  const x = Array.from({ length: 20 }, (_, i) => i);
  const p99 = x.map((at) => at === 14 ? 340 : 100 + at);
  const waiting = { x, y: x.map((at) => at === 14 ? 9 : 0) };
  assert.equal(
    peakFinding({ x, p99 }, [waiting]),
    "; p99 reaches 340 ms at 14 s, with up to 9 requests queued on the server",
  );
  assert.equal(peakFinding({ x, p99 }, []), "; p99 reaches 340 ms at 14 s");
  assert.equal(peakFinding({ x, p99: x.map((at) => 100 + at) }, [waiting]), "");
  // In the warm-up nothing counts.
  assert.equal(peakFinding({ x: x.map((at) => at - 15), p99 }, [waiting]), "");
  assert.equal(peakFinding({ x: [1, 2], p99: [1, 100] }, []), "");
});
