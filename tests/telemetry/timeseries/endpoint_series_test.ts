import assert from "node:assert/strict";
import {
  EndpointSeries,
  type KeptSample,
  type Series,
} from "../../../src/telemetry/timeseries/endpoint_series.ts";
import {
  HistogramSeries,
  ScalarSeries,
  SummarySeries,
} from "../../../src/telemetry/timeseries/series.ts";
import type { ValueColumn } from "../../../src/telemetry/timeseries/value_column.ts";
import { endpointOf, type TimedPage } from "../../support/metrics_pages.ts";
import { PageReader } from "../../../src/telemetry/scrape/page_reader.ts";

function cellsOf(column: ValueColumn): [row: number, value: number][] {
  return [...column.runs()].flatMap(({ startRow, endRow, value }) =>
    Array.from({ length: endRow - startRow }, (_, index): [number, number] => [
      startRow + index,
      value,
    ])
  );
}

/** Every series as `type name{labels}`, with the values of its rows. */
function contentOf(endpoint: EndpointSeries): Record<string, unknown> {
  return Object.fromEntries(
    [...endpoint.series].map((series) => [nameOf(series), valuesOf(series)]),
  );
}

function nameOf({ identity: { type, name, labels } }: Series): string {
  const text = labels.map(([label, value]) => `${label}=${value}`).join(",");
  return `${type} ${name}${text === "" ? "" : `{${text}}`}`;
}

function valuesOf(series: Series): unknown {
  if (series instanceof ScalarSeries) return cellsOf(series.values);
  const parts: Record<string, unknown> = {};
  if (series instanceof HistogramSeries) {
    for (const { bound, counts } of series.buckets) parts[bound] = cellsOf(counts);
  } else {
    for (const [quantile, column] of series.quantiles) parts[quantile] = cellsOf(column);
  }
  return { ...parts, sum: cellsOf(series.sum), count: cellsOf(series.count) };
}

function contentOfPage(text: string, contentType?: string): Record<string, unknown> {
  return contentOf(endpointOf([[0, text]], contentType));
}

Deno.test("EndpointSeries keeps each sample in the row of its scrape", () => {
  const endpoint = endpointOf([
    [0, '# TYPE a gauge\na 1\n# TYPE b_total counter\nb_total{x="1"} 5\n'],
    [1, '# TYPE a gauge\na 2\n# TYPE b_total counter\nb_total{x="2"} 6\n'],
  ]);
  assert.deepEqual(contentOf(endpoint), {
    "gauge a": [[0, 1], [1, 2]],
    "counter b{x=1}": [[0, 5]],
    "counter b{x=2}": [[1, 6]],
  });
  assert.deepEqual([...endpoint.timesNs], [0, 1e9]);
});

Deno.test("EndpointSeries makes a row, but no update, of a page like the one before", () => {
  const page = "# TYPE a gauge\na 1\n";
  const endpoint = endpointOf([[0, page], [1, page], [2, page.replace("1", "2")], [3, page]]);
  assert.deepEqual(contentOf(endpoint), { "gauge a": [[0, 1], [1, 1], [2, 2], [3, 1]] });
  assert.deepEqual([...endpoint.timesNs], [0, 1e9, 2e9, 3e9]);
  assert.deepEqual([...endpoint.updatesNs], [0, 2e9, 3e9]);
});

Deno.test("EndpointSeries makes no row of a page with nothing to keep", () => {
  for (const empty of ["", "\n", "# nothing\n", "a NaN\n", "x_created 5\n", "up_uptime 1\n"]) {
    const endpoint = endpointOf([[0, empty], [1, "a 1\n"]]);
    assert.deepEqual([...endpoint.timesNs], [1e9], JSON.stringify(empty));
    assert.deepEqual(contentOf(endpoint), { "unknown a": [[0, 1]] });
  }
});

Deno.test("EndpointSeries takes the last of two samples of one series", () => {
  assert.deepEqual(contentOfPage('a{x="1",y="2"} 1\na{y="2",x="1"} 2\n'), {
    "unknown a{x=1,y=2}": [[0, 2]],
  });
  const twice = endpointOf([[0, "a 1\na 2\n"], [1, "a 3\n"], [2, "a 4\na NaN\n"], [3, "a 5\n"]]);
  assert.deepEqual(contentOf(twice), { "unknown a": [[0, 2], [1, 3], [2, 5]] });
});

