/**
 * A run in blocks of consecutive requests: what a bootstrap draws from.
 *
 * Requests that follow each other are not independent: they share batches, queues and a machine's
 * good and bad moments. Blocks of neighbours keep that together. A block has at least as many
 * requests as were in flight on average; what blocks still have in common with their neighbours is
 * measured (see `dependence.ts`).
 */

import type { RunSample } from "./run_sample.ts";

/** Most and fewest blocks of a run. */
export const MAX_BLOCKS = 64;
const MIN_BLOCKS = 8;

/** Requests, tokens, failures and time of each block; the time is NaN where it tells no rates. */
export interface BlockTotals {
  readonly requests: Float64Array;
  readonly succeeded: Float64Array;
  /** Successful requests and tokens as rates count them. */
  readonly completed: Float64Array;
  readonly tokens: Float64Array;
  readonly seconds: Float64Array;
  /** Cost of the servers during each block; NaN if their price is not known. */
  readonly cost: Float64Array;
}

/** See the module's comment. */
export interface BlockedRun {
  readonly sample: RunSample;
  readonly blocks: number;
  /** The block of each request. */
  readonly blockOf: Uint16Array;
  readonly totals: BlockTotals;
}

/** Divides a run into blocks. */
export function blockedRun(sample: RunSample): BlockedRun {
  const requests = sample.startSeconds.length;
  const first = Math.min(MAX_BLOCKS, requests / Math.max(2, meanInFlight(sample)));
  return divided(sample, Math.min(requests, Math.max(MIN_BLOCKS, Math.floor(first))));
}

function meanInFlight(sample: RunSample): number {
  const { startSeconds, endSeconds } = sample;
  const busy = endSeconds.reduce(
    (sum, end, i) => Number.isNaN(end) ? sum : sum + end - (startSeconds[i] as number),
    0,
  );
  return busy === 0 ? 0 : busy / sample.durationSeconds;
}

function divided(sample: RunSample, blocks: number): BlockedRun {
  const { startSeconds, endSeconds, columns } = sample;
  const rows = startSeconds.length;
  const totals: BlockTotals = {
    requests: new Float64Array(blocks),
    succeeded: new Float64Array(blocks),
    completed: new Float64Array(blocks),
    tokens: new Float64Array(blocks),
    seconds: new Float64Array(blocks),
    cost: new Float64Array(blocks),
  };
  const blockOf = new Uint16Array(rows);
  const tokens = columns.get("output_sequence_length");
  const firstSeconds = new Float64Array(blocks + 1).fill(sample.durationSeconds);
  for (let row = rows - 1; row >= 0; row--) {
    const block = Math.floor(row * blocks / rows);
    blockOf[row] = block;
    firstSeconds[block] = startSeconds[row] as number;
    (totals.requests[block] as number)++;
    if (Number.isNaN(endSeconds[row])) continue;
    (totals.succeeded[block] as number)++;
    (totals.completed[block] as number)++;
    (totals.tokens[block] as number) += tokens?.[row] || 0;
  }
  for (let block = 0; block < blocks; block++) {
    const seconds = (firstSeconds[block + 1] as number) - (firstSeconds[block] as number);
    totals.seconds[block] = sample.hasRates ? Math.max(0, seconds) : NaN;
    totals.cost[block] = (totals.seconds[block] as number) / 3600 * (sample.costPerHour ?? NaN);
  }
  scale(totals.completed, sample.rates?.requests, sample.durationSeconds);
  scale(totals.tokens, sample.rates?.tokens, sample.durationSeconds);
  return { sample, blocks, blockOf, totals };
}

/** Scales counts so that they add up to a rate over the whole run, if the rate is known. */
function scale(counts: Float64Array, rate: number | undefined, seconds: number): void {
  const sum = counts.reduce((sum, count) => sum + count, 0);
  if (rate === undefined || !(rate >= 0) || sum === 0) return;
  const factor = rate * seconds / sum;
  counts.forEach((count, block) => counts[block] = count * factor);
}

/** Resamples the blocks of each run with replacement, and sets the weight of each block. */
export function drawBlocks(
  runs: readonly BlockedRun[],
  weights: Uint16Array,
  random: () => number,
): void {
  weights.fill(0);
  let first = 0;
  for (const { blocks } of runs) {
    for (let i = 0; i < blocks; i++) {
      (weights[first + Math.floor(random() * blocks)] as number)++;
    }
    first += blocks;
  }
}
