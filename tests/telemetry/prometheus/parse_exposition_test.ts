import fc from "fast-check";
import assert from "node:assert/strict";
import type { MetricFamily } from "../../../src/telemetry/prometheus/exposition.ts";
import { parseExposition } from "../../../src/telemetry/prometheus/parse_exposition.ts";
import { PrometheusSyntaxError } from "../../../src/telemetry/prometheus/prometheus_syntax_error.ts";
import { MAX_NAME_LENGTH } from "../../../src/telemetry/prometheus/sample_line.ts";

/** Families as a short text each: type, name, and the samples behind a colon. */
function outline(families: readonly MetricFamily[]): string[] {
  return families.map(({ name, type, samples }) =>
    `${type} ${name}: ${samples.map((sample) => `${sample.name}=${sample.value}`).join(" ")}`
  );
}

function labelsOf(text: string): Record<string, string> {
  const { families, errors } = parseExposition(text, { strict: true });
  assert.deepEqual(errors, []);
  return { ...families[0]?.samples[0]?.labels };
}

/** Values of samples written in ways that the text format 0.0.4 allows. */
const ACCEPTED: readonly (readonly [text: string, ...values: number[]])[] = [
  [""],
  ["\n \n\t\n"],
  ["# a comment\n#\n#HELP a glued\n# HELP\n# TYPE\n# EOF\n# UNIT a b\n# HELP a\n"],
  ["a 1", 1],
  ["a\t1\t\n", 1],
  ["# HELP a one\r\n# comment\r\na 1\n", 1],
  ["a +1\nb -1\nc 1.\nd .5\ne 1e3\nf 1E+3\ng 12.5e-3\nh 007\n", 1, -1, 1, 0.5, 1e3, 1e3, 0.0125, 7],
  ["a NaN\nb nan\nc NAN\n", NaN, NaN, NaN],
  ["a Inf\nb +inf\nc -INF\nd infinity\ne -Infinity\n", ...[1, 1, -1, 1, -1].map((s) => s / 0)],
  ["a 0.1\nb 123456789.12345679\nc 5e-324\n", 0.1, 123456789.12345679, 5e-324],
  ["a 1.7976931348623157e308\nb 1e-22\nc 1e23\n", 1.7976931348623157e308, 1e-22, 1e23],
  ["a 9007199254740993\nb 0.30000000000000004\n", 9007199254740992, 0.30000000000000004],
  ["a -0\n", -0],
  ["a{}1\nb{}-1\nc-1\nd.5\n", 1, -1, -1, 0.5],
  ["a 1 1395066363000\nb 1 0\nc 1 0007\nd 1 9223372036854775807\n", 1, 1, 1, 1],
  ['a{x="1"}2\n', 2],
  [' a { x = "1" , y\t=\t"2" , } 3 4 \n', 3],
  ['{"a"} 1\n{ "a" , x="1" } 2\n{x="1","a"} 3\n', 1, 2, 3],
  ['a{"x y"="1"} 1\n', 1],
];

for (const [text, ...values] of ACCEPTED) {
  Deno.test(`parseExposition reads ${JSON.stringify(text)}, tolerantly and strictly`, () => {
    const strict = parseExposition(text, { strict: true, contentType: "text/plain" });
    const samples = strict.families.flatMap((family) => family.samples);
    assert.deepEqual(samples.map(({ value }) => value), values);
    const tolerant = parseExposition(new TextEncoder().encode(text), { contentType: "text/plain" });
    assert.deepEqual(tolerant, strict);
    assert.deepEqual(tolerant.errors, []);
  });
}

const LONG_NAME = "n".repeat(MAX_NAME_LENGTH + 1);