Deno.test("EndpointSeries follows a TYPE line that comes behind its samples", () => {
  assert.deepEqual(contentOfPage("a_total 1\n# TYPE a_total counter\n"), {
    "counter a": [[0, 1]],
  });
});

Deno.test("EndpointSeries keeps a metric that changes its type as two series", () => {
  const endpoint = endpointOf([
    [0, "# TYPE a gauge\na 1\n"],
    [1, "# TYPE a counter\na 2\n"],
    [2, "# TYPE a gauge\na 3\n"],
    [3, "a 4\n"],
  ]);
  assert.deepEqual(contentOf(endpoint), {
    "gauge a": [[0, 1], [2, 3]],
    "counter a": [[1, 2]],
    "unknown a": [[3, 4]],
  });
});

Deno.test("EndpointSeries keeps every value when help texts change", () => {
  const pages = [0, 1, 2].map((number): TimedPage => [
    number,
    `# HELP a as of ${number}\n# TYPE a gauge\na ${number}\n`,
  ]);
  const endpoint = endpointOf(pages);
  assert.deepEqual(contentOf(endpoint), { "gauge a": [[0, 0], [1, 1], [2, 2]] });
  const [series] = endpoint.series;
  assert.equal(series?.identity.description, "as of 0");
});

Deno.test("EndpointSeries knows one bucket by all spellings of its bound", () => {
  const page = (infinity: string, one: string, number: number) =>
    `# TYPE h histogram\nh_bucket{le="${one}"} ${number}\nh_bucket{le="${infinity}"} ${number}\n` +
    `h_sum ${number}\nh_count ${number}\n`;
  const spellings: readonly [string, string][] = [
    ["+Inf", "1.0"],
    ["Inf", "1"],
    ["inf", "1e0"],
    ["+Infinity", "+1"],
    ["infinity", "1.000"],
  ];
  const endpoint = endpointOf(spellings.map(([inf, one], row) => [row, page(inf, one, row)]));
  const cells = spellings.map((_, row) => [row, row]);
  assert.deepEqual(contentOf(endpoint), {
    "histogram h": { "1.0": cells, "+Inf": cells, "sum": cells, "count": cells },
  });
});

Deno.test("EndpointSeries takes a bucket without a bound for the infinite one", () => {
  assert.deepEqual(contentOfPage("# TYPE h histogram\nh_bucket 3\nh_sum 1\nh_count 3\n"), {
    "histogram h": { "+Inf": [[0, 3]], "sum": [[0, 1]], "count": [[0, 3]] },
  });
});

Deno.test("EndpointSeries leaves out a bucket whose bound is no number, and keeps the others", () => {
  assert.deepEqual(
    contentOfPage('# TYPE h histogram\nh_bucket{le="x"} 1\nh_bucket{le="2"} 3\nh_count 3\n'),
    { "histogram h": { "2": [[0, 3]], "sum": [], "count": [[0, 3]] } },
  );
});

Deno.test("EndpointSeries leaves out a histogram with a part that is no number, for that scrape", () => {
  const page = (sum: string, other: string) =>
    `# TYPE h histogram\nh_bucket{le="+Inf"} 3\nh_sum ${sum}\nh_count 3\n` +
    `h_bucket{m="b",le="+Inf"} ${other}\nh_sum{m="b"} 1\nh_count{m="b"} 4\n`;
  const endpoint = endpointOf([[0, page("1", "4")], [1, page("NaN", "5")], [2, page("2", "+Inf")]]);
  assert.deepEqual(contentOf(endpoint), {
    "histogram h": { "+Inf": [[0, 3], [2, 3]], "sum": [[0, 1], [2, 2]], "count": [[0, 3], [2, 3]] },
    "histogram h{m=b}": {
      "+Inf": [[0, 4], [1, 5]],
      "sum": [[0, 1], [1, 1]],
      "count": [[0, 4], [1, 4]],
    },
  });
  assert.deepEqual([...endpoint.nonFinite], ["h_sum", "h_bucket"]);
});

Deno.test("EndpointSeries leaves out values that are not finite, and names their metrics", () => {
  const endpoint = endpointOf([
    [0, "# TYPE a gauge\na 1\n# TYPE b gauge\nb +Inf\n# TYPE c_total counter\nc_total NaN\n"],
    [1, "# TYPE a gauge\na NaN\n# TYPE b gauge\nb 2\n# TYPE c_total counter\nc_total -Inf\n"],
  ]);
  assert.deepEqual(contentOf(endpoint), { "gauge a": [[0, 1]], "gauge b": [[1, 2]] });
  assert.deepEqual([...endpoint.nonFinite], ["b", "c_total", "a"]);
});

