import fc from "fast-check";
import assert from "node:assert/strict";
import {
  ExpositionLimitError,
  MAX_PROBLEMS,
  TextParser,
} from "../../../src/telemetry/prometheus/text_parser.ts";
import { samplesOf } from "./support/parsed_samples.ts";

const encoder = new TextEncoder();

Deno.test("TextParser gives a series the same number on every page, however it is written", () => {
  const parser = new TextParser();
  const first = parser.parse('a{x="1",y="2"} 1\nb 2\n');
  assert.deepEqual([...first.ids.subarray(0, first.count)], [0, 1]);
  const ways = [
    'a{x="1",y="2"} 3\n',
    'a{y="2",x="1"} 3\n',
    ' a { x = "1" , y = "2" , } 3\n',
    '{"a",x="1",y="2"} 3\n',
    'a{"x"="1",y="2"}3\r\n',
    'a{x="1",y="2"} 3 1395066363000\n',
    'a{x="1",y="2"}\t3 # {id="7"} 1\n',
  ];
  for (const text of [...ways, ...ways, ways.join("")]) {
    const page = parser.parse(text);
    for (let index = 0; index < page.count; index++) {
      assert.equal(page.ids[index], 0, text);
      assert.equal(page.values[index], 3, text);
    }
    assert.equal(page.problemCount, 0);
  }
  assert.equal(parser.series.length, 2);
  assert.deepEqual(parser.series[0], { id: 0, name: "a", labels: [["x", "1"], ["y", "2"]] });
});

Deno.test("TextParser tells series apart that only look alike", () => {
  const texts = [
    "a 1",
    'a{x=""} 1',
    'a{x="1"} 1',
    'a{x="1",y=""} 1',
    'a{x="1\\",y=\\""} 1',
    'a{x="\\n"} 1',
    'a{x="\\\\n"} 1',
    'a{x="n"} 1',
    'a{"x y"="1"} 1',
    '{"a{x=\\"1\\"}"} 1',
    '{"a b",x="1"} 1',
    "a_b 1",
  ];
  const parser = new TextParser();
  for (let round = 0; round < 2; round++) {
    const page = parser.parse(`${texts.join("\n")}\n`);
    assert.equal(page.problemCount, 0);
    assert.deepEqual([...page.ids.subarray(0, page.count)], texts.map((_, index) => index));
  }
  assert.deepEqual(parser.series[4]?.labels, [["x", '1",y="']]);
  assert.deepEqual(parser.series[9]?.name, 'a{x="1"}');
});

Deno.test("TextParser does not take a quoted name for a plain one when it comes without quotes", () => {
  const parser = new TextParser();
  parser.parse('{"a b",x="1"} 1\n');
  const page = parser.parse('a b{x="1"} 1\n');
  assert.equal(page.count, 0);
  assert.equal(page.problemCount, 1);
});

Deno.test("TextParser sorts labels by name and keeps empty values", () => {
  const parser = new TextParser();
  parser.parse('a{b="2",B="1",a="",ab="3",__proto__="p",constructor="c"} 1\n');
  assert.deepEqual(parser.series[0]?.labels, [
    ["B", "1"],
    ["__proto__", "p"],
    ["a", ""],
    ["ab", "3"],
    ["b", "2"],
    ["constructor", "c"],
  ]);
});

Deno.test("TextParser follows lines that are added, dropped, moved and repeated", () => {
  const parser = new TextParser();
  const line = (name: string, value: number) => `${name}{host="h"} ${value}\n`;
  const pages = [
    ["a", "b", "c", "d"],
    ["a", "c", "d"],
    ["a", "x", "c", "y", "d"],
    ["d", "c", "b", "a"],
    ["a", "a", "b", "a", "b"],
    [],
    ["a", "b", "c", "d", "x", "y"],
  ];
  for (const [number, names] of pages.entries()) {
    const page = parser.parse(names.map((name, index) => line(name, number * 10 + index)).join(""));
    assert.deepEqual(
      samplesOf(parser, page).map(({ name, value }) => [name, value]),
      names.map((name, index) => [name, number * 10 + index]),
    );
  }
  assert.equal(parser.series.length, 6);
});

