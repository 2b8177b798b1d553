import { Ajv2020 } from "ajv/dist/2020.js";
import assert from "node:assert/strict";
import fc from "fast-check";
import { jsonDocument, jsonLine } from "../../../../src/report/export/json_document.ts";
import { SCHEMAS } from "../../../../src/report/export/schemas/schemas.ts";
import { parseExactJson } from "../../../support/json_difference.ts";
import { BASE_EPOCH_NS, ENDPOINT_URL, type TimedPage } from "../../../support/metrics_pages.ts";
import { replayedFiles } from "../../../support/replayed_files.ts";

const WINDOW = { start: 0.5, end: 3 };

function seconds(page: (second: number) => string, count = 4): TimedPage[] {
  return Array.from({ length: count }, (_, second) => [second, page(second)]);
}

function documentOf(value: unknown): string {
  return [...jsonDocument(value)].join("");
}

Deno.test("jsonDocument and jsonLine write what JSON.stringify does", () => {
  fc.assert(
    fc.property(fc.jsonValue(), (value) => {
      assert.equal(documentOf(value), JSON.stringify(value, null, 2));
      assert.equal(jsonLine(value), JSON.stringify(value));
    }),
    { numRuns: 500 },
  );
});

Deno.test("jsonDocument and jsonLine keep the order of a map's keys, whatever they are", () => {
  const map = new Map<string, unknown>([
    ...[["10", 1], ["2.5", 2], ["1", 3], ["__proto__", 4], ["constructor", 5]] as const,
  ]);
  assert.equal(jsonLine(map), '{"10":1,"2.5":2,"1":3,"__proto__":4,"constructor":5}');
  assert.equal(
    documentOf({ a: [map] }).replaceAll(/\s/g, ""),
    '{"a":[{"10":1,"2.5":2,"1":3,"__proto__":4,"constructor":5}]}',
  );
});

Deno.test("jsonDocument and jsonLine write big integers, and leave out what JSON has no word for", () => {
  const value = { a: 2n ** 63n, b: NaN, c: Infinity, d: undefined, e: [NaN, undefined, 1], f: {} };
  assert.equal(jsonLine(value), '{"a":9223372036854775808,"e":[null,null,1],"f":{}}');
  assert.equal(
    documentOf({ deep: { deep: { deep: { deep: { deep: value } } } } })
      .replaceAll(/\s/g, ""),
    `{"deep":{"deep":{"deep":{"deep":{"deep":${jsonLine(value)}}}}}}`,
  );
});

Deno.test("jsonDocument hands out a large document in blocks", () => {
  const entries = Array.from({ length: 20_000 }, (_, index) => [`key${index}`, { a: index }]);
  const pieces = [...jsonDocument({ metrics: new Map(entries as [string, unknown][]) })];
  assert.ok(pieces.length > 5);
  assert.ok(pieces.every(({ length }) => length < 70_000));
  assert.equal(Object.keys(JSON.parse(pieces.join("")).metrics).length, 20_000);
});

const PAGES = seconds((second) =>
  `# HELP c_total Requests\n# TYPE c_total counter\nc_total{b="2",a="1"} ${second}\n` +
  `# TYPE h_seconds histogram\nh_seconds_bucket{le="0.5"} ${second}\n` +
  `h_seconds_bucket{le="+Inf"} ${second * 2}\nh_seconds_sum ${second * 3}\nh_seconds_count ${
    second * 2
  }\n`
);

Deno.test("serverMetricsJson is the document of the schema reference", async () => {
  const { json } = await replayedFiles(PAGES, { ...WINDOW, sliceDuration: 1 });
  assert.deepEqual(json.metrics.c, {
    "type": "counter",
    "description": "Requests",
    "series": [{
      "endpoint_url": ENDPOINT_URL,
      "labels": { "a": "1", "b": "2" },
      "stats": {
        ...{ "total": 3, "rate": 1.2, "rate_avg": 1, "rate_min": 1, "rate_max": 1, "rate_std": 0 },
      },
      "timeslices": json.metrics.c.series[0].timeslices,
    }],
  });
  const { unit, series: [histogram] } = json.metrics.h_seconds;
  assert.equal(unit, "seconds");
  assert.deepEqual(Object.keys(histogram), ["endpoint_url", "stats", "buckets", "timeslices"]);
  assert.deepEqual(histogram.buckets, { "0.5": 3, "+Inf": 6 });
  assert.deepEqual(
    histogram.timeslices.map((slice: Record<string, unknown>) => Object.keys(slice)),
    [
      ["start_ns", "end_ns", "count", "sum", "avg", "buckets"],
      ["start_ns", "end_ns", "count", "sum", "avg", "buckets"],
      ["start_ns", "end_ns", "is_complete", "count", "sum", "avg", "buckets"],
    ],
  );
});

