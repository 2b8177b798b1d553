import { tokenLength } from "./token_lengths.ts";

/** Returns the output tokens of a prompt that does not specify them; undefined for none. */
export function outputLength(
  { outputTokensMean: mean, outputTokensStddev: stddev }: {
    readonly outputTokensMean: number | undefined;
    readonly outputTokensStddev: number;
  },
  seed: number,
  index: number,
): number | undefined {
  return mean === undefined ? undefined : tokenLength(mean, stddev, seed, "dataset.osl", index);
}
