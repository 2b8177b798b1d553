import assert from "node:assert/strict";
import {
  decimalUnitOf,
  type Unit,
  unitOf,
  unitRatio,
  unitText,
} from "../../../src/config/gate/unit.ts";

Deno.test("unitOf and unitRatio know what may be written for a metric's unit", () => {
  const rows: readonly (readonly [written: string, own: string, ratio: number | undefined])[] = [
    ["s", "ms", 1000],
    ["us", "ms", 0.001],
    ["µs", "seconds", 1e-6],
    ["min", "sec", 60],
    ["%", "ratio", 0.01],
    ["ratio", "%", 100],
    ["tokens/s", "tokens/sec", 1],
    ["tokens/s", "tokens/sec/user", 1],
    ["/s", "requests/sec", 1],
    ["/min", "tokens/sec", 1 / 60],
    ["rps", "requests/sec", 1],
    ["MB", "KB", 1024],
    ["ms", "ms/image", 1],
    ["kW", "W", 1000],
    ["J/token", "mJ/token", 1000],
    ["mJ", "mJ/token", 1],
    ["J", "joules/request", 1],
    ["kWh", "J", 3.6e6],
    ["MJ", "J", 1e6],
    ["mJ", "J", 1e-3],
    ["tokens/J", "tokens/J", 1],
    ["tokens/kJ", "tokens/J", 1e-3],
    ["requests/s/kW", "good-req/s/W", 1e-3],
    ["J/request", "mJ/token", undefined],
    ["W", "J", undefined],
    ["tokens/s", "requests/sec", undefined],
    ["ms", "tokens", undefined],
    ["%", "ms", undefined],
  ];
  for (const [written, own, ratio] of rows) {
    const found = unitRatio(unitOf(written) as Unit, unitOf(own) as Unit);
    if (ratio === undefined) assert.equal(found, undefined, `${written} of ${own}`);
    else assert.ok(Math.abs((found ?? NaN) / ratio - 1) < 1e-12, `${written} of ${own}: ${found}`);
  }
  // Milli or mega: that is not told by a unit in small letters.
  for (const text of ["", "x", "ms/ms/x", "/x", "tokens/", "mj", "j/kb"]) {
    assert.equal(unitOf(text), undefined);
  }
});

Deno.test("decimalUnitOf has gigabytes of 1000, and keeps those of 1024 apart", () => {
  const [gb, gib] = ["GB", "GiB"].map(decimalUnitOf) as [Unit, Unit];
  assert.equal(unitRatio(gib, gb), 1.073741824);
  assert.equal(unitRatio(decimalUnitOf("MB") as Unit, gb), 1e-3);
  assert.deepEqual(decimalUnitOf("W"), unitOf("W"));
});

Deno.test("unitText is what people read", () => {
  assert.equal(unitText("tokens/sec/user"), "tokens/s/user");
  assert.equal(unitText("sec"), "s");
  assert.equal(unitText("ratio"), "");
  assert.equal(unitText("percent"), "%");
});
