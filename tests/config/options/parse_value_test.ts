import assert from "node:assert/strict";
import { PERCENT } from "../../../src/config/options/number_rows.ts";
import { nearest } from "../../../src/config/options/nearest.ts";
import {
  parseDuration,
  parseNumber,
  parseRate,
  parseValue,
} from "../../../src/config/options/parse_value.ts";

Deno.test("parseNumber takes numbers and nothing else", () => {
  const cases: [string, number | undefined][] = [
    ["5", 5],
    ["-2.5", -2.5],
    [".5", 0.5],
    ["1e3", 1000],
    ["10_000", 10_000],
    ["", undefined],
    ["5x", undefined],
    ["0x10", undefined],
    ["NaN", undefined],
    ["1e400", undefined],
  ];
  for (const [text, value] of cases) assert.equal(parseNumber(text), value, text);
});

Deno.test("parseValue takes percentages with and without their sign", () => {
  const spec = { ...PERCENT, name: "x", group: "", help: "" };
  for (const text of ["5", "5%", "5 %"]) assert.equal(parseValue(spec, "--x", text), 5, text);
  for (const text of ["%", "5%%", "5s"]) {
    assert.throws(() => parseValue(spec, "--x", text), /--x: Must be a number/, text);
  }
  assert.throws(() => parseValue({ ...spec, unit: "tokens" }, "--x", "5%"), /Must be a number/);
});

Deno.test("parseDuration takes seconds and units of time", () => {
  const cases: [string, number | undefined][] = [
    ["90", 90],
    ["500ms", 0.5],
    ["1.5m", 90],
    ["2 min", 120],
    ["1h", 3600],
    ["inf", Infinity],
    ["5d", undefined],
    ["1e308h", undefined],
    ["ms", undefined],
  ];
  for (const [text, value] of cases) assert.equal(parseDuration(text), value, text);
});

Deno.test("parseRate takes rates per second, minute and hour", () => {
  assert.equal(parseRate("10"), 10);
  assert.equal(parseRate("10/s"), 10);
  assert.equal(parseRate("600/m"), 10);
  assert.equal(parseRate("inf"), Infinity);
  assert.equal(parseRate("10/x"), undefined);
  assert.equal(parseRate("1e400"), undefined);
});

Deno.test("nearest finds what a misspelt word meant, and nothing for another word", () => {
  const names = ["concurrency", "request-count", "streaming"];
  assert.equal(nearest("concurency", names), "concurrency");
  assert.equal(nearest("steaming", names), "streaming");
  assert.equal(nearest("tokenizer", names), undefined);
});
