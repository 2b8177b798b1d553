import type { VerdictCounts } from "../../measurement/answers/answer_tally.ts";
import { ANOMALY_KINDS } from "../../measurement/answers/anomaly_kinds.ts";
import { INVALID_REASONS, INVALID_REPLY } from "../../measurement/answers/invalid_reason.ts";
import type { ProfileReport } from "../model/profile_report.ts";
import { LABEL_WIDTH, labelled } from "./labelled_lines.ts";
import { countedText, significantText, wholeNumber } from "./number_text.ts";
import { printableText } from "./printable_text.ts";
import { wrapItems } from "./wrap_items.ts";

/** Lines about the answers of a run; none if nothing was found. */
export function answersLines({ answers }: Pick<ProfileReport, "answers">, width: number): string[] {
  return labelled("answers", wrapItems(answersItems({ answers }), width - LABEL_WIDTH));
}

/** Findings about the answers of a run, a phrase each. */
export function answersItems({ answers }: Pick<ProfileReport, "answers">): string[] {
  return answers === undefined ? [] : [
    ...verdictItems("correct", answers.correct),
    ...wrongItems(answers),
    ...verdictItems("valid", answers.valid, answers.uncheckedForm),
    ...invalidItems(answers),
    ...driftItems(answers),
    ...anomalyItems(answers),
  ];
}

function verdictItems(
  name: string,
  counts: VerdictCounts | undefined,
  uncheckedReason?: string,
): string[] {
  if (counts === undefined) return [];
  const { no, unchecked, yes } = counts;
  const checked = yes + no;
  const share = significantText(yes / checked * 100, { maxDecimals: 1 });
  return [
    ...(checked === 0
      ? []
      : [`${name} ${share} % (${wholeNumber(yes)} of ${wholeNumber(checked)} replies)`]),
    ...(unchecked === 0 ? [] : [
      `${name} not checked in ${wholeNumber(unchecked)} replies` +
      (uncheckedReason === undefined ? "" : `: ${printableText(uncheckedReason)}`),
    ]),
  ];
}

function wrongItems({ wrong: [first] = [] }: NonNullable<ProfileReport["answers"]>): string[] {
  return first?.flaw === undefined
    ? []
    : [`first wrong answer: request ${first.request}, ${printableText(first.flaw)}`];
}

function invalidItems({ invalid }: NonNullable<ProfileReport["answers"]>): string[] {
  const found = INVALID_REASONS.filter((reason) => (invalid?.byReason[reason] ?? 0) > 0);
  if (invalid === undefined || found.length === 0) return [];
  const { byReason, examples: [first], tokens } = invalid;
  const reasons = found.map((reason) => `${wholeNumber(byReason[reason])} ${reason}`);
  return [
    `${INVALID_REPLY} ${reasons.join(", ")}; ${wholeNumber(tokens)} tokens` +
    (first?.flaw === undefined ? "" : `; first: ${printableText(first.flaw)}`),
  ];
}

function driftItems({ drift }: NonNullable<ProfileReport["answers"]>): string[] {
  if (drift === undefined) return [];
  const percent = (share: number): string => significantText(share * 100, { maxDecimals: 1 });
  const { divergence, lower, noiseFloor, sample, underLoad, upper } = drift;
  return [
    `drift ${percent(underLoad)} % under load, ${percent(noiseFloor)} % without load, difference ` +
    `${percent(lower)} to ${percent(upper)} % (${countedText(sample, "prompt")})`,
    ...(divergence === undefined ? [] : [
      `first difference after ${wholeNumber(divergence.position)} characters (median), length ` +
      `x ${significantText(divergence.lengthRatio)}`,
    ]),
  ];
}

function anomalyItems({ anomalies }: NonNullable<ProfileReport["answers"]>): string[] {
  const { byKind, checked, replies } = anomalies;
  if (replies === 0) return [];
  const share = significantText(replies / checked * 100, { maxDecimals: 1 });
  const kinds = ANOMALY_KINDS.filter((kind) => byKind[kind] > 0)
    .map((kind) => `${wholeNumber(byKind[kind])} ${kind}`);
  return [
    `anomalies in ${wholeNumber(replies)} of ${wholeNumber(checked)} replies (${share} %): ` +
    kinds.join(", "),
  ];
}
