import type { ScriptedDrafts } from "../client/endpoint/protocol/reply_writer.ts";
import type { RandomStream } from "../core/statistics/random_stream.ts";

/** Speculative decoding of a server. */
export interface Drafting {
  /** Tokens of a draft. */
  readonly draftTokens: number;
  /** Probability that a draft token is accepted if those before it were, from 0 to 1. */
  readonly acceptance: number;
}

/** An answer's tokens step by step: the first token, then one and what was accepted of each draft. */
export interface DraftedSteps {
  /** Tokens of each step; together all of the answer. */
  readonly steps: readonly number[];
  /** Accepted tokens include those that the end of the answer cut off. */
  readonly counts: ScriptedDrafts;
}

/** Draws which tokens of drafts are accepted, until an answer is complete. */
export function draftSteps(
  outputTokens: number,
  { acceptance, draftTokens }: Drafting,
  random: RandomStream,
): DraftedSteps {
  const steps: number[] = outputTokens > 0 ? [1] : [];
  const histogram = new Array<number>(draftTokens + 1).fill(0);
  for (let sent = 1; sent < outputTokens;) {
    let accepted = 0;
    while (accepted < draftTokens && random() < acceptance) accepted++;
    (histogram[accepted] as number)++;
    const tokens = Math.min(1 + accepted, outputTokens - sent);
    steps.push(tokens);
    sent += tokens;
  }
  const drafts = histogram.reduce((sum, count) => sum + count, 0);
  return {
    steps,
    counts: {
      ...{ drafts, draftTokens: drafts * draftTokens, histogram },
      accepted: histogram.reduce((sum, count, accepted) => sum + count * accepted, 0),
    },
  };
}
