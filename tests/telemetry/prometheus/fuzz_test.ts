import fc from "fast-check";
import assert from "node:assert/strict";
import {
  parseExposition,
  PrometheusSyntaxError,
} from "../../../src/telemetry/prometheus/parse_exposition.ts";
import { ExpositionLimitError, TextParser } from "../../../src/telemetry/prometheus/text_parser.ts";
import { readFixture } from "../../support/fixtures.ts";
import { threadSeconds } from "../../support/thread_time.ts";
import { sortedSamplesOf } from "./support/parsed_samples.ts";
import { pageOf } from "./support/plain_samples.ts";

const encoder = new TextEncoder();
const CONTENT_TYPES = ["text/plain; version=0.0.4", "application/openmetrics-text; version=1.0.0"];

/** Texts to start from: the corpus, and the texts that follow OpenMetrics. */
function readSeeds(): Uint8Array[] {
  const folder = new URL("../../../fixtures/prometheus/corpus/", import.meta.url);
  const corpus = [...Deno.readDirSync(folder)].map(({ name }) => name).toSorted()
    .map((name) => Deno.readFileSync(new URL(name, folder)));
  const { accepted } = readFixture<{ accepted: readonly { text: string }[] }>(
    "prometheus/open_metrics_cases.json",
  );
  return [...corpus, ...accepted.map(({ text }) => encoder.encode(text))]
    .filter(({ length }) => length < 4000);
}

const seeds = readSeeds();
const PIECES = [
  ...'{}",=\\# \t\r\n\u0000+-._:eE1a',
  ..."_total _bucket _sum _count _info NaN +Inf 1e309 0x1 é 😀 \ufeff \u00a0".split(" "),
  ...[
    '{a="b"}',
    'le="1"',
    ' # {a="b"} 1',
    "# TYPE a gauge\n",
    "# TYPE a counter\n",
    "# HELP a x\n",
  ],
  ...["# UNIT a_b b\n", "# EOF\n", " 123", "__name__", "__proto__", '"q"', "\r\n", "\n\n"],
].map((piece) => encoder.encode(piece));

/** A change of a text: bytes taken out at a place, something else put in. */
const mutation = fc.record({
  place: fc.double({ min: 0, max: 1, noNaN: true }),
  removed: fc.oneof(fc.constant(0), fc.constant(1), fc.nat({ max: 12 })),
  inserted: fc.oneof(
    fc.constantFrom(...PIECES),
    fc.constant(new Uint8Array()),
    fc.uint8Array({ maxLength: 4 }),
    fc.record({
      seed: fc.nat({ max: seeds.length - 1 }),
      from: fc.double({ min: 0, max: 1, noNaN: true }),
      length: fc.nat({ max: 60 }),
    }).map(({ seed, from, length }) => {
      const other = seeds[seed] as Uint8Array;
      const start = Math.floor(from * other.length);
      return other.subarray(start, start + length);
    }),
  ),
});

const mutated = fc.tuple(
  fc.nat({ max: seeds.length - 1 }),
  fc.array(mutation, { minLength: 1, maxLength: 4 }),
).map(([seed, mutations]) => {
  let bytes = seeds[seed] as Uint8Array;
  for (const { place, removed, inserted } of mutations) {
    const at = Math.floor(place * bytes.length);
    bytes = Uint8Array.from([
      ...bytes.subarray(0, at),
      ...inserted,
      ...bytes.subarray(at + removed),
    ]);
  }
  return bytes;
});

for (const contentType of CONTENT_TYPES) {
  Deno.test(`both readers agree on mutated texts as ${contentType}, and never fail`, () => {
    const parser = new TextParser();
    fc.assert(
      fc.property(mutated, (bytes) => {
        const { families, errors } = parseExposition(bytes, { contentType });
        const expected = pageOf(families);
        for (const each of [parser, new TextParser()]) {
          try {
            const page = each.parse(bytes, contentType);
            assert.deepEqual(sortedSamplesOf(each, page), expected);
            assert.equal(page.problemCount, errors.length);
          } catch (error) {
            // A sample of the corpus has more labels than the parser takes by default.
            if (!(error instanceof ExpositionLimitError)) throw error;
          }
        }
        for (const { line, column, message } of errors) {
          assert.ok(line >= 1 && column >= 1 && message.length < 200);
        }
      }),
      { numRuns: 750 },
    );
  });

  Deno.test(`strict reading of mutated texts as ${contentType} is reading without problems`, () => {
    const lineFeed = 10;
    let read = 0;
    fc.assert(
      fc.property(mutated, (bytes) => {
        try {
          const strict = parseExposition(bytes, { strict: true, contentType });
          const tolerant = parseExposition(bytes, { contentType });
          assert.deepEqual(tolerant.errors, []);
          assert.deepEqual(pageOf(tolerant.families), pageOf(strict.families));
          read++;
        } catch (error) {
          if (!(error instanceof PrometheusSyntaxError)) throw error;
          const lines = bytes.filter((byte) => byte === lineFeed).length + 1;
          assert.ok(error.line >= 1 && error.line <= lines, `${error.message} of ${lines} lines`);
          assert.ok(error.column >= 1 && error.column <= bytes.length + 1, error.message);
        }
      }),
      { numRuns: 750 },
    );
    assert.ok(read > 0);
  });
}

const SIZE = 500_000;

