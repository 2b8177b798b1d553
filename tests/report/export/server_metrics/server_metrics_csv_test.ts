import assert from "node:assert/strict";
import fc from "fast-check";
import { withFolder } from "../../../support/artifacts.ts";
import { csvSections } from "../../../support/metrics_artifacts.ts";
import type { TimedPage } from "../../../support/metrics_pages.ts";
import { pythonTest, readByPython } from "../../../support/python.ts";
import {
  replayedFiles,
  type ReplayedPages,
  type ReplaySettings,
} from "../../../support/replayed_files.ts";

const WINDOW = { start: 0.5, end: 3 };

async function csvOf(
  pages: ReplayedPages,
  settings: Partial<ReplaySettings> = {},
): Promise<string> {
  const formats = { serverMetricsFormats: ["csv"] };
  return (await replayedFiles(pages, { ...WINDOW, ...formats, ...settings })).csv;
}

function seconds(page: (second: number) => string): TimedPage[] {
  return [0, 1, 2, 3].map((second) => [second, page(second)]);
}

/** A text as a page writes it in quotes. */
function quoted(value: string): string {
  return `"${value.replaceAll("\\", "\\\\").replaceAll("\n", "\\n").replaceAll('"', '\\"')}"`;
}

const EVERYTHING = seconds((second) =>
  `# HELP c_total Requests, all
# TYPE c_total counter
c_total{route="/a",code="200"} ${second * 2}
c_total{route="/b",code="500"} ${second}
# HELP g_ratio Of 1
# TYPE g_ratio gauge
g_ratio ${second / 4}
g_ratio{model="m"} 1
# HELP h_seconds Latency
# TYPE h_seconds histogram
h_seconds_bucket{le="0.5"} ${second}
h_seconds_bucket{le="+Inf"} ${second * 2}
h_seconds_sum ${second * 3}
h_seconds_count ${second * 2}
u ${second}
# HELP build_info Build
# TYPE build_info gauge
build_info{version="1.2",branch="main"} 1
`
);

Deno.test("serverMetricsCsv has five sections, each with its own columns", async () => {
  const csv = await csvOf(EVERYTHING, { sliceDuration: 1 });
  const heads = csv.split("\r\n\r\n").map((section) => section.split("\r\n")[0]);
  const percentiles = "p1,p5,p10,p25,p50,p75,p90,p95,p99";
  const estimates = percentiles.replaceAll(/p\d+/g, "$&_estimate");
  assert.deepEqual(heads, [
    `Endpoint,Type,Metric,Unit,avg,min,max,std,${percentiles},model,Description`,
    "Endpoint,Type,Metric,Unit,total,rate,rate_avg,rate_min,rate_max,rate_std,code,route,Description",
    `Endpoint,Type,Metric,Unit,count,count_rate,sum,sum_rate,avg,${estimates},Description,buckets`,
    `Endpoint,Type,Metric,Unit,avg,min,max,std,${percentiles},Description`,
    "Endpoint,Metric,Key,Value,Description",
  ]);
  const [gauges, counters, histograms, unknowns, infos] = csvSections(csv);
  assert.deepEqual(gauges?.map(({ Metric, Unit, model, avg }) => [Metric, Unit, model, avg]), [
    ["g_ratio", "ratio", "", "0.5"],
    ["g_ratio", "ratio", "m", "1"],
  ]);
  assert.deepEqual(
    counters?.map(({ code, route, total, Description }) => [
      ...[code, route, total, Description],
    ]),
    [["200", "/a", "6", "Requests, all"], ["500", "/b", "3", "Requests, all"]],
  );
  assert.deepEqual(
    histograms?.map(({ Unit, count, sum, avg, buckets }) => [Unit, count, sum, avg, buckets]),
    [["seconds", "6", "9", "1.5", "0.5=3;+Inf=6"]],
  );
  assert.deepEqual(unknowns?.map(({ Type, Metric, max }) => [Type, Metric, max]), [
    ["unknown", "u", "3"],
  ]);
  assert.deepEqual(
    infos?.map(({ Metric, Key, Value, Description }) => [
      ...[Metric, Key, Value, Description],
    ]),
    [["build_info", "branch", "main", "Build"], ["build_info", "version", "1.2", "Build"]],
  );
});

Deno.test("serverMetricsCsv has no section for types that do not occur", async () => {
  const csv = await csvOf(seconds((second) => `# TYPE c counter\nc ${second}\n`));
  assert.equal(csvSections(csv).length, 1);
  assert.ok(csv.endsWith("\r\n") && !csv.startsWith("\r\n"));
});

