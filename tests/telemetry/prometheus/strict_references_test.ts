/**
 * What Go's two parsers of the format 0.0.4 say of texts at its edges: expfmt of
 * prometheus/common 0.71.0, and textparse of Prometheus 0.315.0, by which strict reading goes.
 * `scripts/compare_strict.ts` found these texts, and compares any number of others.
 */

import assert from "node:assert/strict";
import { parseExposition } from "../../../src/telemetry/prometheus/parse_exposition.ts";
import { PrometheusSyntaxError } from "../../../src/telemetry/prometheus/prometheus_syntax_error.ts";

/** Refused by both, unless it says "expfmt reads it". */
const REFUSED: readonly (readonly [text: string, message: RegExp, note?: "expfmt reads it"])[] = [
  // CR LF as line end.
  ["a 1\r\n", /Expected a number as the value, found "1\\r", at line 1, column 3$/],
  ["a 1\n\r\n", /Expected a metric name, found "\\r", at line 2, column 1$/],
  ["\r\na 1\n", /line 1, column 1$/],
  ["a 1 5\r\n", /Expected a whole number as the timestamp, found "5\\r"/],
  ['a{x="1"}\r 1\n', /line 1, column 9$/],
  ["# TYPE a gauge\r\na 1\n", /Expected a type, found "gauge\\r", at line 1, column 10$/],
  ["# HELP  \r\na 1\n", /Expected a metric name after HELP/],
  // Blanks around a type.
  ["# TYPE a gauge \na 1\n", /Expected the end of the line after the type, at line 1, column 15$/],
  ["# TYPE a gauge\t\na 1\n", /Expected the end of the line after the type/],
  ["a 1\n  # TYPE a gauge  \n", /after the type, at line 2, column 17$/],
  ["# TYPE a  gauge\na 1\n", /one blank before the type, at line 1, column 10$/, "expfmt reads it"],
  ["# TYPE a \tgauge\na 1\n", /one blank before the type/, "expfmt reads it"],
  ['# TYPE "a b"  gauge\n', /one blank before the type/, "expfmt reads it"],
  ["# TYPE a  gauge\na 1", /one blank before the type/],
  ["# TYPE a\n", /Expected a type, found the end of the line/, "expfmt reads it"],
  ["# TYPE a \n", /Expected a type, found the end of the line/, "expfmt reads it"],
  // HELP without a name.
  ["# HELP \na 1\n", /a metric name after HELP, at line 1, column 8$/, "expfmt reads it"],
  ["# HELP\t\t\na 1\n", /Expected a metric name after HELP/, "expfmt reads it"],
  ["# HELP \na 1", /Expected a metric name after HELP/],
  // Timestamps with a sign.
  ["a 1 +5\n", /whole number as the timestamp, found "\+5"/, "expfmt reads it"],
  ["a 1 -5\n", /whole number as the timestamp, found "-5"/, "expfmt reads it"],
  ["a 1 +5", /Expected a whole number as the timestamp/],
  ["a 1 -3982045", /Expected a whole number as the timestamp/],
  ["a 1 9223372036854775808\n", /Expected a whole number as the timestamp/],
  // NUL in names.
  ['{"a\0b"} 1\n', /A name has a NUL in it, at line 1, column 1$/, "expfmt reads it"],
  ['a{"x\0y"="1"} 1', /A name has a NUL in it/],
  ['# HELP "a\0b" text\n', /A name has a NUL in it, at line 1, column 10$/, "expfmt reads it"],
];

for (const [text, message, note = "both refuse it"] of REFUSED) {
  Deno.test(`strict reading refuses ${JSON.stringify(text)}: ${note}`, () => {
    assert.throws(() => parseExposition(text, { strict: true }), (error: unknown) => {
      assert.ok(error instanceof PrometheusSyntaxError);
      assert.match(error.message, message);
      return true;
    });
  });
}

/** Read by both, unless it says "expfmt refuses it". */
const READ: readonly (readonly [text: string, samples: number, note?: "expfmt refuses it"])[] = [
  ["# HELP a text\r\na 1\n", 1],
  ["# comment\r\na 1\n", 1],
  ['a{x="1\r"} 1\n', 1],
  ["# TYPE a\tgauge\na 1\n", 1],
  ["#\t TYPE \t a gauge\na 1\n", 1],
  ["  # TYPE a gauge\na 1\n", 1],
  ["# TYPE\n# HELP\n#HELP \n# HELP a\n", 0],
  ["# HELP a  two blanks\na 1\n", 1],
  ["a 1 5\n", 1],
  ["a 1 5", 1, "expfmt refuses it"],
  ["a 1 5 \n", 1, "expfmt refuses it"],
  ['a{x="p\0q"} 1\n', 1],
];

for (const [text, count, note = "both read it"] of READ) {
  Deno.test(`strict reading takes ${JSON.stringify(text)}: ${note}`, () => {
    const { families, errors } = parseExposition(text, { strict: true });
    assert.deepEqual(errors, []);
    assert.equal(families.flatMap(({ samples }) => samples).length, count);
    assert.deepEqual(parseExposition(text, { contentType: "text/plain" }), { families, errors });
  });
}
