/** Numbers as people read them. */

const DIGITS = 3;

/** A number with three significant digits, its thousands separated: 1,736, 27.1, 16, 0.00123. */
export function figureText(value: number): string {
  if (!Number.isFinite(value)) return "-";
  if (value === 0) return "0";
  if (Math.abs(value) < 100 && Number.isInteger(value)) return String(value);
  // 99.96 is 100, which has no decimals.
  const size = Math.abs(Number(value.toPrecision(DIGITS)));
  if (size >= 1e9) return value.toExponential(2);
  if (size >= 100) return separated(value.toFixed(0));
  if (size < 1e-4) return value.toExponential(2);
  const decimals = Math.max(0, DIGITS - 1 - Math.floor(Math.log10(size)));
  return value.toFixed(decimals);
}

/** Milliseconds with their unit, seconds from 10 s onwards: 60.5 ms, 12.3 s. */
export function millisecondsText(ms: number): string {
  return Math.abs(ms) >= 10_000 ? `${figureText(ms / 1e3)} s` : `${figureText(ms)} ms`;
}

/** Returns a number and its unit: 27.1 requests/s, 0.8 %. */
export function quantityText(value: number, unit: string): string {
  if (unit === "ms") return millisecondsText(value);
  return unit === "" ? figureText(value) : `${figureText(value)} ${unit}`;
}

/** A whole number with its thousands separated: 100,000. */
export function countText(count: number): string {
  return separated(Math.round(count).toFixed(0));
}

/** A number of things: 1 request, 1,736 requests. */
export function countedText(count: number, noun: string): string {
  return `${countText(count)} ${noun}${Math.round(count) === 1 ? "" : "s"}`;
}

function separated(digits: string): string {
  return digits.replace(/\B(?=(\d{3})+$)/g, ",");
}
