import type { Slo } from "./slo.ts";

/** Returns a range such as `75.3 to 102 ms`, or `75.3 ms or more` if the other end is unknown. */
export function rangeText([lower = NaN, upper = NaN]: readonly number[], unit: string): string {
  return Number.isFinite(upper)
    ? `${threeDigits(lower)} to ${withUnit(upper, unit)}`
    : `${withUnit(lower, unit)} or more`;
}

/** Returns a value with enough digits to show on which side of the threshold it is. */
export function tellingDigits(value: number, { threshold }: Pick<Slo, "threshold">): string {
  const side = Math.sign(value - threshold);
  const short = threeDigits(value);
  if (Math.sign(Number(short.replaceAll(",", "")) - threshold) === side) return short;
  for (let digits = 4; digits < 17; digits++) {
    const rounded = Number(value.toPrecision(digits));
    if (Math.sign(rounded - threshold) === side) return String(rounded);
  }
  return String(value);
}

/** A value with its unit: `111 ms`, `0.1 %`, `0.95`. */
export function withUnit(value: number, unit: string): string {
  return `${threeDigits(value)} ${unit}`.trim();
}

/** At least three significant digits, never an exponent where people do not expect one. */
export function threeDigits(value: number): string {
  if (!Number.isFinite(value)) return String(value);
  const size = Math.abs(value);
  if (size >= 1e15 || (size > 0 && size < 1e-6)) return value.toExponential(2);
  if (size >= 100) return String(Math.round(value)).replace(/\B(?=(\d{3})+$)/g, ",");
  return String(Number(value.toPrecision(3)));
}
