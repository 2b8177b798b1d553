import assert from "node:assert/strict";
import fc from "fast-check";
import { isoSeconds, SECONDS } from "../../../../src/load/sessions/formats/iso_seconds.ts";

const encoder = new TextEncoder();
const PLAIN = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z$/;

/** Two or more digits, mostly in the range of a part of a time. */
const digits = (count: number, most: number): fc.Arbitrary<string> =>
  fc.integer({ min: 0, max: most }).map((number) => `${number}`.padStart(count, "0"));

Deno.test("isoSeconds reads a time in UTC as Date does", () => {
  const time = fc.tuple(digits(4, 9999), digits(2, 13), digits(2, 32), digits(2, 23))
    .chain(([year, month, day, hour]) =>
      fc.tuple(digits(2, 60), digits(2, 60), digits(3, 999))
        .map(([minute, second, ms]) => `${year}-${month}-${day}T${hour}:${minute}:${second}.${ms}Z`)
    );
  fc.assert(
    fc.property(time, (text) => {
      const ms = Date.parse(text);
      const seconds = Number.isNaN(ms) ? undefined : ms * 1000 / 1e6;
      assert.equal(isoSeconds(text), seconds);
      const bytes = encoder.encode(` ${text} `);
      assert.equal(SECONDS.ofBytes(bytes, 1, bytes.length - 1), seconds);
    }),
    { numRuns: 5000 },
  );
});

const TIMES: readonly (readonly [time: string, seconds: number | undefined])[] = [
  ["1970-01-01T00:00:00Z", 0],
  ["2026-09-21T14:13:20Z", 1_790_000_000],
  ["2026-09-21T14:13:20.1234567Z", 1_790_000_000.123456],
  ["2026-09-21T14:13:20,5Z", 1_790_000_000.5],
  ["2026-09-21 14:13:20", 1_790_000_000],
  ["2026-09-21T16:13:20.25+02:00", 1_790_000_000.25],
  ["2026-09-21T14:13:20.Z", undefined],
  ["2026-09-21T14:13:2xZ", undefined],
  ["2026-09-21T14:13:20.1.5Z", undefined],
];

for (const [time, seconds] of TIMES) {
  Deno.test(`isoSeconds reads ${time}`, () => {
    assert.equal(isoSeconds(time), seconds);
    const bytes = encoder.encode(time);
    const ofBytes = SECONDS.ofBytes(bytes, 0, bytes.length);
    // Times that are not plain are left to the other reader.
    assert.equal(ofBytes, PLAIN.test(time) ? seconds : undefined);
  });
}
