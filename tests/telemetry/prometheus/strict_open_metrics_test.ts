import assert from "node:assert/strict";
import { parseExposition } from "../../../src/telemetry/prometheus/parse_exposition.ts";
import { PrometheusSyntaxError } from "../../../src/telemetry/prometheus/prometheus_syntax_error.ts";
import { readFixture } from "../../support/fixtures.ts";

interface AcceptedText {
  readonly about: string;
  readonly text: string;
}

interface RefusedText extends AcceptedText {
  readonly message: string;
  readonly line: number;
  readonly column: number;
}

const { accepted, refused } = readFixture<{
  readonly accepted: readonly AcceptedText[];
  readonly refused: readonly RefusedText[];
}>("prometheus/open_metrics_cases.json");
const contentType = "application/openmetrics-text; version=1.0.0; charset=utf-8";

for (const { about, text } of accepted) {
  Deno.test(`parseExposition takes ${about} for OpenMetrics`, () => {
    const strict = parseExposition(text, { strict: true, contentType });
    assert.deepEqual(strict.errors, []);
    const tolerant = parseExposition(text, { contentType });
    assert.deepEqual(tolerant.errors, []);
    // Reading tolerantly trims lines, and so help texts.
    assert.deepEqual(
      tolerant.families,
      strict.families.map((family) => ({ ...family, help: family.help.trim() })),
    );
  });
}

for (const { about, text, message, line, column } of refused) {
  Deno.test(`parseExposition refuses ${about} in OpenMetrics`, () => {
    assert.throws(
      () => parseExposition(text, { strict: true, contentType }),
      (error: unknown) => {
        assert.ok(error instanceof PrometheusSyntaxError);
        assert.ok(error instanceof SyntaxError);
        assert.equal(error.message, `${message}, at line ${line}, column ${column}`);
        assert.deepEqual([error.line, error.column], [line, column]);
        return true;
      },
    );
  });
}

Deno.test("parseExposition applies OpenMetrics rules only when the content type says so", () => {
  const text = "# TYPE a gauge\n\na 1\n";
  for (
    const type of [
      "application/openmetrics-text",
      "Application/OpenMetrics-Text; version=1.0.0",
      " application/openmetrics-text ; charset=utf-8",
    ]
  ) {
    assert.throws(
      () => parseExposition(text, { strict: true, contentType: type }),
      /^PrometheusSyntaxError: The line is blank, at line 2, column 1$/,
    );
  }
  for (const type of ["text/plain", "application/openmetrics-texts", ""]) {
    const { families } = parseExposition(text, { strict: true, contentType: type });
    assert.equal(families.length, 1);
  }
  assert.equal(parseExposition(`${text}# EOF\n`, { strict: true }).families.length, 1);
});
