/** Numbers as people read them. */

const DIGITS = 3;

/** A number with three significant digits, its thousands separated: 1,736, 27.1, 16, 0.00123. */
export function figureText(value: number): string {
  if (!Number.isFinite(value)) return "-";
  if (value === 0) return "0";
  const size = Math.abs(value);
  if (size < 100 && Number.isInteger(value)) return String(value);
  if (size >= 1e9) return value.toExponential(2);
  if (size >= 100) return separated(value.toFixed(0));
  if (size < 1e-4) return value.toExponential(2);
  const decimals = Math.max(0, DIGITS - 1 - Math.floor(Math.log10(size)));
  return value.toFixed(decimals);
}

/** Milliseconds with their unit, seconds from ten seconds on: 60.5 ms, 12.3 s. */
export function millisecondsText(ms: number): string {
  return Math.abs(ms) >= 10_000 ? `${figureText(ms / 1e3)} s` : `${figureText(ms)} ms`;
}

/** A figure and its unit: 27.1 requests/s, 0.8 %. */
export function quantityText(value: number, unit: string): string {
  if (unit === "ms") return millisecondsText(value);
  return unit === "" ? figureText(value) : `${figureText(value)} ${unit}`;
}

/** A whole number with its thousands separated: 100,000. */
export function countText(count: number): string {
  return separated(Math.round(count).toFixed(0));
}

function separated(digits: string): string {
  return digits.replace(/\B(?=(\d{3})+$)/g, ",");
}