Deno.test("TextParser reads every number exactly, on lines it knows", () => {
  const parser = new TextParser();
  parser.parse("a 1\n");
  const spellings = [
    ["0", "-0", "0.0", "1", "-1", "+1", "007", "1.", ".5", "-.5", "1e3", "1E+3", "1e-3", "25e-1"],
    [
      "123456789012345",
      "1234567890123456",
      "123456789012345678901234567890",
      "0.1",
      "0.30000000000000004",
    ],
    [
      "1.7976931348623157e308",
      "5e-324",
      "2.5e-324",
      "1e22",
      "1e23",
      "1e-22",
      "1e-23",
      "9007199254740993",
    ],
    [
      "1.7901234567890123e+09",
      "8.128902e+06",
      "999999999999999e22",
      "999999999999999e-22",
      "1e400",
    ],
    ["0.000001", "123456.789012345", "1e0000000000000000000005"],
  ].flat();
  for (const spelling of spellings) {
    for (const lineEnd of ["\n", "", "\r\n", " \n", " 17\n"]) {
      const page = parser.parse(`a ${spelling}${lineEnd}`);
      assert.equal(page.count, 1, spelling);
      assert.ok(Object.is(page.values[0], Number(spelling)), `${spelling} is ${page.values[0]}`);
    }
  }
  const words: readonly (readonly [string, number])[] = [
    ["NaN", NaN],
    ["nan", NaN],
    ["+Inf", Infinity],
    ["-inf", -Infinity],
    ["Infinity", Infinity],
  ];
  for (const [word, value] of words) {
    assert.ok(Object.is(parser.parse(`a ${word}\n`).values[0], value));
  }
  for (const bad of ["", "-", "+", ".", "e5", "1e", "1e+", "1.2.3", "--1", "0x1", "1 2 3", "1_0"]) {
    const page = parser.parse(`a ${bad}\n`);
    assert.deepEqual([page.count, page.problemCount], [0, 1], bad);
  }
});

Deno.test("TextParser reads random doubles as the engine does", () => {
  const parser = new TextParser();
  parser.parse("a 1\n");
  fc.assert(fc.property(fc.double({ noNaN: true }), fc.nat({ max: 20 }), (value, digits) => {
    for (const text of [String(value), value.toExponential(), value.toPrecision(digits + 1)]) {
      const page = parser.parse(`a ${text}\n`);
      assert.ok(Object.is(page.values[0], Number(text)), text);
    }
  }));
});

Deno.test("TextParser changes the version of the metadata only when the metadata changes", () => {
  const parser = new TextParser();
  const versions: number[] = [];
  const read = (text: string) => {
    const page = parser.parse(text);
    versions.push(page.metadataVersion);
    return page.metadata;
  };
  const gauge = "# HELP a help\n# TYPE a gauge\na 1\n";
  const first = read(gauge);
  assert.deepEqual(first.get("a"), { name: "a", type: "gauge", help: "help", unit: null });
  assert.equal(read(gauge.replace("a 1", "a 2")), first);
  assert.equal(read(`# comment\n\n${gauge}b 3\n`), first);
  assert.equal(read("# TYPE a gauge\na 1\n# HELP   a   help  \n"), first);
  assert.deepEqual(versions, [1, 1, 1, 1]);
  assert.equal(read(gauge.replace("gauge", "counter")).get("a")?.type, "counter");
  assert.equal(read(gauge.replace("help\n", "other\n")).get("a")?.help, "other");
  assert.equal(read("a 1\n").size, 0);
  assert.deepEqual(read(gauge), first);
  assert.deepEqual(versions.slice(4), [2, 3, 4, 5]);
});