/** Texts that the text format 0.0.4 does not allow, and what is said of them. */
const REFUSED: readonly (readonly [
  text: string,
  message: string,
  line: number,
  column: number,
  samplesKept: number,
])[] = [
  ["a", "Expected a number as the value, found the end of the line", 1, 2, 0],
  ["a 1\n  b\n", "Expected a number as the value, found the end of the line", 2, 4, 1],
  ["a one\n", 'Expected a number as the value, found "one"', 1, 3, 0],
  ["a-b 1\n", 'Expected a number as the value, found "-b"', 1, 2, 0],
  ["a 0x1F\n", 'Expected a number as the value, found "0x1F"', 1, 3, 0],
  ["a 1_000\n", 'Expected a number as the value, found "1_000"', 1, 3, 0],
  ["a 1,5\n", 'Expected a number as the value, found "1,5"', 1, 3, 0],
  ["a 1e\n", 'Expected a number as the value, found "1e"', 1, 3, 0],
  ["a .\n", 'Expected a number as the value, found "."', 1, 3, 0],
  ["a 1p3\n", 'Expected a number as the value, found "1p3"', 1, 3, 0],
  ["a ١\n", 'Expected a number as the value, found "١"', 1, 3, 0],
  ["a\u00a01\n", 'Expected a number as the value, found "\u00a01"', 1, 2, 0],
  [
    `a ${"9".repeat(50)}x\n`,
    `Expected a number as the value, found "${"9".repeat(40)}..."`,
    1,
    3,
    0,
  ],
  ["a 1e309\n", 'Expected a number that fits a double, found "1e309"', 1, 3, 1],
  ["a -NaN\n", 'Expected a NaN without a sign, found "-NaN"', 1, 3, 1],
  ["a 1 2.5\n", 'Expected a whole number as the timestamp, found "2.5"', 1, 5, 1],
  [
    "a 1 9223372036854775808\n",
    'Expected a whole number as the timestamp, found "9223372036854775808"',
    1,
    5,
    1,
  ],
  ["a 1 now\n", 'Expected a whole number as the timestamp, found "now"', 1, 5, 0],
  ["a 1 2 3\n", 'Expected the end of the line after the timestamp, found "3"', 1, 7, 0],
  ['a 1 # {x="1"} 1\n', 'Expected a whole number as the timestamp, found "#"', 1, 5, 1],
  ["a 1 # x\n", 'Expected a whole number as the timestamp, found "#"', 1, 5, 0],
  ["1a 1\n", 'Expected a metric name, found "1"', 1, 1, 0],
  ["😀 1\n", 'Expected a metric name, found "😀"', 1, 1, 0],
  ["[1]\n", 'Expected a metric name, found "["', 1, 1, 0],
  ["{} 1\n", "Labels without a metric name", 1, 1, 0],
  ['{x="1"} 1\n', "Labels without a metric name", 1, 1, 0],
  ['a{"b"} 1\n', "The metric name is given twice", 1, 3, 0],
  ['{"a","b"} 1\n', "The metric name is given twice", 1, 6, 0],
  ['{""} 1\n', "A quoted name is empty", 1, 2, 0],
  ['a{""="1"} 1\n', "A quoted name is empty", 1, 3, 0],
  ['a{"x" 1\n', 'Expected "=", "," or "}" after a quoted name, found "1"', 1, 7, 0],
  ["a{x 1\n", 'Expected "=" after the label name, found "1"', 1, 5, 0],
  ["a{x:y=1\n", 'Expected "=" after the label name, found ":"', 1, 4, 0],
  ["a{x=1} 1\n", 'Expected a quoted label value, found "1"', 1, 5, 0],
  ['a{x="1} 1\nb 1\n', "A quoted text has no closing quote", 1, 5, 1],
  ['a{x="1\\"} 1\nb 1\n', "A quoted text has no closing quote", 1, 5, 1],
  ['a{x="1\n2"} 1\n', "A quoted text has no closing quote", 1, 5, 0],
  ['a{x="1" 1\n', 'Expected "," or "}" after the label value, found "1"', 1, 9, 0],
  ['a{x="1"y="2"} 1\n', 'Expected "," or "}" after the label value, found "y"', 1, 8, 0],
  ['a{x="1",,y="2"} 1\n', 'Expected a label name or "}", found ","', 1, 9, 0],
  ["a{1x=1} 1\n", 'Expected a label name or "}", found "1"', 1, 3, 0],
  ["a{", 'Expected a label name or "}", found the end of the line', 1, 3, 0],
  ['a{,x="1"} 1\n', 'Expected a label name or "}", found ","', 1, 3, 1],
  ['a{__name__="b"} 1\n', 'Label name "__name__" is reserved', 1, 3, 0],
  ['a{"__name__"="b"} 1\n', 'Label name "__name__" is reserved', 1, 3, 0],
  ['a{x="1",x="1"} 1\n', 'Label name "x" is given twice', 1, 9, 0],
  ['a{x="1",y="1","x"="2"} 1\n', 'Label name "x" is given twice', 1, 15, 0],
  [`${LONG_NAME} 1\n`, "A name is longer than 16383 characters", 1, 1, 0],
  [`{"${LONG_NAME}"} 1\n`, "A name is longer than 16383 characters", 1, 2, 0],
  [`a{${LONG_NAME}="1"} 1\n`, "A name is longer than 16383 characters", 1, 3, 0],
  [`# TYPE ${LONG_NAME} gauge\n`, "A name is longer than 16383 characters", 1, 8, 0],
  ["# TYPE a\n", "Expected a type, found the end of the line", 1, 9, 0],
  ["# TYPE a meter\na 1\n", 'Expected a type, found "meter"', 1, 10, 1],
  ["# TYPE a gauge b\na 1\n", 'Expected a type, found "gauge b"', 1, 10, 1],
  ["# TYPE a Gauge\na 1\n", 'Expected a type, found "Gauge"', 1, 10, 1],
  ["# TYPE a info\na 1\n", 'Expected a type, found "info"', 1, 10, 1],
  ["# TYPE a unknown\na 1\n", 'Expected a type, found "unknown"', 1, 10, 1],
  ["# TYPE 1 gauge\n", "Expected a metric name after TYPE", 1, 8, 0],
  ["# TYPE \n", "Expected a metric name after TYPE", 1, 8, 0],
  ["  #  HELP  a-b text\n", "Expected a space after the metric name in a HELP line", 1, 13, 0],
  ['# HELP "a text\n', "A quoted name has no closing quote", 1, 8, 0],
  ['# HELP "" text\n', "A quoted name is empty", 1, 8, 0],
  [
    "# TYPE a gauge\na 1\n# TYPE a counter\n",
    "A second TYPE says counter, the first said gauge",
    3,
    10,
    1,
  ],
  ["\ufeffa 1\n", "The page starts with a byte order mark", 1, 1, 1],
];
for (const [text, message, line, column, samplesKept] of REFUSED) {
  const shown = JSON.stringify(text.slice(0, 60));
  Deno.test(`parseExposition refuses ${shown} strictly, and skips what is bad tolerantly`, () => {
    assert.throws(() => parseExposition(text, { strict: true }), (error: unknown) => {
      assert.ok(error instanceof PrometheusSyntaxError);
      assert.equal(error.message, `${message}, at line ${line}, column ${column}`);
      assert.deepEqual([error.line, error.column], [line, column]);
      return true;
    });
    const { families } = parseExposition(text);
    assert.equal(families.flatMap(({ samples }) => samples).length, samplesKept);
  });
}

