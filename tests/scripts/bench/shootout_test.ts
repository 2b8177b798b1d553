import assert from "node:assert/strict";
import type { Level, Percentiles } from "../../../scripts/bench/shootout/shootout_client.ts";
import { shootoutPicture } from "../../../scripts/bench/shootout/shootout_picture.ts";
import { quietRuns, shootoutReport } from "../../../scripts/bench/shootout/shootout_report.ts";
import {
  measuredTimes,
  type ShootoutOutcome,
  targetTimes,
} from "../../../scripts/bench/shootout/shootout_run.ts";
import { parseServedTimes } from "../../../scripts/bench/truth/served_requests.ts";

const START_NS = 1_795_317_198_000_000_000n;
const LOAD: Level = {
  name: "10 streams",
  concurrency: 10,
  requests: 2,
  tokens: 3,
  serverMetrics: false,
  failureShare: 0,
};
const FAILING: Level = { ...LOAD, name: "failing", failureShare: 0.1 };

/** A line of the target: the arrival so many milliseconds on, writes so long after it. */
function line(arrivalMs: number, writesMs: readonly number[]): string {
  const at = (ms: number) => START_NS + BigInt(Math.round(ms * 1e6));
  const writes = writesMs.map((ms) => at(arrivalMs + ms));
  return [`id${arrivalMs}`, at(arrivalMs), at(arrivalMs), ...writes].join(" ") + "\n";
}

function same(value: number): Percentiles {
  return { p50: value, p90: value, p99: value };
}

function outcome(changes: Partial<ShootoutOutcome>): ShootoutOutcome {
  return {
    client: "one",
    version: "1.0",
    level: LOAD.name,
    round: 0,
    at: "2026-11-22T04:00:00.000Z",
    machine: { stealShare: 0.02, idleShare: 0.5, othersShare: 0, targetShare: 0, stallShare: 0 },
    cpuSeconds: 1,
    peakBytes: 2e6,
    firstRequestSeconds: 0.5,
    commandLine: "one --url URL",
    injected: 0,
    reported: { succeeded: 2, failed: 0, ttft: same(60), itl: same(5) },
    ttft: same(50),
    itl: same(5),
    ...changes,
  };
}

Deno.test("measuredTimes leaves out what a client asked before the load", () => {
  const served = parseServedTimes(line(2000, [1]) + line(0, [1]) + line(2001, [1]));
  assert.deepEqual(
    measuredTimes(served, 2).map(({ requestId }) => requestId),
    ["id2000", "id2001"],
  );
});

Deno.test("targetTimes goes from arrival to first write, over whole replies", () => {
  const served = parseServedTimes(line(0, [40, 45, 52]) + line(1, [60, 66, 74]) + line(2, [500]));
  const { ttft, itl } = targetTimes(served, 3);
  assert.deepEqual([ttft.p50, itl.p50], [50, 6.5]);
});

Deno.test("targetTimes keeps requests apart that have no id", () => {
  const text = (line(0, [40, 45, 50]) + line(1, [60, 65, 70])).replace(/^id\d+/gm, "");
  assert.equal(targetTimes(parseServedTimes(text), 3).ttft.p50, 50);
});

Deno.test("shootoutReport has medians of the rounds, and sums of failures", () => {
  const reported = (ttft: number) => ({ succeeded: 2, failed: 1, ttft: same(ttft), itl: same(5) });
  const report = shootoutReport(
    [
      outcome({ reported: reported(60) }),
      outcome({ reported: reported(80), round: 1 }),
      outcome({ reported: reported(70), round: 2 }),
      outcome({ level: FAILING.name, injected: 4, reported: reported(1) }),
      outcome({ level: FAILING.name, injected: 3, reported: reported(1), round: 1 }),
    ],
    [LOAD, FAILING],
    2,
  );
  assert.match(
    report,
    /\| one \| 3 \| 70\.0 \/ 50\.0 \| 70\.0 \/ 50\.0 \| 20\.0 \| 5\.00 \/ 5\.00 \|/,
  );
  assert.match(report, /\| one \| 2 \| 7 \| 2 \| 4 \|/);
  assert.match(report, /one 1\.0:\n\n```sh\none --url URL\n```/);
});

Deno.test("quietRuns leaves out what other programs disturbed", () => {
  const busy = (othersShare: number) =>
    outcome({ machine: { ...outcome({}).machine, othersShare } });
  assert.deepEqual(quietRuns([busy(0.1), busy(0.3), busy(0.25)]).length, 2);
});

Deno.test("shootoutPicture draws the true and the reported times of each client on one scale", () => {
  const wide = { p50: 60, p90: 200, p99: 400 };
  const svg = shootoutPicture(
    [
      outcome({}),
      outcome({ client: "a <b>", reported: { succeeded: 2, failed: 0, ttft: wide, itl: same(5) } }),
    ],
    [LOAD, FAILING],
  );
  assert.match(svg, /^<svg [^]*<\/svg>\n$/);
  assert.ok(svg.includes("a &lt;b>") && !svg.includes("<b>"));
  assert.equal(svg.includes("failing"), false, "no times are compared where requests fail");
  const [of60, wider] = [
    ...svg.matchAll(/<rect x="([\d.]+)"[^>]*width="([\d.]+)"[^>]*fill="#(?:0b6e4f|c0392b)"/g),
  ]
    .slice(-2).map(([, x, width]) => [Number(x), Number(width)] as const);
  assert.equal(of60?.[0], wider?.[0], "both begin at 60 ms");
  assert.ok((of60?.[1] ?? 0) <= 3 && (wider?.[1] ?? 0) > 100, "to 60, and to 400 ms");
});
