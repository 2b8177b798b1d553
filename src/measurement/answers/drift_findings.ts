import { percentile } from "../../core/statistics/percentile.ts";
import { fnv1a } from "../../core/statistics/fnv1a.ts";
import { commonLength } from "./common_length.ts";
import { excerpt } from "./excerpt.ts";
import { type PairCounts, pairedDifference } from "./paired_difference.ts";

/** Differences that are kept with their texts. */
const MAX_EXAMPLES = 10;

/** Requests of the sample under load, which servers count. */
export interface SampleTraffic {
  readonly requests: number;
  /** Tokens by the usage in the replies; undefined if a reply had none. */
  readonly promptTokens?: number | undefined;
  readonly completionTokens?: number | undefined;
}

/** Answers to a sample of prompts; undefined where a prompt was not asked, or its request failed. */
export interface SampleAnswers {
  /** Fingerprints of the prompts: equal for prompts that ask the same of any model. */
  readonly prompts: readonly number[];
  readonly before: readonly (string | undefined)[];
  readonly under: readonly (string | undefined)[];
  readonly after: readonly (string | undefined)[];
  /** Undefined if a request under load failed: servers may have counted it or not. */
  readonly traffic?: SampleTraffic | undefined;
}

/** An answer that differs under load. */
export interface DriftExample {
  /** Number of the prompt in the sample. */
  readonly prompt: number;
  /** Excerpts of the answers without and under load, around the first difference. */
  readonly alone: string;
  readonly underLoad: string;
  /** Characters that both begin with. */
  readonly position: number;
}

/** Prompt of the sample and its answers as numbers, which equal texts have in common. */
export interface AnswerFingerprints {
  readonly prompt: number;
  /** Answers before, under and after the load. */
  readonly before: number;
  readonly under: number;
  readonly after: number;
}

/** Results of `--verify drift`. */
export interface DriftFindings {
  /** Prompts of the sample, and those with an answer in all three passes. */
  readonly wanted: number;
  readonly sample: number;
  /** Share of the sample whose answer under load differs from the one before. */
  readonly underLoad: number;
  /** Share of the sample whose answers before and after the load differ. */
  readonly noiseFloor: number;
  /** 95 % confidence interval of the share under load minus the noise floor. */
  readonly lower: number;
  readonly upper: number;
  /** Medians over the answers that differ under load; undefined if there are none. */
  readonly divergence?: {
    /** Characters before the first difference. */
    readonly position: number;
    /** Length under load divided by the length before. */
    readonly lengthRatio: number;
  } | undefined;
  readonly examples: readonly DriftExample[];
  /** A row for each prompt of the sample; none in bundles without texts. */
  readonly fingerprints?: readonly AnswerFingerprints[];
  /** Requests of the sample under load; absent if one of them failed. */
  readonly traffic?: SampleTraffic | undefined;
}

/** Compares the answers to a sample; undefined if no prompt was answered in all three passes. */
export function driftFindings(
  { prompts, before, under, after, traffic }: SampleAnswers,
): DriftFindings | undefined {
  const counts = { both: 0, onlyFirst: 0, onlySecond: 0, neither: 0 };
  const positions: number[] = [];
  const ratios: number[] = [];
  const examples: DriftExample[] = [];
  const fingerprints: AnswerFingerprints[] = [];
  before.forEach((alone, prompt) => {
    const [underLoad, again] = [under[prompt], after[prompt]];
    if (alone === undefined || underLoad === undefined || again === undefined) return;
    counts[kindOf(underLoad !== alone, again !== alone)]++;
    fingerprints.push({
      prompt: prompts[prompt] as number,
      before: fingerprintOf(alone),
      under: fingerprintOf(underLoad),
      after: fingerprintOf(again),
    });
    if (underLoad === alone) return;
    const position = commonLength(alone, underLoad);
    positions.push(position);
    if (alone.length > 0) ratios.push(underLoad.length / alone.length);
    if (examples.length < MAX_EXAMPLES) {
      examples.push({
        ...{ prompt, position },
        alone: excerpt(alone, position),
        underLoad: excerpt(underLoad, position),
      });
    }
  });
  const sample = counts.both + counts.onlyFirst + counts.onlySecond + counts.neither;
  if (sample === 0) return undefined;
  const { lower, upper } = pairedDifference(counts);
  return {
    ...{ wanted: prompts.length, sample, lower, upper, examples, fingerprints, traffic },
    underLoad: (counts.both + counts.onlyFirst) / sample,
    noiseFloor: (counts.both + counts.onlySecond) / sample,
    ...(positions.length === 0
      ? {}
      : { divergence: { position: median(positions), lengthRatio: median(ratios) } }),
  };
}

const encoder = new TextEncoder();

function fingerprintOf(text: string): number {
  return fnv1a(encoder.encode(text));
}

function kindOf(differsUnderLoad: boolean, differsAlone: boolean): keyof PairCounts {
  if (differsUnderLoad) return differsAlone ? "both" : "onlyFirst";
  return differsAlone ? "onlySecond" : "neither";
}

function median(values: readonly number[]): number {
  return percentile(Float64Array.from(values).sort(), 50);
}