Deno.test("parseExposition tells every line it skipped, in the order of the text", () => {
  const { families, errors } = parseExposition(
    "\ufeffa 1\nb\n# TYPE c what\nc 2\nd{ 1\n\n  e 0x1\nf 3 4 5\n",
  );
  assert.deepEqual(outline(families), ["unknown a: a=1", "unknown c: c=2"]);
  assert.deepEqual(errors.map(({ line, column }) => [line, column]), [
    [1, 1],
    [2, 2],
    [3, 10],
    [5, 4],
    [7, 5],
    [8, 7],
  ]);
  assert.equal(errors[2]?.message, 'Expected a type, found "what"');
});

Deno.test("parseExposition undoes escapes of label values, names and help texts", () => {
  assert.deepEqual(labelsOf('a{x="\\\\ \\" \\n \\t \\é"} 1\n'), { x: '\\ " \n \\t \\é' });
  assert.deepEqual(labelsOf('a{x="\\\\n"} 1\n'), { x: "\\n" });
  assert.deepEqual(labelsOf('a{"l\\"1"="v"} 1\n'), { 'l"1': "v" });
  assert.equal(parseExposition('{"a\\\\b"} 1\n').families[0]?.name, "a\\b");
  const help = '# HELP a one\\ntwo \\\\ three \\" four \\x\n# TYPE a gauge\n';
  assert.equal(parseExposition(help).families[0]?.help, 'one\ntwo \\ three \\" four \\x');
  const openMetrics = { contentType: "application/openmetrics-text" };
  assert.equal(
    parseExposition(`${help}# EOF\n`, openMetrics).families[0]?.help,
    'one\ntwo \\ three " four \\x',
  );
});

