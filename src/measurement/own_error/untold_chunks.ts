import type { Shadow } from "../canary/canary_kind.ts";
import type { WorkerDelays } from "./canary_delays.ts";
import { latestMedianNs } from "./percentile_of_known.ts";

/**
 * Minimum ratio of the time between tokens to the read delay of canaries. Below it, tokens may wait
 * for one another: of 100 tokens written at once to 8 streams, the last were read 20 ms later than
 * canaries were.
 */
const MIN_APART = 4;

/** How the replies of a run, and its canaries, are read. */
export interface ReadingFacts {
  /** Whether by the runtime's own client, one piece of a reply after the other. */
  readonly isByFetch: boolean;
  /** Whether canaries are read in another way than replies. */
  readonly areCanariesOther: boolean;
  /** Usual time between the tokens of a reply; undefined where none has two. */
  readonly itlMs: number | undefined;
}

/** Returns the chunks whose read delay canaries do not show. */
export function untoldChunks(
  { areCanariesOther, isByFetch, itlMs }: ReadingFacts,
  canaries: ReadonlyMap<number, WorkerDelays>,
): readonly Shadow[] {
  if (areCanariesOther) return ["first", "second", "last"];
  if (!isByFetch || itlMs === undefined) return [];
  return itlMs * 1e6 < MIN_APART * latestMedianNs(canaries) ? ["second", "last"] : [];
}