Deno.test("serverMetricsCsv orders label columns by families, and rows by the labels they have", async () => {
  const csv = await csvOf(
    seconds((second) =>
      `a{x="1",once="2"} ${second}\na{x="2"} ${second}\nb{m="1"} ${second}\nc ${second}\n` +
      `d{m="1",n="2"} ${second}\n`
    ),
  );
  const [head, ...rows] = csv.trim().split("\r\n").map((line) => line.split(","));
  assert.deepEqual(head?.slice(17, -1), ["n", "m", "once", "x"]);
  assert.deepEqual(rows.map((row) => [row[2], ...row.slice(17, -1)].join()), [
    ...["c,,,,", "a,,,,2", "a,,,2,1", "b,,1,,", "d,2,1,,"],
  ]);
});

Deno.test("serverMetricsCsv names endpoints by host and path, and by the whole URL where needed", async () => {
  const page = seconds((second) => `a ${second}\n`);
  const csv = await csvOf({
    "http://localhost:8000/metrics": page,
    "http://h/v1/metrics": page,
    "http://h/prometheus/metrics": page,
    "https://s/metrics": page,
    "http://s/metrics": page,
    "http://q/stats?x=1": page,
  });
  assert.deepEqual(csvSections(csv)[0]?.map(({ Endpoint }) => Endpoint).sort(), [
    ...["h/prometheus", "h/v1", "http://s/metrics", "https://s/metrics", "localhost:8000"],
    "q/stats",
  ]);
});

/** What a spreadsheet would run, and how it is written instead. */
const PAYLOADS: readonly string[] = [
  "=1+1",
  "+1+1",
  "-1+1",
  "@SUM(A1)",
  "\t=1+1",
  "\r=1+1",
  "=cmd|'/C calc'!A0",
  '=HYPERLINK("http://evil.example","x")',
  "-",
  "+",
  " =1+1",
  "\u00a0 \n@SUM(A1)",
  "\u200b-1+1",
  " -1",
  "＝1+1",
  "＋1+1",
  "－1+1",
  "＠SUM(A1)",
  "\u3000﹦1+1",
];
const HARMLESS = ["-1", "+5", "-1.5e3", "+.5", "a=b", "1+1", "", "'=1", "１＋１", " a=b"];

/** Characters that a file must not hold as they are. */
// deno-lint-ignore no-control-regex
const CONTROLS = /[\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f-\u009f]/;

Deno.test("serverMetricsCsv escapes control characters of labels, help and units, raw or not", async () => {
  const hostile = "a\x00b\x1b[2Jc\x7fd\u009b31me\x08";
  const shown = "a\\u0000b\\u001b[2Jc\\u007fd\\u009b31me\\u0008";
  const page = seconds((second) =>
    `# TYPE a gauge\n# UNIT a ${hostile}\n# HELP a ${hostile}\na{"${hostile}"="${hostile}"} ${second}\n` +
    `# TYPE x info\nx_info{v="${hostile}"} 1\n# EOF\n`
  );
  for (const csvRaw of [false, true]) {
    const csv = await csvOf(page, { csvRaw, contentType: "application/openmetrics-text" });
    assert.doesNotMatch(csv, CONTROLS);
    const [gauges, infos] = csvSections(csv);
    assert.equal(gauges?.[0]?.[shown], shown);
    assert.equal(gauges?.[0]?.["Description"], shown);
    assert.equal(infos?.[0]?.["Value"], shown);
  }
});

Deno.test("serverMetricsCsv neutralises what a spreadsheet would run, wherever it stands", async () => {
  for (const payload of PAYLOADS) {
    const page = seconds((second) =>
      `# HELP a ${payload.replaceAll("\n", "\\n")}\n# TYPE a gauge\na{v=${
        quoted(payload)
      }} ${second}\n` +
      `# TYPE x_info gauge\nx_info{v=${quoted(payload)}} 1\n`
    );
    const csv = await csvOf(page);
    const [gauges, infos] = csvSections(csv);
    assert.equal(gauges?.[0]?.["v"], `'${payload}`, JSON.stringify(payload));
    assert.equal(infos?.[0]?.["Value"], `'${payload}`);
    // A line of help loses the blanks around it.
    if (!/\s/.test(payload[0] ?? "")) assert.equal(gauges?.[0]?.["Description"], `'${payload}`);
    const raw = csvSections(await csvOf(page, { csvRaw: true }));
    assert.deepEqual([raw[0]?.[0]?.["v"], raw[1]?.[0]?.["Value"]], [payload, payload]);
  }
});

