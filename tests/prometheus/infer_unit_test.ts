import fc from "fast-check";
import assert from "node:assert/strict";
import { inferUnit } from "../../src/prometheus/infer_unit.ts";
import { readFixture } from "../support/fixtures.ts";

interface UnitCase {
  readonly name: string;
  readonly description: string;
  readonly unit: string | null;
}

for (
  const { name, description, unit } of readFixture<UnitCase[]>(
    "server_metrics/functions/units.json",
  )
) {
  Deno.test(`inferUnit of ${name} ${JSON.stringify(description)} is ${unit}`, () => {
    assert.equal(inferUnit(name, description), unit);
  });
}

const MORE: readonly (readonly [string, string, string | null, string])[] = [
  ["a_percent", "from 0.0 to 1.0", "ratio", "scale before name"],
  ["a", "fraction, 1.0 == 100%", "ratio", "one means all"],
  ["a_ratio", "(0.0 - 100.0)", "percent", "scale before name"],
  ["a", "0 – 100 %", "percent", "dash of print"],
  ["a_seconds", "Latency (in ms)", "milliseconds", "help text before name"],
  ["a", "Energy (in MJ)", "megajoule", "case of the tag"],
  ["a", "Load (in mj) in seconds", "seconds", "unknown tag, then words"],
  ["a", "requests/second (request/second)", "requests/s", "rate"],
  ["a", "within seconds", null, "no word of its own"],
  ["a_info", "", null, "no unit of its own"],
  ["x_error_count", "", "errors", "longer ending before shorter"],
  ["x_block_count", "", "blocks", "longer ending before shorter"],
  ["x_total", "", "count", "plain total"],
  ["num_requests_running", "", "requests", "inside the name"],
];

for (const [name, description, unit, why] of MORE) {
  Deno.test(`inferUnit of ${name} ${JSON.stringify(description)} is ${unit}: ${why}`, () => {
    assert.equal(inferUnit(name, description), unit);
  });
}

Deno.test("inferUnit reads a long help text no further than its start", () => {
  assert.equal(inferUnit("a", `${"x ".repeat(2040)} in seconds`), "seconds");
  assert.equal(inferUnit("a", `${"x ".repeat(3000)} in seconds`), null);
});

Deno.test("inferUnit always gives a unit or null", () => {
  fc.assert(fc.property(fc.string(), fc.string({ unit: "binary" }), (name, description) => {
    const unit = inferUnit(name, description);
    assert.ok(unit === null || /^[a-z/]+$/.test(unit));
  }));
});
