import { parseDuration } from "../../config/options/parse_value.ts";
import { UsageError } from "../../config/options/usage_error.ts";

/** Durations of replies in a plan. */
export interface ReplyTimes {
  /** Name of plans with them, such as `fixed_1000` or `ttft200_itl10`. */
  readonly name: string;
  /** Returns the milliseconds of a reply of this number of tokens. */
  msOf(outputTokens: number): number;
}

/** Every reply takes a second. */
export const FIXED_SECOND: ReplyTimes = fixedTimes(1000);

/** The first token takes 200 ms, each later one 10 ms. */
export const TOKEN_TIMES: ReplyTimes = tokenTimes(200, 10);

/**
 * Parses a value of `--reply-time`: `fixed:1s`, or TTFT and ITL as `200ms:10ms`.
 * @throws {UsageError} if it is neither
 */
export function parseReplyTimes(text: string): ReplyTimes {
  const parts = text.split(":");
  const [first, second] = parts.map((part) => part === "fixed" ? NaN : msOf(part));
  if (parts.length === 2 && second !== undefined && second >= 0) {
    if (parts[0] === "fixed") return fixedTimes(second);
    if (first !== undefined && first >= 0) return tokenTimes(first, second);
  }
  throw new UsageError(
    "--reply-time",
    `Must be fixed:TIME or TTFT:ITL, as fixed:1s or 200ms:10ms: got "${text}"`,
  );
}

function msOf(text: string): number | undefined {
  const seconds = parseDuration(text);
  // Digits behind the nanosecond are of the unit's factor.
  return seconds === undefined || !Number.isFinite(seconds)
    ? undefined
    : Math.round(seconds * 1e9) / 1e6;
}

function fixedTimes(ms: number): ReplyTimes {
  return { name: `fixed_${ms}`, msOf: () => ms };
}

function tokenTimes(ttftMs: number, itlMs: number): ReplyTimes {
  return {
    name: `ttft${ttftMs}_itl${itlMs}`,
    msOf: (outputTokens) => ttftMs + itlMs * (outputTokens - 1),
  };
}