Deno.test("EndpointSeries reads every type of OpenMetrics", () => {
  const page = `# TYPE build info
build_info{version="1"} 1
# TYPE state stateset
state{state="on"} 1
# TYPE sizes gaugehistogram
sizes_bucket{le="+Inf"} 4
sizes_gsum 3
sizes_gcount 4
# TYPE done counter
done_total 5
done_created 1700000000
# TYPE rest unknown
rest 6
# TYPE latency summary
latency{quantile="0.5"} 0.1
latency_sum 7
latency_count 8
# EOF
`;
  assert.deepEqual(contentOfPage(page, "application/openmetrics-text; version=1.0.0"), {
    "gauge build_info{version=1}": [[0, 1]],
    "gauge state{state=on}": [[0, 1]],
    "gauge sizes_bucket{le=+Inf}": [[0, 4]],
    "gauge sizes_gsum": [[0, 3]],
    "gauge sizes_gcount": [[0, 4]],
    "counter done": [[0, 5]],
    "unknown rest": [[0, 6]],
    "summary latency": { "0.5": [[0, 0.1]], "sum": [[0, 7]], "count": [[0, 8]] },
  });
});

Deno.test("EndpointSeries drops what says when something began, and nothing else", () => {
  const names = [
    ...["a_created", "a_uptime", "x_uptime_seconds", "process_uptime_x"],
    ...["uptime_seconds", "uptime", "a_created_at", "_uptimes", "recreated"],
  ];
  const page = names.map((name) => `# TYPE ${name} gauge\n${name} 1\n`).join("");
  assert.deepEqual(Object.keys(contentOfPage(page)), [
    ...["gauge uptime_seconds", "gauge uptime", "gauge a_created_at", "gauge _uptimes"],
    "gauge recreated",
  ]);
});

Deno.test("EndpointSeries has no trouble with names that mean something to the language", () => {
  const page = 'constructor{__proto__="a",toString="b"} 1\n__proto__ 2\nhasOwnProperty{a="1"} 3\n';
  assert.deepEqual([...endpointOf([[0, page]]).series].map(nameOf), [
    "unknown constructor{__proto__=a,toString=b}",
    "unknown __proto__",
    "unknown hasOwnProperty{a=1}",
  ]);
});

Deno.test("EndpointSeries takes secrets out of whatever a page says", () => {
  const endpoint = new EndpointSeries((text) => text.replaceAll("hunter22", "<redacted>"));
  const text = '# HELP a_info Started with --api-key hunter22\na_info{cmd="--key=hunter22"} 1\n' +
    "hunter22_ratio NaN\n" +
    '# TYPE b summary\nb{quantile="hunter22"} 1\nb_sum 1\nb_count 1\n';
  const times = { sentNs: 0, firstByteNs: 0, latencyNs: 0 };
  endpoint.add(new PageReader().read(new TextEncoder().encode(text), "text/plain", times));
  const [info, summary] = endpoint.series;
  assert.deepEqual(info?.identity.labels, [["cmd", "--key=<redacted>"]]);
  assert.equal(info?.identity.description, "Started with --api-key <redacted>");
  assert.ok(summary instanceof SummarySeries);
  assert.deepEqual([...summary.quantiles.keys()], ["<redacted>"]);
  assert.deepEqual([...endpoint.nonFinite], ["<redacted>_ratio"]);
});

function lastSamples(endpoint: EndpointSeries): KeptSample[] {
  return Array.from({ length: endpoint.lastCount }, (_, position) => endpoint.lastSample(position))
    .filter((sample) => sample !== undefined);
}

Deno.test("EndpointSeries tells parts of the last page that it keeps, in their order", () => {
  const endpoint = endpointOf([
    [0, "x 1\n"],
    [1, '# TYPE h histogram\nh_bucket{le="+Inf"} 3\nh_sum 2\nh_count 3\na 1\nb NaN\na 7\n'],
  ]);
  const parts = lastSamples(endpoint).map(({ series, part, value }) => [
    nameOf(series),
    typeof part === "string" ? part : part.bound,
    value,
  ]);
  assert.deepEqual(parts, [
    ["histogram h", "+Inf", 3],
    ["histogram h", "sum", 2],
    ["histogram h", "count", 3],
    ["unknown a", "value", 7],
  ]);
});

