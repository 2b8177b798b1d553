import type { TruthInput, TruthPart } from "./truth_part.ts";

/** Mean milliseconds of each part of the time to first token, by its name; they add up. */
export type TtftSplit = Readonly<Record<string, number | null>>;

/** The parts of the time to first token that servers report. */
export function ttftSplit(_input: TruthInput): TruthPart<TtftSplit> {
  return { values: {}, reasons: { "": "the times of the servers are not joined" } };
}