Deno.test("parseExposition keeps label names that are names of object members", () => {
  const names = ["__proto__", "constructor", "toString", "hasOwnProperty", "valueOf"];
  const labels = names.map((name) => `${name}="${name}!"`).join(",");
  const text = names.map((name) => `# TYPE ${name} gauge\n${name}{${labels}} 1\n`).join("");
  const { families, errors } = parseExposition(text, { strict: true });
  assert.deepEqual(errors, []);
  assert.deepEqual(families.map(({ name }) => name), names);
  for (const { samples } of families) {
    const sample = samples[0];
    assert.ok(sample !== undefined);
    assert.equal(Object.getPrototypeOf(sample.labels), null);
    assert.deepEqual(Object.keys(sample.labels), names);
    for (const name of names) assert.equal(sample.labels[name], `${name}!`);
  }
  assert.equal(({} as Record<string, unknown>)["__proto__!"], undefined);
});

Deno.test("parseExposition names families as exports do", () => {
  const read = (text: string) => outline(parseExposition(text).families);
  assert.deepEqual(read("# TYPE a_total counter\na_total 1\n"), ["counter a: a_total=1"]);
  assert.deepEqual(read("# TYPE a counter\na_total 1\n# EOF"), ["counter a: a_total=1"]);
  assert.deepEqual(read("# TYPE a counter\na 1\n"), ["counter a: a=1"]);
  assert.deepEqual(read("# TYPE a_total gauge\na_total 1\n"), ["gauge a_total: a_total=1"]);
  assert.deepEqual(read("# TYPE a info\na_info 1\n# EOF"), ["info a: a_info=1"]);
  assert.deepEqual(
    read("# TYPE a_total histogram\na_total_bucket 1\na_total_sum 2\na_total_count 3\n"),
    ["histogram a_total: a_total_bucket=1 a_total_sum=2 a_total_count=3"],
  );
  assert.deepEqual(read("x_bucket 1\nx_sum 2\nx_count 3\n"), [
    "unknown x_bucket: x_bucket=1",
    "unknown x_sum: x_sum=2",
    "unknown x_count: x_count=3",
  ]);
  assert.deepEqual(read("# TYPE a counter\na_total 1\na_created 2\n# EOF"), [
    "counter a: a_total=1 a_created=2",
  ]);
});

Deno.test("parseExposition keeps a gauge and a counter whose short names are the same", () => {
  const gauge = "# TYPE x gauge\nx 1\n";
  const counter = "# TYPE x_total counter\nx_total 2\n";
  const expected = ["gauge x: x=1", "counter x_total: x_total=2"];
  assert.deepEqual(outline(parseExposition(gauge + counter).families), expected);
  assert.deepEqual(outline(parseExposition(counter + gauge).families), expected.toReversed());
  assert.deepEqual(outline(parseExposition(`x 1\n${counter}`).families), [
    "unknown x: x=1",
    "counter x_total: x_total=2",
  ]);
});

Deno.test("parseExposition keeps both families when TYPE lines contradict each other", () => {
  const text = '# TYPE a gauge\na{x="1"} 1\n# TYPE a counter\na{x="2"} 2\na{x="3"} 3\n';
  const { families, errors } = parseExposition(text);
  assert.deepEqual(outline(families), ["gauge a: a=1", "counter a: a=2 a=3"]);
  assert.deepEqual(errors, [
    { line: 3, column: 1, message: "A second TYPE says counter, the first said gauge" },
  ]);
});

