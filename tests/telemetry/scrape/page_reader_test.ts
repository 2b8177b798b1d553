import assert from "node:assert/strict";
import { ScrapeError } from "../../../src/telemetry/scrape/fetch_page.ts";
import { NotPrometheusError, PageReader } from "../../../src/telemetry/scrape/page_reader.ts";
import type { ScrapedPage } from "../../../src/telemetry/prometheus/scraped_page.ts";

const encoder = new TextEncoder();
const TIMES = { sentNs: 1, firstByteNs: 2, latencyNs: 3 };
const LIMITS = {
  bodyBytes: 1e6,
  samples: 100,
  labels: 4,
  labelValueBytes: 100,
  series: 5,
};

function read(reader: PageReader, text: string, contentType = "text/plain"): ScrapedPage {
  return reader.read(encoder.encode(text), contentType, TIMES);
}

function samplesOf(page: ScrapedPage, names: Map<number, string>): unknown[] {
  for (const { id, name } of page.newSeries) names.set(id, name);
  return [...page.ids].map((id, index) => [names.get(id), page.values[index]]);
}

Deno.test("PageReader tells series once, and values of every page", () => {
  const reader = new PageReader();
  const names = new Map<number, string>();
  const first = read(reader, "a 1\nb 2\n");
  assert.deepEqual(samplesOf(first, names), [["a", 1], ["b", 2]]);
  const second = read(reader, "b 3\nc 4\n");
  assert.deepEqual(second.newSeries.map(({ name }) => name), ["c"]);
  assert.deepEqual(samplesOf(second, names), [["b", 3], ["c", 4]]);
  assert.deepEqual([first.sentNs, first.firstByteNs, first.latencyNs], [1, 2, 3]);
});

Deno.test("PageReader tells nothing of a page like the one before", () => {
  const reader = new PageReader();
  read(reader, "a 1\n");
  const { duplicate, ids, newSeries, metadata } = read(reader, "a 1\n");
  assert.deepEqual([duplicate, ids.length, newSeries, metadata], [true, 0, [], undefined]);
  assert.equal(read(reader, "a 2\n").duplicate, false);
  assert.equal(read(reader, "a 1\n").duplicate, false, "only the page right before counts");
});

Deno.test("PageReader tells types and help texts when they change", () => {
  const reader = new PageReader();
  const types = (text: string) =>
    read(reader, text).metadata?.map(({ name, type }) => [name, type]);
  assert.deepEqual(types("# TYPE a gauge\na 1\n"), [["a", "gauge"]]);
  assert.equal(types("# TYPE a gauge\na 2\n"), undefined);
  assert.deepEqual(types("# TYPE a counter\na 3\n"), [["a", "counter"]]);
  assert.deepEqual(types("a 4\n"), []);
});

Deno.test("PageReader hands out columns that the next page does not overwrite", () => {
  const reader = new PageReader();
  const first = read(reader, "a 1\nb 2\n");
  read(reader, "a 3\nb 4\n");
  assert.deepEqual([...first.values], [1, 2]);
});

Deno.test("PageReader says of JSON that it is no metrics page, whatever it holds", () => {
  const reader = new PageReader();
  for (const type of ["application/json", " Application/JSON; charset=utf-8"]) {
    assert.throws(() => read(reader, "a 1\n", type), {
      name: "NotPrometheusError",
      message: `returned non-Prometheus content-type '${type}'; ` +
        "expected text/plain (Prometheus exposition format)",
    });
  }
  assert.equal(reader.wasValid, false);
});

Deno.test("PageReader lets no control character of a header into its message", () => {
  const steering = `application/json\x1b[2J\x07\u009b1m${"x".repeat(1000)}`;
  assert.throws(() => read(new PageReader(), "", steering), (error: Error) => {
    // deno-lint-ignore no-control-regex
    assert.doesNotMatch(error.message, /[\x00-\x1f\x7f-\x9f]/);
    return error.message.length < 400;
  });
});

Deno.test("PageReader says of a page without any sample that it is none", () => {
  for (const text of ["<html></html>", "[1, 2]", '{"a": 1}\n', "\0\x01", "# TYPE\n}\n"]) {
    assert.throws(() => read(new PageReader(), text), NotPrometheusError, JSON.stringify(text));
  }
});

Deno.test("PageReader takes a page that says nothing", () => {
  for (const text of ["", "\n\n", "# HELP a b\n# TYPE a gauge\n", "# EOF\n"]) {
    const reader = new PageReader();
    assert.equal(read(reader, text).ids.length, 0);
    assert.equal(reader.wasValid, true);
  }
});

