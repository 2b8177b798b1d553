// @ts-types="npm:@types/d3-random@3.0.4"
import { randomNormal } from "npm:d3-random@3.0.2";
import type { DatasetPlan, RunPlan, TurnsPlan } from "../../../config/plan/run_plan.ts";
import { randomStream } from "../../../core/statistics/random_stream.ts";
import { tokenLength } from "./token_lengths.ts";
import { turnDelayNs } from "../conversations/turn_delay.ts";

/** Turns of all conversations of a dataset, in order. */
export interface SyntheticTurns {
  /** All of them, and those of warm-up among them, which come last. */
  readonly count: number;
  readonly warmupCount: number;
  /** A turn by its number: whether a conversation begins with it, and the time before it. */
  of(index: number): { readonly isFirst: boolean; readonly delayNs: number };
}

/** Conversations of one turn each, however many there are. */
export const ONE_TURN_EACH: SyntheticTurns = {
  count: NaN,
  warmupCount: NaN,
  of: () => ({ isFirst: true, delayNs: 0 }),
};

/**
 * Draws how many turns each conversation has and how long its user pauses before each. Numbers of
 * turns are normally distributed and rounded up, at least 1; pauses are normally distributed, never
 * negative, and zero before a first turn. Both depend only on seed and number.
 */
export function drawTurns(
  { seed, turnDelays }: Pick<RunPlan, "seed" | "turnDelays">,
  { entries, warmupEntries }: Extract<DatasetPlan, { source: "synthetic" }>,
  { mean, stddev, delayMeanMs, delayStddevMs, delayRatio }: TurnsPlan,
): SyntheticTurns {
  const firsts = new Set<number>();
  let count = 0;
  let profilingCount = 0;
  for (let conversation = 0; conversation < entries + warmupEntries; conversation++) {
    firsts.add(count);
    count += tokenLength(mean, stddev, seed, "dataset.turns", conversation);
    if (conversation === entries - 1) profilingCount = count;
  }
  return {
    count,
    warmupCount: count - profilingCount,
    of(index) {
      const isFirst = firsts.has(index);
      if (isFirst || delayMeanMs + delayStddevMs === 0) return { isFirst, delayNs: 0 };
      const random = randomStream(seed, "dataset.turn_delay", index);
      const drawnMs = randomNormal.source(random)(delayMeanMs, delayStddevMs)();
      return { isFirst, delayNs: turnDelayNs(drawnMs * delayRatio, turnDelays) };
    },
  };
}