Deno.test("serverMetricsCsv leaves harmless cells alone, negative numbers among them", async () => {
  const page = HARMLESS.map((value, index) => `a{v=${quoted(value)},i="${index}"} 1\n`).join("");
  const [rows] = csvSections(await csvOf(seconds(() => page)));
  const byIndex = rows?.toSorted((a, b) => Number(a["i"]) - Number(b["i"]));
  assert.deepEqual(byIndex?.map(({ v }) => v), HARMLESS);
});

Deno.test("serverMetricsCsv neutralises names of labels and units, too", async () => {
  const page = '# TYPE a gauge\n# UNIT a =1+1\na{"=evil"="1"} 1\n# EOF\n';
  const csv = await csvOf(seconds(() => page), { contentType: "application/openmetrics-text" });
  assert.doesNotMatch(csv, /(^|,|")[=@]/m);
});

Deno.test("serverMetricsCsv keeps quotes, commas, and line ends, but no empty line in a cell", async () => {
  const values: readonly (readonly [string, string])[] = [
    ['say "hi"', 'say "hi"'],
    ["a,b;c", "a,b;c"],
    ["one\ntwo", "one\ntwo"],
    ["one\n\ntwo", "one\ntwo"],
    ["one\r\n\r\n \t\r\ntwo", "one\ntwo"],
    ["\n\nend", "\nend"],
    ["ü🚀", "ü🚀"],
  ];
  const page = values.map(([value], index) => `a{v=${quoted(value)},i="${index}"} 1\n`).join("");
  const csv = await csvOf(seconds(() => page));
  const sections = csvSections(csv);
  assert.equal(sections.length, 1, "nothing in a cell looks like the end of a section");
  const byIndex = sections[0]?.toSorted((a, b) => Number(a["i"]) - Number(b["i"]));
  assert.deepEqual(byIndex?.map(({ v }) => v), values.map(([, shown]) => shown));
});

Deno.test("serverMetricsCsv is read back whatever labels say", async () => {
  const text = fc.string({ unit: fc.constantFrom(..."=+-@\t\r\n,;\"' a1"), maxLength: 12 });
  await fc.assert(
    fc.asyncProperty(fc.uniqueArray(text, { minLength: 1, maxLength: 6 }), async (values) => {
      const page = values.map((value, index) => `a{v=${quoted(value)},i="${index}"} 1\n`).join("");
      const sections = csvSections(await csvOf(seconds(() => page)));
      assert.equal(sections.length, 1);
      assert.equal(sections[0]?.length, values.length);
      for (const row of sections[0] ?? []) {
        const value = values[Number(row["i"])] as string;
        const shown = (row["v"] as string).replace(/^'/, "");
        const flat = (text: string) => text.replace(/[\s']+/g, " ");
        assert.equal(flat(shown), flat(value.replace(/^'/, "")));
        assert.doesNotMatch(row["v"] as string, /^[=@]/);
      }
    }),
    { numRuns: 150 },
  );
});

Deno.test("serverMetricsCsv writes numbers with all their digits", async () => {
  const numbers = [0.1, 1 / 3, 1e-300, 123456789.12345679, 2 ** 53, 1e21, -0.000001];
  const page = numbers.map((value, index) => `a${index} ${value}\n`).join("");
  const [rows] = csvSections(await csvOf(seconds(() => page)));
  assert.deepEqual(rows?.map(({ avg }) => Number(avg)), numbers);
});

await pythonTest("pandas reads the CSV as the tutorial shows", () =>
  withFolder(async (folder) => {
    const evil = seconds((second) =>
      `# HELP g one\\n\\ntwo, "three"\n# TYPE g gauge\ng{v=${
        quoted('=1\n\n"x",\r\n\r\ny')
      }} ${second}\n`
    );
    const pages: ReplayedPages = { "http://a/metrics": EVERYTHING, "http://b/metrics": evil };
    const path = `${folder}/server_metrics_export.csv`;
    await Deno.writeTextFile(path, await csvOf(pages));
    const sections = await readByPython("csv", path);
    assert.equal(sections.length, 5);
    const [gauges, counters] = sections;
    const column = (section: { columns: string[]; rows: unknown[][] }, name: string) =>
      section.rows.map((row) => row[section.columns.indexOf(name)]);
    assert.deepEqual(column(counters, "total"), ["6", "3"], "whole numbers");
    assert.deepEqual(column(gauges, "avg"), [0.5, 2, 1]);
    assert.deepEqual(column(gauges, "Description"), ["Of 1", 'one\ntwo, "three"', "Of 1"]);
    assert.deepEqual(column(gauges, "v"), [null, '\'=1\n"x",\ny', null]);
  }));
