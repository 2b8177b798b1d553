import { bestTrials, isWithin, LIMIT_SHARES, type Trial, VALID_SHARE } from "./trial.ts";

/** Load of the trial that comes next. */
export type TrialLoad = Pick<Trial, "workers" | "streams">;

/** Streams that every number of workers begins with. */
const FIRST_STREAMS = 8;
/** By how much they grow, until a metric is beyond what is valid. */
const GROWTH = 4;
/**
 * Ratio of streams between a limit and the next trial beyond it at which the limit is precise
 * enough.
 */
const CLOSE = 1.25;
/** Number of significant binary digits in numbers of streams. */
const DIGITS = 4;
/**
 * Attempts per trial: a trial that fails is repeated, since another process may have caused CPU
 * contention.
 */
const TRIES = 2;

const [SMALL_SHARE] = LIMIT_SHARES;

/** A way to choose streams from the trials of a number of workers; undefined if none are left. */
type Step = (trials: readonly Trial[], maxStreams: number) => number | undefined;

/** Steps of the search, most useful first. */
const STEPS: readonly Step[] = [
  grown,
  (trials) => repeated(trials, VALID_SHARE),
  (trials) => between(trials, VALID_SHARE),
  (trials) => repeated(trials, SMALL_SHARE),
  halved,
  (trials) => between(trials, SMALL_SHARE),
];

/**
 * Chooses the most informative trial: streams grow until a metric is beyond 5 %, then the limits
 * are narrowed down; all numbers of workers take part in each step, so that little time is shared.
 * @param workerCounts numbers of workers to try
 * @param maxStreams most that this process can open
 * @returns undefined if there is nothing left to find
 */
export function nextTrial(
  trials: readonly Trial[],
  workerCounts: readonly number[],
  maxStreams: number,
): TrialLoad | undefined {
  for (const step of STEPS) {
    const loads = workerCounts.flatMap((workers) => {
      const streams = step(trials.filter((trial) => trial.workers === workers), maxStreams);
      return streams === undefined ? [] : [{ workers, streams }];
    });
    const [least] = loads.sort((a, b) => a.streams - b.streams);
    if (least !== undefined) return least;
  }
  return undefined;
}

/** More streams, as long as all is well. */
function grown(trials: readonly Trial[], maxStreams: number): number | undefined {
  const last = bestTrials(trials).at(-1);
  if (last === undefined) return Math.min(FIRST_STREAMS, maxStreams);
  if (!isWithin(last.errors, VALID_SHARE) || last.streams >= maxStreams) return undefined;
  return Math.min(GROWTH * last.streams, maxStreams);
}

/** The first load that was too much, once more. */
function repeated(trials: readonly Trial[], share: number): number | undefined {
  const failed = bestTrials(trials).find(({ errors }) => !isWithin(errors, share));
  const tries = trials.filter(({ streams }) => streams === failed?.streams).length;
  return tries < TRIES ? failed?.streams : undefined;
}

/** Half of the least streams, if even those were too much. */
function halved(trials: readonly Trial[]): number | undefined {
  const least = bestTrials(trials)[0];
  if (least === undefined || least.streams === 1) return undefined;
  return isWithin(least.errors, SMALL_SHARE) ? undefined : Math.floor(least.streams / 2);
}

/** Between the most streams that were within a share and the next that were not. */
function between(trials: readonly Trial[], share: number): number | undefined {
  const known = bestTrials(trials);
  const failed = known.findIndex(({ errors }) => !isWithin(errors, share));
  const [good, bad] = [known[failed - 1]?.streams, known[failed]?.streams];
  if (good === undefined || bad === undefined || bad <= CLOSE * good) return undefined;
  const middle = rounded(Math.sqrt(good * bad));
  return middle > good && middle < bad ? middle : undefined;
}

function rounded(streams: number): number {
  const unit = 2 ** Math.max(0, Math.floor(Math.log2(streams)) + 1 - DIGITS);
  return Math.round(streams / unit) * unit;
}
