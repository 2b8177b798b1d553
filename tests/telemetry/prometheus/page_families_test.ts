import assert from "node:assert/strict";
import { pageFamilies } from "../../../src/telemetry/prometheus/page_families.ts";
import { TextParser } from "../../../src/telemetry/prometheus/text_parser.ts";

Deno.test("pageFamilies names every family once, as exports do, with or without samples", () => {
  const parser = new TextParser();
  const { metadata } = parser.parse(
    [
      "# TYPE tokens_total counter",
      'tokens_total{model="m"} 1',
      "tokens_created 5",
      "# TYPE ttft histogram",
      'ttft_bucket{le="1"} 0',
      'ttft_bucket{le="+Inf"} 1',
      "ttft_sum 2",
      "ttft_count 1",
      "# TYPE later_total counter",
      "# HELP only_help x",
      "bare 1",
      "",
    ].join("\n"),
  );
  assert.deepEqual(
    pageFamilies(parser.series, metadata).map(({ name, type, hasSamples }) => [
      name,
      type,
      hasSamples,
    ]),
    [
      ["tokens", "counter", true],
      ["tokens_created", "unknown", true],
      ["ttft", "histogram", true],
      ["bare", "unknown", true],
      ["later", "counter", false],
    ],
  );
});
