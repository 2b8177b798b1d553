import type { ProfileSettings } from "../../options/profile/profile_options.ts";
import { UsageError } from "../../options/usage_error.ts";
import { sharedPrefix } from "./shared_prefix.ts";

/** Tokens of a block in most servers. */
const USUAL_BLOCK_TOKENS = 16;
const NO_LENGTHS = { count: 1, stepTokens: 0 } as const;
/** Warm-up requests for each server: the second one finds what the first one has put there. */
const WARMUP_PER_SERVER = 2;

/** Settings of prompts that prefix caches can have a fraction of. */
type HitRateSettings = Pick<
  ProfileSettings,
  | "prefixHitRate"
  | "isl"
  | "numPrefixPrompts"
  | "prefixPromptLength"
  | "url"
  | "warmupRequestCount"
  | "numWarmupSessions"
  | "warmupDuration"
  | "warmupConcurrency"
>;

/**
 * Returns the settings that `--prefix-hit-rate` stands for: a shared prefix of that fraction of the
 * prompt, of which they have the shortest length, and a warm-up that puts it into the caches, unless
 * another warm-up is set.
 * @throws {UsageError} if prompts are too short for it
 */
export function withPrefixHitRate<S extends HitRateSettings>(settings: S): S {
  const { isl, prefixHitRate: rate } = settings;
  if (rate === undefined || rate === 0) return settings;
  const { tokens: prefix, lengths: { count, stepTokens } = NO_LENGTHS } = sharedPrefix(isl, rate);
  const mean = Math.round(prefix + (count - 1) * stepTokens / 2);
  if (mean < USUAL_BLOCK_TOKENS) {
    throw new UsageError(
      "--prefix-hit-rate",
      `The shared prefix would have ${mean} tokens, less than a block of a cache: raise --isl`,
    );
  }
  const { numWarmupSessions, url, warmupConcurrency, warmupDuration, warmupRequestCount } =
    settings;
  const hasWarmup = [numWarmupSessions, warmupDuration, warmupRequestCount]
    .some((bound) => bound !== undefined);
  return {
    ...settings,
    isl: isl - prefix,
    numPrefixPrompts: 1,
    prefixPromptLength: prefix,
    ...(hasWarmup ? {} : {
      warmupRequestCount: WARMUP_PER_SERVER * url.length,
      warmupConcurrency: warmupConcurrency ?? 1,
    }),
  };
}
