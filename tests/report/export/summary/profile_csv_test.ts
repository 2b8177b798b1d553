import { parse } from "csv-parse/sync";
import assert from "node:assert/strict";
import { profileCsv, slicesCsv } from "../../../../src/report/export/summary/profile_csv.ts";
import type { TimeSlice } from "../../../../src/report/model/profile_report.ts";
import { BASE_EPOCH_NS, reportWith, resultsOf, someRecords } from "../../../support/reports.ts";

const HEAD = [
  ...["Metric", "avg", "min", "max", "sum", "p1", "p5", "p10", "p25", "p50", "p75", "p90", "p95"],
  ...["p99", "std"],
];

/** The sections of a file, as its readers find them: apart by blank rows. */
function sectionsOf(csv: string): string[][][] {
  return csv.split(/\r\n\r\n/).map((section) =>
    parse(section, { relax_column_count: false }) as string[][]
  );
}

Deno.test("profileCsv has distributions, a blank row, and single values", () => {
  const sections = sectionsOf(profileCsv(reportWith()));
  assert.equal(sections.length, 2);
  const [distributions = [], values = []] = sections;
  assert.deepEqual(distributions[0], HEAD);
  assert.deepEqual(values[0], ["Metric", "Value"]);
  for (const row of distributions) assert.equal(row.length, HEAD.length);
  for (const row of values) assert.equal(row.length, 2);
});

Deno.test("profileCsv writes numbers with two decimals, under names with units", () => {
  const [distributions = [], values = []] = sectionsOf(profileCsv(reportWith()));
  for (const row of [...distributions.slice(1), ...values.slice(1)]) {
    for (const cell of row.slice(1)) assert.match(cell, /^(-?\d+\.\d\d)?$/);
  }
  const concurrency = distributions.find(([name]) => name === "Effective Concurrency");
  assert.deepEqual(
    HEAD.slice(1).filter((_, i) => concurrency?.[i + 1] === ""),
    ["sum", "p1", "p5", "p10", "p25", "p75"],
    "of a level not everything can be said",
  );
  const latency = distributions.find(([name]) => name === "Request Latency (ms)");
  assert.deepEqual(latency?.slice(1), [
    ...["113.33", "100.00", "130.00", "340.00", "100.20", "101.00", "102.00", "105.00", "110.00"],
    ...["120.00", "126.00", "128.00", "129.60", "12.47"],
  ]);
  const of = new Map(values as [string, string][]);
  assert.equal(of.get("Request Count"), "3.00", "requests is a unit that is not written");
  assert.equal(of.get("Error Request Count"), "1.00");
  assert.equal(of.get("Benchmark Duration (sec)"), "0.28");
  assert.equal(of.get("Request Throughput (requests/sec)"), "10.71");
});

Deno.test("profileCsv writes times of nanoseconds exactly", () => {
  const csv = profileCsv(reportWith());
  const expected = BASE_EPOCH_NS + 1_000_000_000n;
  assert.ok(csv.includes(`\r\nMinimum Request Timestamp (ns),${expected}.00\r\n`));
});

Deno.test("profileCsv sorts by tag and ends each row with CR LF", () => {
  const csv = profileCsv(reportWith());
  assert.ok(csv.endsWith("\r\n"));
  assert.doesNotMatch(csv, /(?<!\r)\n|\r(?!\n)/);
  const results = resultsOf(someRecords());
  const tagOf = new Map([...results.values()].map(({ metric }) => [metric.header, metric.tag]));
  for (const section of sectionsOf(csv)) {
    const tags = section.slice(1).map(([name = ""]) => {
      const tag = tagOf.get(name) ?? tagOf.get(name.replace(/ \([^()]*\)$/, ""));
      assert.ok(tag !== undefined, name);
      return tag;
    });
    assert.deepEqual(tags, tags.toSorted());
  }
});

Deno.test("profileCsv of a run without valid requests has its sections too", () => {
  const [distributions = [], values = []] = sectionsOf(
    profileCsv(reportWith({ results: resultsOf([]) })),
  );
  assert.deepEqual(distributions, [HEAD]);
  assert.ok(values.some(([name, value]) => name === "Request Count" && value === "0.00"));
});

Deno.test("slicesCsv has a row for each statistic of each metric of each slice", () => {
  const slices: TimeSlice[] = [0n, 1n].map((index) => ({
    startNs: BASE_EPOCH_NS + index * 1_000_000_000n,
    endNs: BASE_EPOCH_NS + (index + 1n) * 1_000_000_000n,
    isComplete: true,
    results: resultsOf(someRecords().slice(Number(index))),
  }));
  const csv = slicesCsv(slices);
  const rows = parse(csv, { columns: true }) as Record<string, string>[];
  assert.ok(csv.startsWith("Timeslice,Start_NS,End_NS,Metric,Unit,Stat,Value\r\n"));
  assert.deepEqual(new Set(rows.map((row) => row["Timeslice"])), new Set(["0", "1"]));
  for (const row of rows) {
    const slice = slices[Number(row["Timeslice"])] as TimeSlice;
    assert.equal(row["Start_NS"], String(slice.startNs));
    assert.equal(row["End_NS"], String(slice.endNs));
    assert.match(row["Value"] ?? "", /^-?\d+\.\d\d$/);
  }
  const of = (slice: string, metric: string) =>
    rows.filter((row) => row["Timeslice"] === slice && row["Metric"] === metric);
  assert.deepEqual(of("0", "Request Latency").map((row) => row["Stat"]), HEAD.slice(1));
  assert.deepEqual(
    of("1", "Request Count").map((row) => [row["Unit"], row["Stat"], row["Value"]]),
    [
      ["requests", "avg", "2.00"],
    ],
  );
});

Deno.test("slicesCsv of no slices has its head alone", () => {
  assert.equal(slicesCsv([]), "Timeslice,Start_NS,End_NS,Metric,Unit,Stat,Value\r\n");
});
