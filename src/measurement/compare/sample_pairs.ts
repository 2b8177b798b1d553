import type { AnswerFingerprints } from "../answers/drift_findings.ts";
import { runPairs } from "./run_pairs.ts";
import type { RunSample } from "./run_sample.ts";

/** Answers of two sides to one prompt of the sample. */
export type SamplePair = readonly [before: AnswerFingerprints, after: AnswerFingerprints];

/** Prompts that the samples of both sides have, of the first runs, of the second ones, and so on. */
export function samplePairs(
  before: readonly RunSample[],
  after: readonly RunSample[],
): SamplePair[] {
  return runPairs(before, after).flatMap(([one, other]) => {
    const partners = new Map(other.answers?.sample?.map((row) => [row.prompt, row]));
    return (one.answers?.sample ?? []).flatMap((row): SamplePair[] => {
      const partner = partners.get(row.prompt);
      // A prompt that the sample has twice has one partner.
      partners.delete(row.prompt);
      return partner === undefined ? [] : [[row, partner]];
    });
  });
}