Deno.test("parseExposition gives samples the type of a TYPE line that comes late", () => {
  const text = 'h_sum 1\nh_bucket{le="1"} 2\n# HELP h late\n# TYPE h histogram\nh_count 3\n';
  const { families } = parseExposition(text);
  assert.deepEqual(outline(families), ["histogram h: h_sum=1 h_bucket=2 h_count=3"]);
  assert.equal(families[0]?.help, "late");
});

Deno.test("parseExposition keeps families without samples, but not those without a type", () => {
  const { families } = parseExposition("# HELP a text\n# TYPE b summary\n# HELP b none yet\n");
  assert.deepEqual(families, [
    { name: "b", type: "summary", help: "none yet", unit: null, samples: [] },
  ]);
});

Deno.test("parseExposition reads units in OpenMetrics only", () => {
  const text = "# TYPE a_seconds gauge\n# UNIT a_seconds seconds\na_seconds 1\n";
  assert.equal(parseExposition(text).families[0]?.unit, null);
  assert.equal(parseExposition(`${text}# EOF\n`).families[0]?.unit, "seconds");
  assert.equal(
    parseExposition(text, { contentType: "application/openmetrics-text" }).families[0]?.unit,
    "seconds",
  );
});

Deno.test("parseExposition says when an OpenMetrics page is cut, or goes on behind its end", () => {
  const contentType = "application/openmetrics-text; version=1.0.0";
  const cut = parseExposition("# TYPE a gauge\na 1\n", { contentType });
  assert.deepEqual(outline(cut.families), ["gauge a: a=1"]);
  assert.deepEqual(cut.errors, [
    { line: 2, column: 1, message: "The page ends without # EOF" },
  ]);
  const longer = parseExposition("a 1\n# EOF\n\nb 2\n# TYPE c gauge\n", { contentType });
  assert.deepEqual(outline(longer.families), ["unknown a: a=1"]);
  assert.deepEqual(longer.errors.map(({ line, message }) => [line, message]), [
    [4, "The line is after # EOF"],
    [5, "The line is after # EOF"],
  ]);
  assert.deepEqual(parseExposition("a 1\n# EOF\nb 2\n").errors, []);
});

Deno.test("parseExposition keeps lines that are not UTF-8 with U+FFFD, and counts them", () => {
  const text = Uint8Array.of(
    ...new TextEncoder().encode('b 1\na{x="'),
    0xff,
    0xc3,
    0x22,
    0x7d,
    0x20,
    0x32,
  );
  const { families, errors } = parseExposition(text);
  assert.equal(families[1]?.samples[0]?.labels["x"], "\ufffd\ufffd");
  assert.equal(families[1]?.samples[0]?.value, 2);
  assert.deepEqual(errors, [{ line: 2, column: 1, message: "The line is not UTF-8" }]);
  assert.throws(
    () => parseExposition(text, { strict: true }),
    { message: "The line is not UTF-8, at line 2, column 6" },
  );
  const replacement = new TextEncoder().encode('a{x="\ufffd"} 1\n');
  assert.deepEqual(parseExposition(replacement).errors, []);
});

Deno.test("parseExposition knows UTF-8 from what only looks like it", () => {
  const wellFormed = ["é", "€", "😀", "\u0800", "\ud7ff", "\ue000", "\u{10ffff}", "\u0000"];
  const broken = [
    [0x80],
    [0xc0, 0x80],
    [0xc1, 0xbf],
    [0xc3],
    [0xc3, 0x28],
    [0xe0, 0x9f, 0xbf],
    [0xe2, 0x82],
    [0xed, 0xa0, 0x80],
    [0xf0, 0x8f, 0xbf, 0xbf],
    [0xf4, 0x90, 0x80, 0x80],
    [0xf5, 0x80, 0x80, 0x80],
    [0xfe],
  ];
  const encoder = new TextEncoder();
  const page = (middle: Iterable<number>) =>
    Uint8Array.from([...encoder.encode('a{x="\ufffd'), ...middle, ...encoder.encode('"} 1\n')]);
  for (const text of wellFormed) {
    assert.deepEqual(parseExposition(page(encoder.encode(text))).errors, [], text);
  }
  for (const bytes of broken) {
    assert.equal(parseExposition(page(bytes)).errors.length, 1, String(bytes));
  }
});

