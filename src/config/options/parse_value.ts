import { UsageError } from "./usage_error.ts";
import type { OptionKind, OptionSpec } from "./option.ts";

/** Seconds of each unit of time. */
const SECONDS: Readonly<Record<string, number>> = {
  "ms": 0.001,
  "s": 1,
  "sec": 1,
  "m": 60,
  "min": 60,
  "h": 3600,
};
const INFINITY = /^inf(inity)?$/;
const NUMBER = /^[+-]?(\d+\.?\d*|\.\d+)(e[+-]?\d+)?$/i;

/**
 * Turns the text of an option into its value; of one that may be swept, several with commas between
 * into a list.
 * @throws {UsageError} if it is not of the option's kind
 */
export function parseValue(spec: OptionSpec, flag: string, text: string): unknown {
  const fail = (wanted: string): never => {
    throw new UsageError(flag, `Must be ${wanted}: got "${text}"`);
  };
  if (isSweepable(spec) && text.includes(",")) {
    return text.split(",").map((one) => parseValue(spec, flag, one.trim()));
  }
  switch (spec.kind as OptionKind) {
    case "flag":
      if (/^(1|true|yes|on)$/i.test(text)) return true;
      if (/^(0|false|no|off|)$/i.test(text)) return false;
      return fail("true or false");
    case "text":
    case "texts":
      return text;
    case "number":
      if (isNumberList(text)) {
        return fail("one number: it is none of those that lists make sweeps of");
      }
      return parseNumber(isPercent(spec) ? text.replace(/\s*%\s*$/, "") : text) ??
        fail("a number");
    case "duration":
      return parseDuration(text) ?? fail("seconds, or a number with ms, s, m or h");
    case "rate":
      return parseRate(text) ?? fail("a number per second, or one like 10/s, 600/m, inf");
  }
}

/** Numbers with commas between. */
function isNumberList(text: string): boolean {
  const parts = text.split(",");
  return parts.length > 1 && parts.every((part) => parseNumber(part) !== undefined);
}

function isPercent(spec: OptionSpec): boolean {
  return "unit" in spec && spec.unit === "percent";
}

/** Whether several values of an option make several runs. */
export function isSweepable(spec: OptionSpec): boolean {
  return "sweeps" in spec && spec.sweeps === true;
}

/** Returns a number; undefined if the text is not a number, or the number is too large. */
export function parseNumber(text: string): number | undefined {
  const plain = text.trim().replace(/(?<=\d)_(?=\d)/g, "");
  const value = NUMBER.test(plain) ? Number(plain) : NaN;
  // What is too large for a number is a mistake, not a wish for no limit.
  return Number.isFinite(value) ? value : undefined;
}

/** Seconds: `90`, `1.5m`, `500ms`, `inf`; undefined if the text is none of these. */
export function parseDuration(text: string): number | undefined {
  const plain = text.trim().toLowerCase();
  if (INFINITY.test(plain)) return Infinity;
  const match = /^(.*?\d\.?)\s*(ms|s|sec|m|min|h)?$/.exec(plain);
  const value = parseNumber(match?.[1] ?? "");
  if (value === undefined) return undefined;
  const seconds = value * (SECONDS[match?.[2] ?? "s"] as number);
  return Number.isFinite(seconds) ? seconds : undefined;
}

/** Per second: `10`, `10/s`, `600/m`, `inf`; undefined if the text is none of these. */
export function parseRate(text: string): number | undefined {
  const plain = text.trim().toLowerCase();
  if (INFINITY.test(plain)) return Infinity;
  const match = /^(.*?\d\.?)\s*(?:\/\s*(s|sec|m|min|h))?$/.exec(plain);
  const value = parseNumber(match?.[1] ?? "");
  return value === undefined ? undefined : value / (SECONDS[match?.[2] ?? "s"] as number);
}