Deno.test("TextParser reads UNIT and escaped quotes where the page is OpenMetrics", () => {
  const text = '# TYPE a_s gauge\n# UNIT a_s s\n# HELP a_s \\"x\\"\na_s 1\n';
  const parser = new TextParser();
  assert.deepEqual(parser.parse(text).metadata.get("a_s"), {
    name: "a_s",
    type: "gauge",
    help: '\\"x\\"',
    unit: null,
  });
  const openMetrics = { name: "a_s", type: "gauge", help: '"x"', unit: "s" };
  assert.deepEqual(parser.parse(`${text}# EOF\n`).metadata.get("a_s"), openMetrics);
  assert.deepEqual(
    parser.parse(text, "application/openmetrics-text; version=1.0.0").metadata.get("a_s"),
    openMetrics,
  );
  assert.equal(parser.parse(`${text}# EOF\n`, "text/plain").metadata.get("a_s")?.unit, null);
});

Deno.test("TextParser takes the first TYPE and HELP of a name, and tells of a TYPE that differs", () => {
  const parser = new TextParser();
  const text =
    "# TYPE a gauge\n# HELP a one\n# HELP a two\na 1\n# TYPE a counter\n# TYPE a gauge\n";
  for (const filler of ["", "", "b 1\n", "b 1\n\n"]) {
    const page = parser.parse(filler + text);
    assert.deepEqual(page.metadata.get("a"), { name: "a", type: "gauge", help: "one", unit: null });
    const lines = filler.split("\n").length - 1;
    assert.deepEqual(page.problems, [{
      line: lines + 5,
      column: 1,
      message: "A second TYPE says counter, the first said gauge",
    }]);
  }
});

Deno.test("TextParser counts every problem and tells the first of them", () => {
  const parser = new TextParser();
  const page = parser.parse(`${"bad line\n".repeat(100)}good 1\n  also bad\n`);
  assert.equal(page.problemCount, 101);
  assert.equal(page.problems.length, MAX_PROBLEMS);
  assert.equal(page.lineCount, 102);
  assert.deepEqual(page.problems[19], {
    line: 20,
    column: 5,
    message: 'Expected a number as the value, found "line"',
  });
  assert.deepEqual(samplesOf(parser, page), [{ name: "good", labels: [], value: 1 }]);
});

Deno.test("TextParser counts lines as an editor does", () => {
  const parser = new TextParser();
  for (
    const [text, lines] of [["", 0], ["a 1", 1], ["a 1\n", 1], ["a 1\n\n", 2], [
      "\r\n#\r\n",
      2,
    ]] as const
  ) {
    assert.equal(parser.parse(text).lineCount, lines, JSON.stringify(text));
  }
});

Deno.test("TextParser counts what stands behind # EOF, and its absence, in OpenMetrics", () => {
  const parser = new TextParser();
  const contentType = "application/openmetrics-text; version=1.0.0; charset=utf-8";
  for (let round = 0; round < 2; round++) {
    const page = parser.parse("# TYPE a gauge\na 1\n# EOF\na 1\n# TYPE a gauge\n", contentType);
    assert.deepEqual([page.count, page.problemCount], [1, 2]);
    const cut = parser.parse("# TYPE a gauge\na 1\n", contentType);
    assert.deepEqual([cut.count, cut.problemCount], [1, 1]);
    assert.equal(cut.problems[0]?.message, "The page ends without # EOF");
  }
  const early = parser.parse("# EOF\n# TYPE a gauge\na 1\n", contentType);
  assert.deepEqual([early.count, early.metadata.size, early.problemCount], [0, 0, 2]);
});

