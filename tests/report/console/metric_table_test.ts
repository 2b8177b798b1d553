import assert from "node:assert/strict";
import type { MetricTag } from "../../../src/measurement/metrics/metric_tag.ts";
import type { StatisticError } from "../../../src/measurement/own_error/measurement_error.ts";
import type { StatisticSampling } from "../../../src/measurement/sampling/sampling_errors.ts";
import { metricTable } from "../../../src/report/console/metric_table.ts";
import type { ShownWindow } from "../../../src/report/model/shown_window.ts";
import { resultsOf, someRecords } from "../../support/reports.ts";

type Ranges<Range> = Readonly<Record<string, Readonly<Record<string, Range>>>>;

/** A window with errors of the client, and intervals, by metric and statistic. */
function windowWith(
  errors: Ranges<StatisticError> | undefined,
  intervals: Ranges<StatisticSampling>,
): ShownWindow {
  const mapOf = <Range>(ranges: Ranges<Range>) =>
    new Map(Object.entries(ranges)) as unknown as Map<MetricTag, Record<string, Range>>;
  return {
    name: "run",
    results: resultsOf(someRecords()),
    measurementError: errors && { verdict: "valid", metrics: mapOf(errors), reasons: [] },
    sampling: mapOf(intervals),
  };
}

function rowOf(lines: readonly string[], label: string): string {
  return lines.find((line) => line.startsWith(label))?.replace(/ +/g, " ").trim() ?? "";
}

const PROVEN = (lower: number, upper: number): StatisticSampling => ({
  ...{ lower, upper, verdict: "proven" },
});

Deno.test("metricTable marks each statistic that is not valid, and explains the marks it has", () => {
  const lines = metricTable(
    windowWith({
      "request_latency": {
        "avg": { lower: 110, upper: 113.4, verdict: "valid" },
        "p50": { lower: 100, upper: 110, verdict: "suspect" },
        "p90": { lower: 80, upper: 126, verdict: "invalid" },
        "p99": { lower: 129, upper: 130, verdict: "valid" },
      },
    }, {
      "request_latency": {
        "avg": PROVEN(112, 114),
        "p50": PROVEN(109, 111),
        "p90": PROVEN(125, 127),
        "p99": { lower: 120, upper: 200, verdict: "not_proven" },
      },
    }),
    "whole run",
    80,
  );
  assert.equal(rowOf(lines, "latency"), "latency ms 113 110 * 126 ! 130 ? 0.9 % < 37 %");
  assert.equal(
    lines.at(-1),
    "? not proven   * client error 5 to 20 %   ! client error above 20 %",
  );
});

Deno.test("metricTable has a question mark where an end is not known, and no legend where all is valid", () => {
  const unbounded = { lower: 0, upper: Number.MAX_VALUE, verdict: "not_proven" } as const;
  const lines = metricTable(
    windowWith(
      { "time_to_first_token": { "p50": { lower: 80, upper: 80, verdict: "valid" } } },
      { "time_to_first_token": { "p50": unbounded } },
    ),
    "whole run",
    80,
  );
  assert.equal(rowOf(lines, "TTFT"), "TTFT ms 80.0 80.0 ? 80.0 80.0 ? < 0.1 %");
  const valid = metricTable(windowWith(undefined, {}), "whole run", 80);
  assert.ok(!valid.some((line) => line.startsWith("?")));
  assert.match(valid[0] as string, /^whole run +avg +p50 +p90 +p99$/);
});

Deno.test("metricTable gives each statistic its interval on a wide screen", () => {
  const intervals = {
    "request_latency": {
      "p50": PROVEN(108.9, 111.1),
      "p90": PROVEN(113.4, 126),
      "p99": PROVEN(129.6, 142.6),
    },
    "request_throughput": { "avg": PROVEN(10.2, 11.2) },
  };
  const lines = metricTable(windowWith({}, intervals), "whole run", 120);
  assert.match(lines[0] as string, /avg +p50 +± 95 % +p90 +± 95 % +p99 +± 95 %$/);
  assert.match(
    rowOf(lines, "latency"),
    /^latency ms 113 110 \?? ?1\.0 % 126 \?? ?10\.0 % 130 \?? ?10 %$/,
  );
  assert.match(rowOf(lines, "requests/s"), /^requests\/s 10\.7 \?? ?4\.8 %$/);
});

Deno.test("metricTable gives up columns on a narrow screen, never the mean, p50 and p99", () => {
  const [head = ""] = metricTable(windowWith({}, {}), "whole run", 42);
  assert.deepEqual(head.replace("whole run", "").trim().split(/ +/), ["avg", "p50", "p99"]);
});

Deno.test("metricTable has the throughput per GPU where GPUs are stated", () => {
  const shown = windowWith(undefined, {});
  const results = resultsOf(someRecords(), { gpus: 4 });
  const lines = metricTable({ ...shown, results }, "whole run", 80);
  assert.equal(rowOf(lines, "tokens/s/GPU"), "tokens/s/GPU 13.4");
});
