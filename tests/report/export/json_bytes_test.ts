import assert from "node:assert/strict";
import fc from "fast-check";
import { jsonText } from "../../../src/core/files/json_text.ts";
import { JsonBytes } from "../../../src/report/export/json_bytes.ts";

function written(write: (out: JsonBytes) => void): string {
  const out = new JsonBytes();
  out.text("before ");
  out.clear();
  write(out);
  return new TextDecoder().decode(out.view);
}

Deno.test("JsonBytes.number has the digits that the engine writes", () => {
  const number = fc.oneof(
    fc.double({ noNaN: true, noDefaultInfinity: true }),
    fc.integer(),
    fc.maxSafeNat(),
    fc.maxSafeNat().map((ns) => ns / 1e6),
    fc.nat(2_000_000_000).map((ns) => ns / 1e6),
    fc.nat(2_000_000_000).map((ns) => ns / 1e6 / 99),
    fc.constantFrom(0, -0, 1e-6, 1e-7, 0.1, 1e9, 1e21, 2 ** 31, 2 ** 31 - 0.5, 999_999_999.999999),
  );
  fc.assert(
    fc.property(number, (value) => {
      assert.equal(written((out) => out.number(value)), String(value));
    }),
    { numRuns: 5000 },
  );
});

Deno.test("JsonBytes.string and text write what was given, as JSON and as it is", () => {
  const text = fc.oneof(fc.string(), fc.string({ unit: "binary" }), fc.constant("\u0085é🚀\ud800"));
  fc.assert(fc.property(text, (value) => {
    assert.equal(written((out) => out.string(value)), jsonText(value, 0).toWellFormed());
    assert.equal(written((out) => out.text(value)), value.toWellFormed());
  }));
});

Deno.test("JsonBytes takes text of any length", () => {
  const long = "a".repeat(200_000);
  const text = written((out) => {
    out.string(long);
    out.raw(new TextEncoder().encode(long));
    out.text("é".repeat(100_000));
    out.padded(42, 9);
  });
  assert.equal(text, `"${long}"${long}${"é".repeat(100_000)}000000042`);
});

function byEngine(timesNs: Float64Array): string {
  return [...timesNs.subarray(1)].map((time, index) => (time - (timesNs[index] as number)) / 1e6)
    .join(",");
}

Deno.test("JsonBytes.gapsInMilliseconds has the digits that the engine writes", () => {
  const gap = fc.oneof(
    fc.nat(2_000_000),
    fc.nat(2_000_000_000),
    fc.integer({ min: 0, max: 60 }).map((power) => 2 ** power),
    fc.integer({ min: 0, max: 15 }).map((power) => 10 ** power),
    fc.maxSafeNat(),
    fc.double({ noNaN: true, min: -1e9, max: 1e9 }),
  );
  fc.assert(
    fc.property(fc.array(gap), fc.maxSafeNat(), (gaps, start) => {
      let time = start % 1e12;
      const times = Float64Array.from([time, ...gaps.map((gap) => time += gap)]);
      assert.equal(written((out) => out.gapsInMilliseconds(times)), byEngine(times));
    }),
    { numRuns: 5000 },
  );
});

Deno.test("JsonBytes.gapsInMilliseconds takes lists of any length", () => {
  for (const length of [0, 1, 2, 5000]) {
    const times = Float64Array.from({ length }, (_, index) => index * 1_234_567);
    assert.equal(written((out) => out.gapsInMilliseconds(times)), byEngine(times));
  }
});
