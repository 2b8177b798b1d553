import { randomStream } from "../statistics/random_stream.ts";

/** Range of the share of their recorded time at which sessions are entered. */
export interface StartRatios {
  readonly min: number;
  readonly max: number;
}

/**
 * Returns the share of its recorded time at which a session is entered: 0 for its beginning. It
 * depends only on the seed and the session's number.
 * @param seed of the run
 * @param ratios undefined if sessions start at their beginning
 * @param session number of the session in the whole run
 */
export function startRatio(
  seed: number,
  ratios: StartRatios | undefined,
  session: number,
): number {
  if (ratios === undefined) return 0;
  const { min, max } = ratios;
  return min + (max - min) * randomStream(seed, "agents.start", session)();
}