/** One family of a page, in blocks that may be put anywhere. */
interface Block {
  readonly family: string;
  readonly lines: readonly string[];
}

const blockList: fc.Arbitrary<Block[]> = fc.array(
  fc.record({
    family: fc.constantFrom("aa", "bb", "cc", "dd", "ee"),
    values: fc.array(fc.integer({ min: 0, max: 99 }), { minLength: 1, maxLength: 4 }),
  }),
  { minLength: 1, maxLength: 8 },
).map((blocks) =>
  blocks.map(({ family, values }, block) => ({ family, lines: linesOf(family, values, block) }))
);

const TYPES: Readonly<Record<string, string>> = {
  aa: "gauge",
  bb: "counter",
  cc: "histogram",
  dd: "summary",
  ee: "untyped",
};

function linesOf(family: string, values: readonly number[], block: number): string[] {
  return values.flatMap((value, index) => {
    const labels = `block="${block}",index="${index}"`;
    if (family === "bb") return [`bb_total{${labels}} ${value}`];
    if (family === "cc") {
      return [
        `cc_bucket{${labels},le="1"} ${value}`,
        `cc_bucket{${labels},le="+Inf"} ${value}`,
        `cc_sum{${labels}} 1`,
        `cc_count{${labels}} ${value}`,
      ];
    }
    if (family === "dd") return [`dd{${labels},quantile="0.5"} ${value}`, `dd_sum{${labels}} 1`];
    return [`${family}{${labels}} ${value}`];
  });
}

function metadataOf(family: string): string[] {
  const name = family === "bb" ? "bb_total" : family;
  return [`# HELP ${name} help of ${family}`, `# TYPE ${name} ${TYPES[family]}`];
}

/** What a page says, whatever its order. */
function contentOf(text: string): unknown {
  const { families, errors } = parseExposition(text);
  assert.deepEqual(errors, []);
  return families
    .map((family) => ({
      ...family,
      samples: family.samples.map((sample) => JSON.stringify(sample)).toSorted(),
    }))
    .toSorted((a, b) => a.name < b.name ? -1 : 1);
}

Deno.test("parseExposition reads the same however families are cut, ordered and commented", () => {
  fc.assert(
    fc.property(blockList, fc.infiniteStream(fc.nat({ max: 1_000_000 })), (blocks, numbers) => {
      const next = (limit: number) => (numbers.next().value as number) % limit;
      const families = new Set(blocks.map(({ family }) => family));
      const straight = [...families].flatMap((family) => [
        ...metadataOf(family),
        ...blocks.filter((block) => block.family === family).flatMap(({ lines }) => lines),
      ]);
      const scattered = blocks.flatMap(({ lines }) => [...lines]);
      for (const family of families) {
        for (const line of metadataOf(family)) {
          scattered.splice(next(scattered.length + 1), 0, line);
        }
      }
      for (let count = next(4); count > 0; count--) {
        const filler = ["", "# a comment", "# EOFF", "#", "  "][next(5)] as string;
        scattered.splice(next(scattered.length + 1), 0, filler);
      }
      for (let count = next(6); count > 0; count--) {
        const from = next(scattered.length);
        const [line] = scattered.splice(from, 1) as [string];
        scattered.splice(next(scattered.length + 1), 0, line);
      }
      const lineEnd = next(2) === 0 ? "\n" : "\r\n";
      assert.deepEqual(contentOf(scattered.join(lineEnd)), contentOf(`${straight.join("\n")}\n`));
    }),
    { numRuns: 300 },
  );
});
