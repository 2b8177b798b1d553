/** Digits behind the point that count: nanoseconds, for times in seconds. */
const FRACTION_DIGITS = 9;

/** A decimal number without exponent, in parts that compare as texts. */
interface Decimal {
  readonly negative: boolean;
  /** Digits before the point, without leading zeros. */
  readonly whole: string;
  readonly fraction: string;
}

/**
 * Compares two decimal numbers to the ninth digit behind the point; doubles would take times that
 * are 200 ns apart for the same. Numbers with an exponent are compared as doubles.
 * @returns below 0, 0 or above 0, as the first is smaller, equal or larger
 */
export function compareDecimals(one: string, other: string): number {
  if (one === other) return 0;
  const a = decimalOf(one);
  const b = decimalOf(other);
  if (a === undefined || b === undefined) return Number(one) - Number(other);
  if (a.negative !== b.negative) return a.negative ? -1 : 1;
  const order = a.whole.length - b.whole.length ||
    compareDigits(a.whole, b.whole) ||
    compareDigits(a.fraction, b.fraction);
  return a.negative ? -order : order;
}

function decimalOf(text: string): Decimal | undefined {
  if (text.includes("e") || text.includes("E")) return undefined;
  const digits = text.replace(/^[+-]/, "");
  const point = digits.indexOf(".");
  const whole = (point < 0 ? digits : digits.slice(0, point)).replace(/^0+/, "");
  const fraction = (point < 0 ? "" : digits.slice(point + 1))
    .slice(0, FRACTION_DIGITS).padEnd(FRACTION_DIGITS, "0");
  const isZero = whole === "" && /^0+$/.test(fraction);
  return { negative: text.startsWith("-") && !isZero, whole, fraction };
}

function compareDigits(one: string, other: string): number {
  return one < other ? -1 : one > other ? 1 : 0;
}
