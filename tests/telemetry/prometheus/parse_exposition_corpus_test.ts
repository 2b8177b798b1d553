import assert from "node:assert/strict";
import { parseExposition } from "../../../src/telemetry/prometheus/parse_exposition.ts";
import { PrometheusSyntaxError } from "../../../src/telemetry/prometheus/prometheus_syntax_error.ts";
import { TextParser } from "../../../src/telemetry/prometheus/text_parser.ts";
import { readFixture } from "../../support/fixtures.ts";
import { pageOf, type PlainSample, sortedSamples } from "./support/plain_samples.ts";

/** What the reference readers say of a text. */
interface CorpusCase {
  readonly about: string;
  readonly "content_type": "text" | "om";
  readonly verdict: "agree_accept" | "agree_reject" | "differ";
  readonly samples:
    | readonly { name: string; labels: Record<string, string>; value: string }[]
    | null;
  readonly metadata: Readonly<Record<string, { help?: string; type?: string }>> | null;
}

const corpus = readFixture<Record<string, CorpusCase>>("prometheus/corpus.json");
const CONTENT_TYPES = {
  text: "text/plain; version=0.0.4",
  om: "application/openmetrics-text; version=1.0.0; charset=utf-8",
};

/** How many samples are kept and problems noted where the references disagree. */
const TOLERANT_READING: Readonly<Record<string, readonly [samples: number, problems: number]>> = {
  "c021_inner_whitespace": [1, 0],
  "c039_ts_negative": [1, 0],
  "c041_ts_float": [1, 0],
  "c043_ts_plus": [1, 0],
  "c051_dup_type_same": [1, 0],
  "c053_dup_help": [1, 0],
  "c055_family_split": [3, 0],
  "c057_type_upper": [1, 0],
  "c059_type_info": [1, 0],
  "c063_no_final_newline_comment": [1, 0],
  "c081_dunder_name": [0, 1],
  "c087_bad_label_colon": [0, 1],
  "c093_label_bad_escape": [1, 0],
  "c117_proto_labels": [4, 0],
  "c121_hist_bare_sample": [4, 0],
  "c123_hist_le_missing": [3, 0],
  "c125_hist_negative": [4, 0],
  "c129_exemplar_nolabels_classic": [1, 0],
  "o003_exemplars": [6, 0],
  "o005_gaugehistogram": [4, 0],
  "o011_counter_no_total": [1, 0],
  "o013_dup": [2, 0],
  "o015_nan_counter": [1, 0],
  "o019_nhcb_none": [0, 1],
};

function readText(name: string): Uint8Array {
  return Deno.readFileSync(
    new URL(`../../../fixtures/prometheus/corpus/${name}.txt`, import.meta.url),
  );
}

function expectedSamples(testCase: CorpusCase): PlainSample[] {
  return sortedSamples((testCase.samples ?? []).map(({ name, labels, value }) => ({
    name,
    labels: Object.entries(labels),
    value: Number(value.replace("Inf", "Infinity")),
  })));
}

for (const [name, testCase] of Object.entries(corpus)) {
  const text = readText(name);
  const contentType = CONTENT_TYPES[testCase.content_type];
  const strictly = () => parseExposition(text, { strict: true, contentType });
  const tolerantly = () => parseExposition(text, { contentType });

  if (testCase.verdict === "agree_accept") {
    Deno.test(`parseExposition reads what all references read: ${name}, ${testCase.about}`, () => {
      const expected = expectedSamples(testCase);
      const strict = strictly();
      assert.deepEqual(strict.errors, []);
      assert.deepEqual(pageOf(strict.families), expected);
      const tolerant = tolerantly();
      assert.deepEqual(tolerant.errors, []);
      assert.deepEqual(pageOf(tolerant.families), expected);
      assert.deepEqual(tolerant.families, strict.families);
    });

    Deno.test(`TextParser reads what all references read: ${name}, page after page`, () => {
      const parser = new TextParser({ maxLabels: 1000 });
      for (let page = 0; page < 3; page++) {
        const parsed = parser.parse(text, contentType);
        assert.equal(parsed.problemCount, 0);
        const samples = Array.from({ length: parsed.count }, (_, index) => {
          const series = parser.series[parsed.ids[index] as number];
          assert.ok(series !== undefined);
          return { ...series, value: parsed.values[index] as number };
        });
        assert.deepEqual(sortedSamples(samples), expectedSamples(testCase));
        for (const [family, { help, type }] of Object.entries(testCase.metadata ?? {})) {
          const metadata = parsed.metadata.get(family);
          assert.equal(metadata?.type ?? undefined, type);
          assert.equal(metadata?.help ?? "", help ?? "");
        }
        assert.equal(parsed.metadataVersion, parsed.metadata.size === 0 ? 0 : 1);
      }
    });
  } else if (testCase.verdict === "agree_reject") {
    Deno.test(`parseExposition refuses what all references refuse: ${name}, ${testCase.about}`, () => {
      assert.throws(strictly, PrometheusSyntaxError);
      const { errors } = tolerantly();
      // A blank line, or the classic word for a type, takes nothing away from an OpenMetrics page.
      const isHarmless = name === "o009_blank_line" || name === "o017_untyped_word";
      assert.equal(errors.length === 0, isHarmless);
      assert.equal(new TextParser().parse(text, contentType).problemCount, errors.length);
    });
  } else {
    Deno.test(`parseExposition keeps what it can where references differ: ${name}`, () => {
      const { families, errors } = tolerantly();
      const samples = families.flatMap((family) => family.samples);
      assert.deepEqual([samples.length, errors.length], TOLERANT_READING[name]);
      const parsed = new TextParser().parse(text, contentType);
      assert.deepEqual([parsed.count, parsed.problemCount], TOLERANT_READING[name]);
    });
  }
}

Deno.test("parseExposition reads what AIPerf reads, and the names that it gives", () => {
  interface PeerCase {
    readonly name: string;
    readonly text: string;
    readonly "content_type": string | null;
    readonly error?: string;
    readonly result?: Readonly<Record<string, { type: string; description: string }>> | null;
  }
  /** Texts where AIPerf takes the sample out of its counter; the table of OpenMetrics keeps it. */
  const inCounter: ReadonlySet<string> = new Set([
    "counter_type_base_sample_total",
    "om_no_eof_falls_back",
  ]);
  let compared = 0;
  for (const peer of readFixture<PeerCase[]>("prometheus/parse_cases.json")) {
    if (peer.result === null || peer.result === undefined) continue;
    const options = peer.content_type === null ? {} : { contentType: peer.content_type };
    const { families, errors } = parseExposition(peer.text, options);
    if (inCounter.has(peer.name)) {
      assert.deepEqual(families.map(({ name, type }) => [name, type]), [["a", "counter"]]);
      continue;
    }
    assert.deepEqual(errors, [], peer.name);
    for (const [family, { type, description }] of Object.entries(peer.result)) {
      const own = families.find(({ name }) => name === family);
      assert.deepEqual([own?.type, own?.help], [type, description], peer.name);
    }
    compared++;
  }
  assert.ok(compared >= 15);
});