Deno.test("TextParser skips a byte order mark and keeps damaged text, counting both", () => {
  const parser = new TextParser();
  const page = parser.parse(
    Uint8Array.of(
      0xef,
      0xbb,
      0xbf,
      ...encoder.encode('a 1\nb{x="'),
      0xff,
      ...encoder.encode('"} 2\n'),
    ),
  );
  assert.deepEqual(samplesOf(parser, page), [
    { name: "a", labels: [], value: 1 },
    { name: "b", labels: [["x", "\ufffd"]], value: 2 },
  ]);
  assert.deepEqual(page.problems.map(({ line, message }) => [line, message]), [
    [1, "The page starts with a byte order mark"],
    [2, "The line is not UTF-8"],
  ]);
});

Deno.test("TextParser refuses a page with more samples than allowed, and reads the next", () => {
  const parser = new TextParser({ maxSamples: 3 });
  const page = (count: number) =>
    Array.from({ length: count }, (_, i) => `a{i="${i}"} ${i}\n`).join("");
  assert.equal(parser.parse(page(3)).count, 3);
  assert.throws(
    () => parser.parse(page(4)),
    new ExpositionLimitError("The page has more than 3 samples"),
  );
  const next = parser.parse(page(3));
  assert.deepEqual(samplesOf(parser, next).map(({ value }) => value), [0, 1, 2]);
});

Deno.test("TextParser refuses a page with more metadata lines than allowed", () => {
  const parser = new TextParser({ maxSamples: 2 });
  assert.throws(
    () => parser.parse("# TYPE a gauge\n# TYPE b gauge\n# TYPE c gauge\n"),
    new ExpositionLimitError("The page has more than 2 metadata lines"),
  );
  assert.equal(parser.parse("# TYPE a gauge\na 1\n").metadata.size, 1);
});

Deno.test("TextParser refuses a sample with more labels than allowed", () => {
  const labels = (count: number) => Array.from({ length: count }, (_, i) => `l${i}="v"`).join(",");
  const parser = new TextParser({ maxLabels: 4 });
  assert.equal(parser.parse(`a{${labels(4)}} 1\n`).count, 1);
  assert.throws(
    () => parser.parse(`a{${labels(5)}} 1\n`),
    new ExpositionLimitError('A sample of "a" has 5 labels, at most 4 are read'),
  );
  assert.equal(new TextParser().parse(`a{${labels(128)}} 1\n`).count, 1);
  assert.throws(() => new TextParser().parse(`a{${labels(129)}} 1\n`), ExpositionLimitError);
});

Deno.test("TextParser measures label values in bytes of UTF-8", () => {
  const parser = new TextParser({ maxLabelValueBytes: 6 });
  for (
    const [value, fits] of [["123456", true], ["1234567", false], ["ééé", true], ["éééé", false], [
      "😀1",
      true,
    ], ["😀😀", false]] as const
  ) {
    for (const text of [`a{x="${value}"} 1\n`, `a{x="${value}", } 1\n`]) {
      if (fits) {
        assert.equal(parser.parse(text).count, 1, text);
      } else {
        const message = 'Label "x" of "a" has a value longer than 6 bytes';
        assert.throws(() => parser.parse(text), new ExpositionLimitError(message), text);
      }
    }
  }
  assert.equal(new TextParser().parse(`a{x="${"v".repeat(16_384)}"} 1\n`).count, 1);
  assert.throws(
    () => new TextParser().parse(`a{x="${"v".repeat(16_385)}"} 1\n`),
    ExpositionLimitError,
  );
});

Deno.test("TextParser drops series beyond its limit, counts them, and goes on with the others", () => {
  const parser = new TextParser({ maxSeries: 10 });
  const page = (from: number) =>
    Array.from({ length: 20 }, (_, i) => `a{i="${i < 5 ? i : from + i}"} ${i}\n`).join("");
  assert.equal(parser.parse(page(0)).count, 10);
  assert.equal(parser.droppedSeries, 10);
  parser.parse(page(0));
  assert.equal(parser.droppedSeries, 10);
  for (let round = 1; round <= 50; round++) {
    const parsed = parser.parse(page(round * 100));
    assert.equal(parsed.problemCount, 0);
    assert.deepEqual(samplesOf(parser, parsed).map(({ value }) => value), [0, 1, 2, 3, 4]);
  }
  assert.equal(parser.droppedSeries, 10 + 50 * 15);
  assert.equal(parser.series.length, 10);
});

