import assert from "node:assert/strict";

/** Largest relative difference of values that are the same. */
const ROUNDING = 1e-9;

/** Asserts that all values are those expected, by their names; null only where null is expected. */
export function assertValues(
  actual: Readonly<Record<string, unknown>>,
  expected: Readonly<Record<string, number | null>>,
): void {
  for (const [name, value] of Object.entries(expected)) {
    const found = actual[name];
    const isSame = value === null || typeof found !== "number"
      ? found === value
      : Math.abs(found - value) <= ROUNDING * Math.max(1, Math.abs(value));
    assert.ok(isSame, `${name}: ${found}, by the servers' counters ${value}`);
  }
}
