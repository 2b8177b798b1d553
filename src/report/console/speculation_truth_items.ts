import type { SpeculationTruth } from "../model/speculation_truth.ts";
import type { TruthPart } from "../model/truth_part.ts";
import { percentText, significantText, wholeNumber } from "./number_text.ts";

/** Items of the line about speculative decoding; none without drafts. */
export function speculationTruthItems({ values }: TruthPart<SpeculationTruth>): string[] {
  const { acceptance_rate: rate, acceptance_length: length, tokens_per_step: perStep } = values;
  if (rate === null && length === null) return [];
  const byRequest = [
    ...(values.acceptance_rate_request_mean === null
      ? []
      : [percentText(values.acceptance_rate_request_mean)]),
    ...(values.acceptance_length_request_mean === null
      ? []
      : [significantText(values.acceptance_length_request_mean)]),
  ];
  const { requests_with_drafts: drafted, requests_without_drafts: others } = values;
  return [
    ...(rate === null
      ? []
      : [`accepted ${percentText(rate)}${values.source === "gauge" ? " (last interval)" : ""}`]),
    ...(length === null ? [] : [
      `acceptance length ${significantText(length)}` +
      (values.length_source === "gauge" ? " (server's gauge)" : ""),
    ]),
    ...(values.per_position.length === 0
      ? []
      : [`by position ${values.per_position.map(percentText).join(", ")}`]),
    ...(perStep === null ? [] : [`${significantText(perStep)} tokens/step`]),
    ...(values.drafted_share === null || values.drafted_share > 0.995
      ? []
      : [`${percentText(values.drafted_share)} of steps with a draft`]),
    ...(byRequest.length === 0 ? [] : [`mean of requests ${byRequest.join(", ")}`]),
    ...(drafted === null || others === null || others === 0
      ? []
      : [`${others} of ${drafted + others} requests without drafts`]),
    ...(values.accepted_not_sent === null || values.accepted_not_sent === 0
      ? []
      : [`${wholeNumber(values.accepted_not_sent)} accepted tokens not sent`]),
  ];
}
