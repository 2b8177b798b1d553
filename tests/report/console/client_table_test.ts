import assert from "node:assert/strict";
import type { MetricTag } from "../../../src/measurement/metrics/metric_tag.ts";
import { clientTable, type RowBounds } from "../../../src/report/console/client_table.ts";
import { recordWith } from "../../support/records.ts";
import { resultsOf, someRecords } from "../../support/reports.ts";

/** Bounds that are so far from what is shown. */
function boundsOf(below: number, above: number) {
  return (tag: MetricTag): RowBounds | undefined =>
    tag === "request_latency"
      ? {
        "avg": { lower: 113.333 - below, upper: 113.333 + above / 2 },
        "p99": { lower: 129.6, upper: 129.6 + above },
      }
      : undefined;
}

function latencyRow(below: number, above: number): string | undefined {
  return clientTable(resultsOf(someRecords()), 80, boundsOf(below, above))
    .find((line) => line.startsWith("latency"))?.replace(/ +/g, " ");
}

Deno.test("clientTable has a column of errors only where some are known", () => {
  const results = resultsOf(someRecords());
  assert.doesNotMatch(clientTable(results, 80).join("\n"), /error/);
  const [head, ttft] = clientTable(results, 80, boundsOf(0, 1));
  assert.match(head as string, / max +error$/);
  assert.match(ttft as string, / 80\.0$/, "of this row nothing is known");
});

Deno.test("clientTable shows the largest error of a row, rounded up", () => {
  assert.equal(latencyRow(0, 0.82), "latency ms 113 110 126 128 130 130 <0.9");
  assert.equal(latencyRow(1.02, 0.1), "latency ms 113 110 126 128 130 130 <1.1");
  assert.equal(latencyRow(0.041, 0.02), "latency ms 113 110 126 128 130 130 <0.05");
  assert.equal(latencyRow(31.2, 0), "latency ms 113 110 126 128 130 130 <32");
  assert.equal(latencyRow(0, 0), "latency ms 113 110 126 128 130 130 <0.001");
  assert.equal(latencyRow(0, Infinity), "latency ms 113 110 126 128 130 130 ?");
  // What files have instead of infinity.
  assert.equal(latencyRow(0, Number.MAX_VALUE), "latency ms 113 110 126 128 130 130 ?");
});

Deno.test("clientTable shows no decimal that the error does not justify", () => {
  const fast = resultsOf([recordWith({ chunkNs: Float64Array.of(1.005e9, 1.0125e9) })]);
  const latency = (error: number) =>
    clientTable(
      fast,
      80,
      (tag) =>
        tag === "request_latency" ? { "p50": { lower: 12.5 - error, upper: 12.5 } } : undefined,
    )
      .find((line) => line.startsWith("latency"))?.split(/ +/)[2];
  assert.equal(latency(0.01), "12.5");
  assert.equal(latency(0.9), "12.5");
  assert.equal(latency(1.5), "13");
  assert.equal(latency(20), "13");
});

Deno.test("clientTable has rows in seconds where a figure is 10 s or more", () => {
  const rowOf = (seconds: number) =>
    clientTable(
      resultsOf([1, seconds].map((s) =>
        recordWith({ chunkNs: Float64Array.of(1e9 + s * 5e8, 1e9 + s * 1e9) })
      )),
      80,
    ).find((line) =>
      line.startsWith("latency")
    )?.replace(/ +/g, " ");
  assert.equal(rowOf(9.5), "latency ms 5,250 5,250 8,650 9,075 9,415 9,500");
  assert.equal(rowOf(10.5), "latency s 5.75 5.75 9.55 10.0 10.4 10.5");
});

Deno.test("clientTable gives up columns on a narrow screen, never the mean, p50 and p99", () => {
  const [head = ""] = clientTable(resultsOf(someRecords()), 42);
  assert.deepEqual(head.trim().split(/ +/), ["avg", "p50", "p99", "max"]);
});
