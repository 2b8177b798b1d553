import assert from "node:assert/strict";
import { jsonText } from "../../../src/core/files/json_text.ts";
import { isoTime } from "../../../src/report/export/iso_time.ts";

Deno.test("jsonText writes whole numbers beyond 2^53 digit by digit", () => {
  const times = [1_795_237_156_230_500_123n, 2n ** 63n - 1n, -(2n ** 63n), 2n ** 53n + 1n, 0n];
  assert.equal(
    jsonText({ "times": times, "at": 1_795_237_156_230_500_123n }, 0),
    '{"times":[1795237156230500123,9223372036854775807,-9223372036854775808,9007199254740993,0],' +
      '"at":1795237156230500123}',
  );
});

Deno.test("jsonText leaves out what JSON cannot hold", () => {
  const value = { "a": NaN, "b": Infinity, "c": -Infinity, "d": undefined, "e": null, "f": -0 };
  assert.equal(jsonText(value, 0), '{"e":null,"f":0}');
  assert.equal(jsonText([NaN, 1], 0), "[null,1]");
});

Deno.test("jsonText indents by two blanks unless told otherwise", () => {
  assert.equal(jsonText({ "a": [1] }), '{\n  "a": [\n    1\n  ]\n}');
  assert.equal(jsonText({ "a": [1] }, 0), '{"a":[1]}');
});

Deno.test("jsonText writes floats so that they are read as the same", () => {
  const values = [0.1, 1 / 3, 5e-324, 1.7976931348623157e308, 123_456_789.123_456_78, 1e21];
  assert.deepEqual(JSON.parse(jsonText(values, 0)), values);
});

Deno.test("isoTime keeps microseconds, and cuts what is finer", () => {
  const times: readonly [bigint, string][] = [
    [0n, "1970-01-01T00:00:00.000000Z"],
    [999n, "1970-01-01T00:00:00.000000Z"],
    [1_000n, "1970-01-01T00:00:00.000001Z"],
    [1_795_237_156_230_500_999n, "2026-11-21T04:59:16.230500Z"],
    [1_795_237_156_000_000_000n, "2026-11-21T04:59:16.000000Z"],
    [1_709_164_800_000_000_000n, "2024-02-29T00:00:00.000000Z"],
  ];
  for (const [epochNs, text] of times) assert.equal(isoTime(epochNs), text);
});