Deno.test("TextParser leaves a tenth of its limit to preferred names that come later", () => {
  const parser = new TextParser({ maxSeries: 50, isPreferred: (name) => name.startsWith("vllm:") });
  const others = (from: number) =>
    Array.from({ length: 40 }, (_, i) => `other{i="${from + i}"} 1\n`).join("");
  const known = (from: number, count: number) =>
    Array.from({ length: count }, (_, i) => `vllm:a{ i="${from + i}" } 1\n`).join("");
  parser.parse(others(0));
  parser.parse(others(40));
  assert.equal(parser.series.length, 45, "other names end at nine tenths");
  assert.equal(parser.droppedSeries, 35);
  parser.parse(others(80) + known(0, 3));
  const names = () => parser.series.filter(({ name }) => name === "vllm:a").length;
  assert.equal(names(), 3);
  // A name that was there is known again; what comes beyond the whole limit is dropped.
  parser.parse(known(0, 9));
  assert.deepEqual([names(), parser.series.length], [5, 50]);
});

Deno.test("TextParser lets other names use what preferred ones have used of their part", () => {
  const parser = new TextParser({ maxSeries: 50, isPreferred: (name) => name.startsWith("vllm:") });
  const known = Array.from({ length: 5 }, (_, i) => `vllm:a{i="${i}"} 1\n`).join("");
  parser.parse(known);
  parser.parse(Array.from({ length: 60 }, (_, i) => `other{i="${i}"} 1\n`).join(""));
  assert.equal(parser.series.length, 50);
});

Deno.test("TextParser still knows its series, however they are written, when it drops others", () => {
  const parser = new TextParser({ maxSeries: 2 });
  parser.parse('a{x="1",y="2"} 1\nb 1\nc 1\n');
  const page = parser.parse(
    'd 1\na{y="2",x="1"} 2\nb{} 3\n{"b"} 4\na{z="1"} 5\na{ x="1", y="2" } 6\nb 7\n',
  );
  assert.deepEqual(
    samplesOf(parser, page).map(({ name, value }) => [name, value]),
    [["a", 2], ["b", 3], ["b", 4], ["a", 6], ["b", 7]],
  );
  assert.equal(parser.droppedSeries, 3);
  assert.equal(parser.series.length, 2);
});

Deno.test("TextParser forgets ways to write a series rather than keep all of them", () => {
  const parser = new TextParser({ maxSeries: 3 });
  for (let round = 0; round < 50; round++) {
    const blanks = " ".repeat(round);
    const page = parser.parse(`a{${blanks}x="1"} ${round}\nb{${blanks}x="1"} 1\nc 1\n`);
    assert.deepEqual([...page.ids.subarray(0, page.count)], [0, 1, 2]);
    assert.equal(page.values[0], round);
  }
  assert.equal(parser.series.length, 3);
});

Deno.test("TextParser reuses its columns, so that a page is read before the next", () => {
  const parser = new TextParser();
  const first = parser.parse("a 1\nb 2\n");
  const second = parser.parse("a 3\nb 4\n");
  assert.equal(first.ids, second.ids);
  assert.deepEqual([...second.values.subarray(0, 2)], [3, 4]);
  const many = Array.from({ length: 5000 }, (_, i) => `c{i="${i}"} ${i}\n`).join("");
  const third = parser.parse(many);
  assert.equal(third.count, 5000);
  assert.deepEqual(
    samplesOf(parser, third).map(({ value }) => value),
    Array.from({ length: 5000 }, (_, i) => i),
  );
});

