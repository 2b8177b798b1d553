/**
 * How many tokens of a server a part of a prompt has. The server counts only whole prompts; of the
 * counters that are known, the one that agrees best with its counts is used for parts.
 */

import { arithmeticMean } from "../../core/statistics/arithmetic_mean.ts";
import { type CodeCount, countTokens, countWords } from "./prompt_code.ts";

/** A prompt whose tokens the server has counted. */
export interface CountedPrompt {
  readonly code: string;
  /** Texts that it consists of, each with a frame around it. */
  readonly parts: number;
  readonly tokens: number;
}

/** Tokens of parts of prompts. */
export interface PartCount {
  /** Counts words of a code; may be fractional. */
  readonly count: CodeCount;
  /** Tokens before the first text, and between two: those of a template. */
  readonly frameTokens: number;
  /** Tokens after the last text. */
  readonly endTokens: number;
}

/** Prompts that counters are compared on. */
const MAX_SAMPLES = 48;
/** Largest spread of the difference to the server's counts that a counter of its tokens has. */
const MAX_SPREAD = 0.01;
const LEAST_SPREAD = 2;
/** Samples at each end that a spread leaves out: text may be read as other tokens. */
const OUTLIERS = 0.1;
/** Tokens that a template has after the last text at most: the end of a turn and the next role. */
const MAX_END_TOKENS = 5;
/**
 * Finds how to count parts of prompts: by the tokens of their codes, or by their words.
 * @param prompts with codes that have tokens or, if no counter of them is known, none
 */
export function partCount(prompts: readonly CountedPrompt[]): PartCount {
  const step = Math.max(1, Math.floor(prompts.length / MAX_SAMPLES));
  const samples = prompts.filter((_, at) => at % step === 0).slice(0, MAX_SAMPLES);
  const hasTokens = samples.some(({ code }) => countTokens(code) > 0);
  const fits = [...(hasTokens ? [countTokens] : []), countWords]
    .map((count) => fitOf(count, samples));
  const [best] = fits.toSorted((a, b) => a.spread - b.spread);
  if (best === undefined || samples.length === 0) {
    return { count: countWords, frameTokens: 0, endTokens: 0 };
  }
  if (best.spread <= Math.max(LEAST_SPREAD, MAX_SPREAD * best.meanTokens) && best.offset >= -1) {
    const perPart = Math.max(0, best.offset) / best.meanParts;
    const endTokens = Math.min(MAX_END_TOKENS, perPart / 2);
    return { count: best.count, frameTokens: perPart - endTokens, endTokens };
  }
  const [steady] = fits.toSorted((a, b) => a.ratioSpread - b.ratioSpread);
  const { count, ratio } = steady ?? best;
  return { count: (...part) => count(...part) * ratio, frameTokens: 0, endTokens: 0 };
}

interface Fit {
  readonly count: CodeCount;
  /** Median of the server's count minus this one, and its range without outliers. */
  readonly offset: number;
  readonly spread: number;
  readonly ratio: number;
  readonly ratioSpread: number;
  readonly meanTokens: number;
  readonly meanParts: number;
}

function fitOf(count: CodeCount, samples: readonly CountedPrompt[]): Fit {
  const counts = samples.map(({ code }) => count(code));
  const offsets = samples.map(({ tokens }, at) => tokens - (counts[at] as number));
  const ratios = samples.map(({ tokens }, at) => tokens / Math.max(1, counts[at] as number));
  return {
    count,
    ...{ offset: medianOf(offsets), spread: spreadOf(offsets) },
    ratio: arithmeticMean(samples.map(({ tokens }) => tokens)) /
      Math.max(1, arithmeticMean(counts)),
    ratioSpread: spreadOf(ratios),
    meanTokens: arithmeticMean(samples.map(({ tokens }) => tokens)),
    meanParts: Math.max(1, arithmeticMean(samples.map(({ parts }) => parts))),
  };
}

function medianOf(values: readonly number[]): number {
  return values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? NaN;
}

/** From the smallest to the largest value, without {@linkcode OUTLIERS}. */
function spreadOf(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b);
  const left = Math.floor(values.length * OUTLIERS);
  return (sorted.at(-1 - left) ?? NaN) - (sorted[left] ?? NaN);
}
