import assert from "node:assert/strict";
import type { FamilyMetadata, FamilyType } from "../../../src/telemetry/prometheus/exposition.ts";
import { sampleRole } from "../../../src/telemetry/prometheus/sample_role.ts";
import { TextParser } from "../../../src/telemetry/prometheus/text_parser.ts";

function metadataOf(
  types: Readonly<Record<string, FamilyType | null>>,
): ReadonlyMap<string, FamilyMetadata> {
  return new Map(
    Object.entries(types).map(([name, type]): [string, FamilyMetadata] => [
      name,
      { name, type, help: `help of ${name}`, unit: null },
    ]),
  );
}

/** A sample's name, the families of its page, and what the sample is. */
const ROLES: readonly (readonly [
  sample: string,
  families: Readonly<Record<string, FamilyType | null>>,
  family: string,
  type: FamilyType,
  role: string,
  help: string,
])[] = [
  ["a", {}, "a", "unknown", "value", ""],
  ["a", { a: null }, "a", "unknown", "value", "help of a"],
  ["a", { a: "gauge" }, "a", "gauge", "value", "help of a"],
  ["a", { a: "unknown" }, "a", "unknown", "value", "help of a"],
  ["a_total", {}, "a_total", "unknown", "value", ""],
  ["a_total", { a_total: "counter" }, "a", "counter", "value", "help of a_total"],
  ["a_total", { a: "counter" }, "a", "counter", "value", "help of a"],
  ["a", { a: "counter" }, "a", "counter", "value", "help of a"],
  ["a_total", { a_total: "gauge" }, "a_total", "gauge", "value", "help of a_total"],
  ["a_total", { a: "gauge" }, "a_total", "unknown", "value", ""],
  ["a_total", { a: "gauge", a_total: "counter" }, "a_total", "counter", "value", "help of a_total"],
  ["a", { a: "gauge", a_total: "counter" }, "a", "gauge", "value", "help of a"],
  ["a_total", { a: null, a_total: "counter" }, "a_total", "counter", "value", "help of a_total"],
  [
    "a_total",
    { a: "counter", a_total: "counter" },
    "a_total",
    "counter",
    "value",
    "help of a_total",
  ],
  ["a_total_total", { a_total: "counter" }, "a", "counter", "value", "help of a_total"],
  ["_total", { _total: "counter" }, "_total", "counter", "value", "help of _total"],
  ["h_bucket", { h: "histogram" }, "h", "histogram", "bucket", "help of h"],
  ["h_sum", { h: "histogram" }, "h", "histogram", "sum", "help of h"],
  ["h_count", { h: "histogram" }, "h", "histogram", "count", "help of h"],
  ["h_created", { h: "histogram" }, "h", "histogram", "created", "help of h"],
  ["h", { h: "histogram" }, "h", "unknown", "value", "help of h"],
  ["h_total_bucket", { h_total: "histogram" }, "h_total", "histogram", "bucket", "help of h_total"],
  ["h_count", { h: "histogram", h_count: "gauge" }, "h_count", "gauge", "value", "help of h_count"],
  ["h_count", { h: "histogram", h_count: null }, "h", "histogram", "count", "help of h"],
  ["h_bucket", { h: "summary" }, "h_bucket", "unknown", "value", ""],
  ["h_bucket", { h: "gauge" }, "h_bucket", "unknown", "value", ""],
  ["h_bucket", { h: null }, "h_bucket", "unknown", "value", ""],
  ["g_bucket", { g: "gaugehistogram" }, "g", "gaugehistogram", "bucket", "help of g"],
  ["g_gcount", { g: "gaugehistogram" }, "g", "gaugehistogram", "count", "help of g"],
  ["g_gsum", { g: "gaugehistogram" }, "g", "gaugehistogram", "sum", "help of g"],
  ["g_gsum", { g: "histogram" }, "g_gsum", "unknown", "value", ""],
  ["s", { s: "summary" }, "s", "summary", "value", "help of s"],
  ["s_sum", { s: "summary" }, "s", "summary", "sum", "help of s"],
  ["s_count", { s: "summary" }, "s", "summary", "count", "help of s"],
  ["s_created", { s: "summary" }, "s", "summary", "created", "help of s"],
  ["c_created", { c: "counter" }, "c", "counter", "created", "help of c"],
  ["c_created", { c: "gauge" }, "c_created", "unknown", "value", ""],
  ["c_created", { c_created: "gauge" }, "c_created", "gauge", "value", "help of c_created"],
  ["i_info", { i: "info" }, "i_info", "info", "info", "help of i"],
  ["i_info", { i_info: "info" }, "i_info", "info", "info", "help of i_info"],
  ["i_info", { i_info: "gauge" }, "i_info", "gauge", "value", "help of i_info"],
  ["e", { e: "stateset" }, "e", "stateset", "value", "help of e"],
  ["constructor", {}, "constructor", "unknown", "value", ""],
];

for (const [sample, families, family, type, role, help] of ROLES) {
  const page = JSON.stringify(families);
  Deno.test(`sampleRole finds ${role} of ${type} ${family} for ${sample} beside ${page}`, () => {
    assert.deepEqual(sampleRole(sample, [], metadataOf(families)), {
      family,
      type,
      role,
      help,
      unit: null,
    });
  });
}

Deno.test("sampleRole tells a summary's quantiles by their label", () => {
  const metadata = metadataOf({ s: "summary" });
  assert.equal(sampleRole("s", [["a", "b"], ["quantile", "0.5"]], metadata).role, "quantile");
  assert.equal(sampleRole("s_sum", [["quantile", "0.5"]], metadata).role, "sum");
});

Deno.test("sampleRole gives the family's unit", () => {
  const metadata = new TextParser().parse(
    "# TYPE a_seconds histogram\n# UNIT a_seconds seconds\n# EOF\n",
  ).metadata;
  assert.equal(sampleRole("a_seconds_bucket", [], metadata).unit, "seconds");
});

Deno.test("sampleRole leaves a counter its full name when samples without a TYPE have the short one", () => {
  const parser = new TextParser();
  const alone = parser.parse("# TYPE x_total counter\nx_total 1\n");
  assert.equal(sampleRole("x_total", [], alone.metadata).family, "x");
  const both = parser.parse("# TYPE x_total counter\nx_total 1\nx 2\n");
  assert.equal(sampleRole("x_total", [], both.metadata).family, "x_total");
  assert.deepEqual(
    [sampleRole("x", [], both.metadata).family, sampleRole("x", [], both.metadata).type],
    ["x", "unknown"],
  );
  assert.notEqual(both.metadataVersion, alone.metadataVersion);
});