Deno.test("serverMetricsJson has certain bounds beside each estimate", async () => {
  const page = (second: number) =>
    `# TYPE h_seconds histogram\nh_seconds_bucket{le="0.5"} ${second}\n` +
    `h_seconds_bucket{le="+Inf"} ${second * 2}\nh_seconds_count ${second * 2}\n`;
  for (const estimator of ["interval", "polynomial", "interpolation"]) {
    const { json } = await replayedFiles(seconds(page), {
      ...WINDOW,
      histogramEstimator: estimator,
    });
    assert.equal(json.histogram_estimator, estimator);
    const { stats } = json.metrics.h_seconds.series[0];
    const names = Object.keys(stats);
    for (const p of [1, 5, 10, 25, 50, 75, 90, 95, 99]) {
      assert.equal(names[names.indexOf(`p${p}_estimate`) + 1], `p${p}_bounds`);
    }
    assert.deepEqual(stats.p25_bounds, [0, 0.5]);
    // Without a sum nothing limits what lies beyond the last bound.
    assert.deepEqual(stats.p99_bounds, [0.5, null]);
  }
});

Deno.test("serverMetricsJson dates everything to the nanosecond", async () => {
  const { jsonText } = await replayedFiles(PAGES, { ...WINDOW, sliceDuration: 1.3 });
  // deno-lint-ignore no-explicit-any -- what a reader of the file sees
  const json = parseExactJson(jsonText) as any;
  const info = json.summary.endpoint_info[ENDPOINT_URL];
  assert.deepEqual([info.first_fetch_ns, info.last_update_ns], [
    BASE_EPOCH_NS,
    BASE_EPOCH_NS + 3_000_000_000n,
  ]);
  const [first, second] = json.metrics.c.series[0].timeslices;
  assert.deepEqual([first.start_ns, first.end_ns, second.end_ns], [
    BASE_EPOCH_NS + 500_000_000n,
    BASE_EPOCH_NS + 1_800_000_000n,
    BASE_EPOCH_NS + 3_000_000_000n,
  ]);
  // Whole microseconds, in UTC.
  assert.match(json.summary.start_time, /^2025-12-06T05:46:40\.623456Z$/);
});

Deno.test("serverMetricsJson orders metrics by name, series by endpoint and labels", async () => {
  const page = (second: number) =>
    `b{x="2"} ${second}\nb{x="10"} 1\nb 1\nB 1\na_b 1\na 1\na:b 1\nb{w="9"} 1\n`;
  const { json } = await replayedFiles({
    "http://z/metrics": seconds(page),
    "http://a/metrics": seconds(page),
  }, WINDOW);
  assert.deepEqual(Object.keys(json.metrics), ["B", "a", "a:b", "a_b", "b"]);
  assert.deepEqual(
    json.metrics.b.series.map(
      (series: { endpoint_url: string; labels?: Record<string, string> }) =>
        `${series.endpoint_url.slice(7, 8)} ${JSON.stringify(series.labels ?? {})}`,
    ),
    ["a", "z"].flatMap((host) => [
      ...[`${host} {}`, `${host} {"w":"9"}`, `${host} {"x":"10"}`, `${host} {"x":"2"}`],
    ]),
  );
  assert.deepEqual(Object.keys(json.summary.endpoint_info), [
    "http://a/metrics",
    "http://z/metrics",
  ]);
});

Deno.test("serverMetricsJson has no trouble with names that mean something to the language", async () => {
  const page = (second: number) =>
    `__proto__{__proto__="x",constructor="y"} ${second}\nconstructor 1\ntoString 1\n`;
  const { jsonText } = await replayedFiles(seconds(page), WINDOW);
  assert.match(jsonText, /"__proto__": \{\s+"type": "unknown"/);
  assert.match(jsonText, /"labels": \{\s+"__proto__": "x",\s+"constructor": "y"\s+\}/);
  assert.match(jsonText, /"toString": \{/);
});

Deno.test("serverMetricsJson and the lines follow their schemas, also for extreme numbers", async () => {
  const numbers = ["1e308", "-1e308", "5e-324", "0", "-0", "1.7976931348623157e308", "9e15"];
  const page = (second: number) =>
    numbers.map((value, index) =>
      `g${index} ${
        second % 2 === 0 ? value : "1"
      }\n# TYPE c${index} counter\nc${index} ${value}\n` +
      `# TYPE h${index} histogram\nh${index}_bucket{le="1"} ${value}\n` +
      `h${index}_bucket{le="+Inf"} ${value}\nh${index}_sum ${value}\nh${index}_count ${value}\n`
    ).join("");
  const { json, lines } = await replayedFiles(seconds(page), { ...WINDOW, sliceDuration: 1 });
  const ajv = new Ajv2020({ strictTypes: false });
  const check = (name: string, document: unknown) => {
    const validate = ajv.compile(SCHEMAS.get(name) ?? {});
    assert.ok(validate(document), JSON.stringify(validate.errors?.slice(0, 3)));
  };
  check("server_metrics_export.json", json);
  for (const line of lines) check("server_metrics_export.jsonl", line);
});