/** Lines of pages as servers and hostile hands write them. */
const name = fc.constantFrom(
  "a",
  "b_total",
  "b",
  "h_bucket",
  "h",
  "constructor",
  "__proto__",
  '"q n"',
  "né",
);
const label = fc.constantFrom(
  "",
  "{}",
  '{x="1"}',
  '{x="1",y="2"}',
  '{y="2",x="1"}',
  '{ x = "1" , y="2", }',
  '{x="}"}',
  '{x="\\"\\\\\\n"}',
  '{le="+Inf"}',
  '{"l n"="1"}',
  '{"q n"}',
  '{"q n",x="1"}',
  '{x="1",x="2"}',
  '{x="1"',
  '{x="\ufffd"}',
);
const value = fc.oneof(
  fc.constantFrom(
    "1",
    "1.5",
    "NaN",
    "+Inf",
    "1e5",
    "0x1",
    "",
    "1 1",
    "1.5 1.5 1",
    '1 # {a="b"} 1',
    "1\t",
  ),
  fc.integer({ min: -1000, max: 100_000 }).map(String),
  fc.double({ noNaN: true, noDefaultInfinity: true }).map(String),
);
const separator = fc.constantFrom(" ", " ", " ", "", "\t", "  ");
const sampleLine = fc.tuple(name, label, separator, value).map((parts) => parts.join(""));
const metadataLine = fc.tuple(
  fc.constantFrom("# TYPE", "# HELP", "#  TYPE", "# UNIT", "#TYPE", "#"),
  name,
  fc.constantFrom(
    "gauge",
    "counter",
    "histogram",
    "untyped",
    "INFO",
    "what",
    "gauge x",
    '\\"x\\"',
    "",
  ),
).map((parts) => parts.join(" "));
const line = fc.oneof(
  { weight: 6, arbitrary: sampleLine },
  { weight: 3, arbitrary: metadataLine },
  { weight: 1, arbitrary: fc.constantFrom("", "  ", "# EOF", "garbage", "{", '"', "# c") },
);
const page = fc.tuple(
  fc.array(line, { maxLength: 25 }),
  fc.constantFrom("\n", "\n", "\n", "\r\n"),
  fc.constantFrom("", "\n", "\n# EOF\n"),
).map(([lines, lineEnd, end]) => lines.join(lineEnd) + end);
const pages = fc.array(fc.oneof(page, fc.constant(undefined)), { minLength: 2, maxLength: 8 })
  .map((list) => list.map((text, index) => text ?? list.slice(0, index).findLast(Boolean) ?? ""));
const contentTypes = fc.constantFrom(undefined, "text/plain", "application/openmetrics-text");

Deno.test("TextParser reads a page as a fresh parser does, whatever pages it has read before", () => {
  fc.assert(
    fc.property(pages, contentTypes, (texts, contentType) => {
      const parser = new TextParser();
      let version = 0;
      let metadataBefore: unknown = [];
      for (const text of texts) {
        const warm = parser.parse(text, contentType);
        const fresh = new TextParser();
        const cold = fresh.parse(encoder.encode(text), contentType);
        assert.deepEqual(samplesOf(parser, warm), samplesOf(fresh, cold));
        assert.deepEqual(warm.problems, cold.problems);
        assert.equal(warm.problemCount, cold.problemCount);
        assert.equal(warm.lineCount, cold.lineCount);
        // Names without a type are told only where samples had them, now or on earlier pages.
        const metadata = [...warm.metadata].filter(([, { type, help }]) =>
          type !== null || help !== ""
        );
        assert.deepEqual(
          metadata,
          [...cold.metadata].filter(([, { type, help }]) => type !== null || help !== ""),
        );
        const isSame = JSON.stringify([...warm.metadata].sort()) === JSON.stringify(metadataBefore);
        assert.equal(warm.metadataVersion === version, isSame);
        metadataBefore = [...warm.metadata].sort();
        version = warm.metadataVersion;
      }
    }),
    { numRuns: 400 },
  );
});