Deno.test("PageReader keeps the good lines of a page with bad ones, and counts these", () => {
  const reader = new PageReader();
  const page = read(reader, "a 1\nb{ 2\nthis is none\nc 3\n");
  assert.deepEqual([...page.values], [1, 3]);
  assert.equal(page.problemCount, 2);
});

Deno.test("PageReader fails a page that crosses a limit, and reads the next one", () => {
  const crossing = [
    Array.from({ length: 101 }, (_, index) => `a${index} 1\n`).join(""),
    `a{b="${"x".repeat(101)}"} 1\n`,
    'a{b="1",c="1",d="1",e="1",f="1"} 1\n',
  ];
  for (const text of crossing) {
    const reader = new PageReader({ ...LIMITS, series: 1000 });
    const names = new Map<number, string>();
    samplesOf(read(reader, "# TYPE a gauge\na 1\n"), names);
    assert.throws(() => read(reader, `first 1\n# TYPE a counter\n${text}`), ScrapeError);
    const next = read(reader, "# TYPE a gauge\na 2\nb 3\n");
    assert.deepEqual(samplesOf(next, names), [["a", 2], ["b", 3]]);
  }
});

Deno.test("PageReader tells the types of a page after one that crossed a limit", () => {
  const reader = new PageReader(LIMITS);
  const long = `a{b="${"x".repeat(101)}"} 1\n`;
  read(reader, "# TYPE a gauge\na 1\n");
  assert.throws(() => read(reader, `# TYPE a counter\n${long}`), ScrapeError);
  const typeAfter = read(reader, "# TYPE a counter\na 2\n").metadata?.[0]?.type;
  assert.equal(typeAfter, "counter");
});

Deno.test("PageReader leaves out and counts series beyond the limit", () => {
  const reader = new PageReader(LIMITS);
  const page = (from: number) =>
    Array.from({ length: 4 }, (_, index) => `a{id="${from + index}"} 1\n`).join("");
  assert.equal(read(reader, page(0)).newSeries.length, 4);
  assert.equal(read(reader, page(10)).newSeries.length, 1);
  assert.equal(read(reader, page(20)).newSeries.length, 0);
  assert.equal(reader.droppedSeries, 7);
  assert.equal(read(reader, page(0)).ids.length, 4, "known ones are still read");
});

Deno.test("PageReader fails a page that was cut off, if the server ends its lines else", () => {
  const reader = new PageReader();
  assert.equal(read(reader, "a 1\nb 1234\n").isWhole, true);
  assert.throws(() => read(reader, "a 2\nb 12"), {
    name: "ScrapeError",
    message: "page ends in the middle of a line",
  });
  const next = read(reader, "a 3\nb 1236\n");
  assert.deepEqual([...next.values], [3, 1236]);
});

Deno.test("PageReader reads the pages of a server that never ends its last line", () => {
  const reader = new PageReader();
  for (const value of [1, 2, 3]) {
    const page = read(reader, `a 1\nb ${value}`);
    assert.deepEqual([[...page.values], page.isWhole], [[1, value], false]);
  }
});

Deno.test("PageReader takes an empty page between others", () => {
  const reader = new PageReader();
  read(reader, "a 1\n");
  const { isWhole, ids } = read(reader, "");
  assert.deepEqual([isWhole, ids.length], [true, 0]);
});

Deno.test("PageReader keeps series of known names first where a page has too many", () => {
  const others = (count: number) =>
    Array.from({ length: count }, (_, at) => `http_requests{path="/${at}"} ${at}\n`).join("");
  const known = 'vllm:num_requests_running{engine="0"} 7\nvllm:num_requests_waiting 8\n' +
    'sglang:num_running_reqs{ model = "m" } 9\n';
  for (const page of [others(9) + known, known + others(9), others(4) + known + others(5)]) {
    const reader = new PageReader(LIMITS);
    const names = new Map<number, string>();
    const first = read(reader, page);
    const samples = samplesOf(first, names) as [string, number][];
    const kept = samples.filter(([name]) => !name.startsWith("http_"));
    assert.deepEqual(kept.map(([, value]) => value), [7, 8, 9]);
    assert.equal(first.newSeries.length, LIMITS.series);
    assert.ok(reader.droppedSeries > 0);
  }
  const full = new PageReader(LIMITS);
  const names = new Map<number, string>();
  assert.equal(samplesOf(read(full, others(5)), names).length, 5, "no room stays unused");
});
