import type { SpeculationTruth } from "../model/speculation_truth.ts";
import type { TruthPart } from "../model/truth_part.ts";
import { significantText } from "./number_text.ts";

/** Items of the line about speculative decoding. */
export function speculationTruthItems({ values }: TruthPart<SpeculationTruth>): string[] {
  const { acceptance_rate: rate, acceptance_length: length } = values;
  return [
    ...(rate === null ? [] : [`accepted ${significantText(rate * 100, { maxDecimals: 1 })} %`]),
    ...(length === null ? [] : [`length ${significantText(length)}`]),
  ];
}
