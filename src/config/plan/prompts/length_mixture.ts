import { UsageError } from "../../options/usage_error.ts";
import { MAX_PROMPT_TOKENS } from "../max_prompt_tokens.ts";
import type { LengthShare } from "../prompts_plan.ts";

const NUMBER = "(\\d+(?:\\.\\d+)?|\\.\\d+)";
const LENGTHS = `\\s*(\\d+)(?:\\|${NUMBER})?\\s*,\\s*(\\d+)(?:\\|${NUMBER})?\\s*`;
const PLAIN = new RegExp(`^${LENGTHS}:\\s*${NUMBER}\\s*$`);
const BRACKETED = new RegExp(`\\s*\\(${LENGTHS}\\)\\s*:\\s*${NUMBER}\\s*(?:[,;]|$)`, "y");
const FLAG = "--seq-dist";
/** Rounding of shares such as 33.3333. */
const TOLERANCE = 1e-4;

/**
 * Reads `--seq-dist`: pairs of an input and an output length with the share of requests, in percent,
 * that have them. Lengths may have a standard deviation. Three ways to write the same:
 *
 * - `256|10,128|5:40;512,256:60`
 * - `[(256|10,128|5):40,(512,256):60]`
 * - `{"pairs":[{"isl":256,"isl_stddev":10,"osl":128,"osl_stddev":5,"prob":40},...]}`
 *
 * @throws {UsageError} if it is none of these, a length is 0, or the shares do not add up to 100
 */
export function parseLengthMixture(text: string): LengthShare[] {
  const given = text.trim();
  const shares = given.startsWith("{")
    ? ofJson(given)
    : given.startsWith("[") && given.endsWith("]")
    ? ofBrackets(given.slice(1, -1))
    : given.split(";").filter((pair) => pair.trim() !== "").map((pair) => {
      const match = PLAIN.exec(pair);
      if (match === null) {
        return fail(`Pair must be ISL[|stddev],OSL[|stddev]:percent: got "${pair.trim()}"`);
      }
      return ofMatch(match);
    });
  if (shares.length === 0) fail("Must have one pair of lengths at least");
  for (const { inputTokens, outputTokens } of shares) {
    for (const tokens of [inputTokens, outputTokens]) {
      if (tokens < 1 || tokens > MAX_PROMPT_TOKENS || !Number.isInteger(tokens)) {
        fail(`Lengths must be whole numbers from 1 to ${MAX_PROMPT_TOKENS}: got ${tokens}`);
      }
    }
  }
  const total = shares.reduce((sum, { percent }) => sum + percent, 0);
  if (Math.abs(total - 100) > TOLERANCE) {
    fail(`Shares must add up to 100 percent: got ${Number(total.toFixed(6))}`);
  }
  return shares;
}

function ofBrackets(text: string): LengthShare[] {
  const shares: LengthShare[] = [];
  BRACKETED.lastIndex = 0;
  for (let at = 0; text.slice(at).trim() !== "";) {
    const match = BRACKETED.exec(text);
    if (match === null) {
      return fail(`Pair must be (ISL[|stddev],OSL[|stddev]):percent: got "${text.slice(at)}"`);
    }
    shares.push(ofMatch(match));
    at = BRACKETED.lastIndex;
  }
  return shares;
}

function ofMatch([, isl, islStddev = "0", osl, oslStddev = "0", percent]: string[]): LengthShare {
  return {
    inputTokens: Number(isl),
    inputStddev: Number(islStddev),
    outputTokens: Number(osl),
    outputStddev: Number(oslStddev),
    percent: Number(percent),
  };
}

function ofJson(text: string): LengthShare[] {
  let pairs: unknown;
  try {
    pairs = (JSON.parse(text) as { pairs?: unknown }).pairs;
  } catch (error) {
    return fail(`Not valid JSON: ${(error as Error).message}`);
  }
  if (!Array.isArray(pairs)) return fail('JSON must have a list "pairs"');
  return pairs.map((pair: unknown, place) => {
    const fields = typeof pair === "object" && pair !== null ? pair as Record<string, unknown> : {};
    const number = (name: string, otherwise?: number): number => {
      const value = fields[name] ?? otherwise;
      return typeof value === "number" && value >= 0
        ? value
        : fail(`"${name}" of pair ${place} must be a number of at least 0`);
    };
    return {
      inputTokens: number("isl"),
      inputStddev: number("isl_stddev", 0),
      outputTokens: number("osl"),
      outputStddev: number("osl_stddev", 0),
      percent: number("prob"),
    };
  });
}

function fail(message: string): never {
  throw new UsageError(FLAG, message);
}
