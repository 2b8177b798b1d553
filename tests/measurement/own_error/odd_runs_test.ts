import assert from "node:assert/strict";
import { type RandomStream, randomStream } from "../../../src/core/statistics/random_stream.ts";
import { CANARY_KIND } from "../../../src/measurement/canary/canary_kind.ts";
import { CanaryLog } from "../../../src/measurement/canary/canary_log.ts";
import { figuresOf, type MetricResults } from "../../../src/measurement/metrics/metric_results.ts";
import { computeResults } from "../../../src/measurement/metrics/compute_results.ts";
import type { MetricTag } from "../../../src/measurement/metrics/metric_tag.ts";
import type { RecordTable } from "../../../src/measurement/metrics/record_table.ts";
import { delaysByKind } from "../../../src/measurement/own_error/delays_by_kind.ts";
import { explainedError } from "../../../src/measurement/own_error/explained_error.ts";
import type { MeasurementError } from "../../../src/measurement/own_error/measurement_error.ts";
import { recordTable } from "../../support/record_tables.ts";
import { recordWith } from "../../support/records.ts";

const MS = 1e6;
const FIRST_MS = 100;
/** Metrics that have bounds wherever they are reported. */
const BOUNDED: readonly MetricTag[] = [
  ...["time_to_first_token", "time_to_second_token", "inter_token_latency"] as const,
  ...["request_latency", "output_token_throughput_per_user", "request_throughput"] as const,
  ...["output_token_throughput", "input_token_throughput", "total_token_throughput"] as const,
  ...["good_request_count", "good_request_fraction", "goodput"] as const,
];

/** A run of anything: one request or many, failures, single chunks, few canaries or none. */
interface OddRun {
  readonly table: RecordTable;
  readonly canaries: CanaryLog;
  readonly startNs: readonly number[];
  readonly spanMs: number;
  readonly workers: number;
}

function oddRun(random: RandomStream): OddRun {
  const oneOf = <T>(...choices: readonly T[]): T =>
    choices[Math.floor(random() * choices.length)] as T;
  const spanMs = oneOf(1, 100, 1000, 100_000);
  const workers = oneOf(1, 3);
  const delayMs = oneOf(0, 0.1, 30, 500);
  const table = recordTable({ goodput: true, streaming: oneOf(true, true, false) }, {
    "time_to_first_token": 50,
  });
  const startNs: number[] = [];
  for (let left = oneOf(1, 2, 9, 40); left > 0; left--) {
    const start = Math.round((FIRST_MS + random() * spanMs) * MS);
    const chunkNs: number[] = [];
    const gapMs = oneOf(0, 5);
    let atNs = start + Math.round(oneOf(0, 40, 500) * random() * MS) + 1;
    for (let chunks = oneOf(1, 2, 8); chunks > 0; chunks--) {
      chunkNs.push(atNs);
      atNs += Math.round(gapMs * random() * MS);
    }
    const wait = () => oneOf(true, false) ? random() * delayMs * MS : NaN;
    const piled = () => oneOf(true, false) ? wait() : 0;
    table.add(
      recordWith({
        ...{ startNs: start, intendedNs: start, claimedNs: start, sendStartNs: start },
        chunkNs: Float64Array.from(chunkNs),
        endNs: chunkNs.at(-1) as number,
        worker: Math.floor(random() * workers),
        outputTokens: oneOf(1, chunkNs.length, 20),
        ...{ firstWaitNs: wait(), secondWaitNs: wait(), lastWaitNs: wait() },
        ...{ firstPiledNs: piled(), secondPiledNs: piled(), lastPiledNs: piled() },
        ...(random() < 0.1 ? { error: "timeout" as const } : {}),
      }),
      new Float64Array(table.metrics.length),
    );
    startNs.push(start);
  }
  const canaries = new CanaryLog();
  for (let left = oneOf(0, 1, 10, 300); left > 0; left--) {
    const atNs = (FIRST_MS + random() * spanMs) * MS;
    const readNs = atNs + delayMs * MS * random() ** 4;
    const worker = Math.floor(random() * workers);
    const kind = CANARY_KIND[oneOf("poisson", "first", "second", "last")];
    canaries.add(worker, Float64Array.of(kind, atNs, atNs, readNs));
    const rare = random();
    if (rare < 0.02) {
      canaries.add(worker, Float64Array.of(CANARY_KIND.stall, atNs, NaN, atNs + 50 * MS));
    } else if (rare < 0.04) {
      canaries.add(worker, Float64Array.of(CANARY_KIND.contradiction, atNs, atNs, readNs));
    }
  }
  return { table, canaries, startNs, spanMs, workers };
}