Deno.test("EndpointSeries tells no part of a histogram that it left out", () => {
  const torn = '# TYPE h histogram\nh_bucket{le="+Inf"} 3\nh_sum NaN\nh_count 3\na 1\n';
  const endpoint = endpointOf([[0, torn.replace("NaN", "1")], [1, torn]]);
  assert.deepEqual(lastSamples(endpoint).map(({ series }) => nameOf(series)), ["unknown a"]);
});

Deno.test("EndpointSeries counts lines that cannot be read, those of a repeated page once", () => {
  const bad = "a 1\nthis is no sample\nb{ 2\n";
  const endpoint = endpointOf([[0, bad], [1, bad], [2, `${bad}c 3\n`]]);
  assert.equal(endpoint.problemCount, 4);
});

Deno.test("SummarySeries keeps what the server computed", () => {
  const [series] = endpointOf([
    [0, '# TYPE s summary\ns{quantile="0.5"} 1\ns{quantile="0.9"} NaN\ns_sum 3\ns_count 2\n'],
  ]).series;
  assert.ok(series instanceof SummarySeries);
  assert.deepEqual(valuesOf(series), {
    "0.5": [[0, 1]],
    "0.9": [],
    "sum": [[0, 3]],
    "count": [[0, 2]],
  });
});

Deno.test("EndpointSeries continues a series whose label appears or disappears", () => {
  const counter = (labels: string, value: number) =>
    `# TYPE a_total counter\na_total${labels} ${value}\n`;
  for (const [before, after] of [["", '{e="0"}'], ['{m="x"}', '{e="0",m="x"}']] as const) {
    for (const [first, second] of [[before, after], [after, before]] as const) {
      const endpoint = endpointOf([[0, counter(first, 5)], [1, counter(second, 7)]]);
      assert.deepEqual(Object.values(contentOf(endpoint)), [[[0, 5], [1, 7]]]);
      assert.deepEqual([...endpoint.relabelled], ["a"]);
    }
  }
  const histogram = (label: string, count: number) =>
    `# TYPE h histogram\nh_bucket{${label}le="1"} ${count}\nh_bucket{${label}le="+Inf"} ${count}\n` +
    `h_sum{${label}} ${count}\nh_count{${label}} ${count}\n`.replaceAll("{}", "");
  const endpoint = endpointOf([[0, histogram("", 2)], [1, histogram('e="0",', 3)]]);
  const column = [[0, 2], [1, 3]];
  assert.deepEqual(contentOf(endpoint), {
    "histogram h": { "1": column, "+Inf": column, sum: column, count: column },
  });
});

Deno.test("EndpointSeries keeps series apart where it is not clear which one continues", () => {
  for (
    const [first, second] of [
      // The old one is still there, the new ones are two, the old ones are two, a value changed.
      ['a{m="x"} 5\n', 'a{m="x"} 6\na{e="0",m="x"} 1\n'],
      ['a{m="x"} 5\n', 'a{e="0",m="x"} 3\na{e="1",m="x"} 3\n'],
      ['a{e="0"} 5\na{m="x"} 5\n', 'a{e="0",m="x"} 3\n'],
      ['a{m="x"} 5\n', 'a{e="0",m="y"} 6\n'],
    ] as const
  ) {
    const endpoint = endpointOf([[0, first], [1, second]]);
    assert.equal(endpoint.relabelled.size, 0, second);
    const names = new Set(`${first}${second}`.split("\n").map((line) => line.split(" ")[0]));
    assert.equal([...endpoint.series].length, names.size - 1, second);
  }
});

Deno.test("EndpointSeries names metrics that have several samples of a series on a page", () => {
  const endpoint = endpointOf([
    [0, 'a{m="x"} 1\nb 1\na{m="x"} 5\n'],
    [1, 'a{m="x"} 2\nb 2\na{ m = "x" } 6\n'],
  ]);
  assert.deepEqual([...endpoint.repeated], ["a"]);
  assert.deepEqual(contentOf(endpoint)["unknown a{m=x}"], [[0, 5], [1, 6]]);
  assert.equal(endpointOf([[0, "a 1\nb 1\n"], [1, "b 1\na 1\n"]]).repeated.size, 0);
});