/** Texts of up to a megabyte that would take minutes if reading were not linear in their length. */
const HOSTILE: Readonly<Record<string, () => string>> = {
  "opening braces": () => "{".repeat(2 * SIZE),
  "opening braces in lines": () => "a{\n".repeat(SIZE / 2),
  "closing braces in lines": () => "}\n".repeat(SIZE / 2),
  "quotes": () => '"'.repeat(2 * SIZE),
  "texts without closing quotes in lines": () => 'a{x="\n'.repeat(SIZE / 4),
  "names in front of one brace at the end": () => `${"abc 1\n".repeat(SIZE / 8)}a{x="1"} 1\n`,
  "names without values": () => "abc\n".repeat(SIZE / 3),
  "one long name": () => "a".repeat(2 * SIZE),
  "one long number": () => `a ${"1".repeat(2 * SIZE)}\n`,
  "one long number that is none": () => `a ${"1".repeat(2 * SIZE)}x\n`,
  "one long fraction": () => `a 0.${"0".repeat(2 * SIZE)}e1\n`,
  "long timestamps": () => `a 1 ${"0".repeat(SIZE)}1\na 1 ${"0".repeat(SIZE)}2\n# EOF\n`,
  "long timestamps with exponents": () =>
    `a 1 ${"0".repeat(SIZE)}1e1\na 1 ${"0".repeat(SIZE)}2e1\n# EOF\n`,
  "blanks": () => `a ${" ".repeat(2 * SIZE)}\n`,
  "blanks behind a help text": () => `# HELP a ${" ".repeat(2 * SIZE)}x${" ".repeat(SIZE)}\n`,
  "backslashes in a help text": () => `# HELP a ${"\\".repeat(2 * SIZE)}\n`,
  "backslashes in a label value": () => `a{x="${"\\".repeat(2 * SIZE)}"} 1\n`,
  "commas": () => `a{${",".repeat(2 * SIZE)}} 1\n`,
  "labels on one line": () =>
    `a{${Array.from({ length: 75_000 }, (_, i) => `l${i}="v"`).join(",")}} 1\n`,
  "labels of one name": () => `a{${'x="1",'.repeat(SIZE / 4)}} 1\n`,
  "labels cut off": () => `a{x="1"${',y="2"'.repeat(SIZE / 4)}`,
  "exemplars cut off": () => 'a 1 # {x="1"\n'.repeat(SIZE / 8),
  "hashes": () => "#".repeat(2 * SIZE),
  "comments": () => "# a\n".repeat(SIZE / 2),
  "ends of the page": () => "# EOF\n".repeat(SIZE / 4),
  "types that contradict": () => "# TYPE a gauge\n# TYPE a counter\n".repeat(SIZE / 16) + "a 1\n",
  "blank lines": () => "\n".repeat(2 * SIZE),
  "carriage returns": () => "\r".repeat(2 * SIZE),
  "long values of one length": () =>
    Array.from({ length: 300 }, (_, i) => `a{x="${String(i).padStart(16_384, "v")}"} 1\n`).join(""),
  "names of one length that is too long": () =>
    Array.from({ length: 300 }, (_, i) => `${"n".repeat(16_384)}${1000 + i} 1\n`).join(""),
  "lines that start alike": () =>
    Array.from({ length: 100 }, (_, i) => `a{x="${"v".repeat(16_000)}${i}"} 1\n`).join("").repeat(
      2,
    ),
  "families told apart": () =>
    Array.from({ length: 50_000 }, (_, i) => `# TYPE a${i} gauge\na${i} 1\n`).join(""),
  "metrics told apart": () =>
    `# TYPE a gauge\n${
      Array.from({ length: 50_000 }, (_, i) => `a{i="${i}"} 1\n`).join("")
    }# EOF\n`,
};

/** Far above what the slowest processor needs for a linear reading, far below a quadratic one. */
const PATIENCE_SECONDS = 7.5;

for (const [what, makeText] of Object.entries(HOSTILE)) {
  Deno.test(`reading takes time in proportion to the text: ${what}`, () => {
    const text = makeText();
    const start = threadSeconds();
    parseExposition(text);
    for (const contentType of CONTENT_TYPES) {
      try {
        parseExposition(text, { strict: true, contentType });
      } catch (error) {
        if (!(error instanceof PrometheusSyntaxError)) throw error;
      }
    }
    const parser = new TextParser();
    for (let round = 0; round < 2; round++) {
      try {
        parser.parse(text);
      } catch (error) {
        if (!(error instanceof ExpositionLimitError)) throw error;
      }
    }
    assert.ok(threadSeconds() - start < PATIENCE_SECONDS);
  });
}

Deno.test("reading takes time in proportion to the text: bytes that are no UTF-8", () => {
  const bytes = new Uint8Array(2 * SIZE).fill(0xff);
  for (let at = 1; at < bytes.length; at += 2) bytes[at] = 10;
  const start = threadSeconds();
  assert.equal(parseExposition(bytes).families.length, 0);
  assert.equal(new TextParser().parse(bytes).problemCount, 2 * SIZE);
  assert.ok(threadSeconds() - start < PATIENCE_SECONDS);
});

Deno.test("TextParser keeps what it remembers within bounds while series come and go", () => {
  const parser = new TextParser({ maxSeries: 2000 });
  const page = (round: number) =>
    Array.from({ length: 1000 }, (_, i) => `a{pod="p${round}-${i}",host="h${i % 7}"} ${i}\n`).join(
      "",
    );
  for (let round = 0; round < 40; round++) parser.parse(page(round));
  assert.equal(parser.series.length, 2000);
  const dropped = parser.droppedSeries;
  assert.ok(Math.abs(dropped - 38_000) < 380, `${dropped}`);
});