/** The results of a run, or of its first half as a slice, and the error of these. */
function errorOf(run: OddRun, isHalf: boolean): {
  readonly results: MetricResults;
  readonly error: MeasurementError | undefined;
} {
  const { table, canaries, startNs, spanMs, workers } = run;
  const endNs = (FIRST_MS + spanMs / 2) * MS;
  const rows = isHalf ? [...startNs.keys()].filter((row) => (startNs[row] as number) < endNs) : [];
  const part = isHalf ? { rows } : {};
  const results = computeResults(table, 0n, {
    ...part,
    ...(isHalf ? { windowSeconds: spanMs / 1700 } : {}),
  });
  const delays = delaysByKind(canaries);
  const error = explainedError(
    { table, delays, results, ...part, hasFixedWindow: isHalf, hasCanaries: true },
    {
      ...{ delays, workers, streams: 10, cpuCores: 0.5, cores: 2, originNs: FIRST_MS * MS },
      window: { startNs: FIRST_MS * MS, endNs: (FIRST_MS + spanMs) * MS },
    },
  );
  return { results, error };
}

for (const [name, isHalf] of [["run", false], ["slice", true]] as const) {
  Deno.test(`every statistic of a ${name} lies between numbers, however odd it is`, () => {
    let piled = 0;
    for (let seed = 0; seed < 300; seed++) {
      const { results, error } = errorOf(oddRun(randomStream(seed, "odd")), isHalf);
      const requests = results.get("request_count");
      if (requests === undefined || !("value" in requests) || requests.value === 0) continue;
      assert.ok(error !== undefined, `seed ${seed}`);
      for (const tag of BOUNDED) {
        const result = results.get(tag);
        if (result === undefined) continue;
        assert.ok(error.metrics.has(tag), `seed ${seed}: ${tag}`);
      }
      for (const [tag, statistics] of error.metrics) {
        const result = results.get(tag);
        assert.ok(result !== undefined, `seed ${seed}: ${tag}`);
        const figures = figuresOf(result);
        for (const [statistic, { lower, upper }] of Object.entries(statistics)) {
          const value = Number(figures[statistic as keyof typeof figures]);
          const isBetween = 0 <= lower && lower <= value && value <= upper && upper < Infinity;
          assert.ok(isBetween, `seed ${seed}: ${tag} ${statistic}: ${lower} ${value} ${upper}`);
        }
      }
      assert.ok(error.verdict === "valid" || error.reasons.length > 0, `seed ${seed}`);
      if (error.reasons.some((text) => text.includes("faster than they were read"))) piled++;
    }
    assert.ok(piled > 0, "some replies came faster than they were read");
  });
}

Deno.test("a mean of one value is no surer than the value", () => {
  let compared = 0;
  for (let seed = 0; seed < 300; seed++) {
    const { results, error } = errorOf(oddRun(randomStream(seed, "odd")), false);
    for (const [tag, { avg, p50 }] of error?.metrics ?? []) {
      const result = results.get(tag);
      if (result === undefined || !("summary" in result) || result.summary.count !== 1) continue;
      // Bounds of rates are of all replies, also of those that were read at once and have no rate.
      if (tag === "output_token_throughput_per_user") continue;
      assert.ok(avg !== undefined && p50 !== undefined);
      const bounds = `seed ${seed}: ${tag} ${avg.lower} ${p50.lower} ${p50.upper} ${avg.upper}`;
      assert.ok(avg.lower <= p50.lower * (1 + 1e-9), bounds);
      assert.ok(avg.upper >= p50.upper * (1 - 1e-9), bounds);
      compared++;
    }
  }
  assert.ok(compared > 100, `${compared}`);
});
