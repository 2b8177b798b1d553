/** Validity of a run, as a sentence, and its reasons. */

import { countedText, countText } from "../../core/chart/figure_text.ts";
import { escapedMarkup } from "../../core/chart/markup.ts";
import { incompleteText } from "../model/incomplete_tag.ts";
import type { ProfileReport } from "../model/profile_report.ts";
import type { ErrorVerdict } from "../../measurement/own_error/measurement_error.ts";
import type { RunView } from "./run_view.ts";

/** See the module's comment. */
export interface Verdict {
  readonly sentence: string;
  readonly reasons: readonly string[];
  readonly isDoubtful: boolean;
}

const WORTH: Readonly<Record<ErrorVerdict, string>> = {
  valid: "Valid: the client error is small",
  suspect: "Suspect: the client may have distorted some results",
  invalid: "Invalid: the client error is too large relative to the measured latencies",
};

/** The verdict on a run. */
export function verdictOf({ report, source }: RunView): Verdict {
  const { requests, clientHealth, measurementError } = report;
  // Where the error was measured, signs of one say no more.
  const problems = measurementError === undefined ? clientHealth.problems : [];
  const partial = partialTexts(report);
  const failures = requests.failed === 0 ? "none failed" : `${countText(requests.failed)} failed`;
  const counts =
    `${countedText(requests.sent, "request")} sent, ${countText(requests.succeeded)} ` +
    `succeeded, ${failures}` +
    (requests.cancelledOnPurpose === 0
      ? ""
      : `, ${countText(requests.cancelledOnPurpose)} cancelled on purpose`);
  if (requests.succeeded === 0) {
    return { sentence: `No request succeeded: ${counts}`, reasons: partial, isDoubtful: true };
  }
  const word = measurementError?.verdict ?? (clientHealth.ok ? undefined : "suspect");
  const worth = source !== undefined
    ? `Measured by ${source}, which does not report its own error`
    : word === undefined
    ? "No sign of client-side distortion"
    : WORTH[word];
  const [first, ...others] = [...partial, `${worth}. ${counts}.`];
  return {
    sentence: first as string,
    reasons: [...new Set([...others, ...measurementError?.reasons ?? [], ...problems])],
    isDoubtful: (word ?? "valid") !== "valid" || partial.length > 0,
  };
}

/** Why results are partial; empty if they are not. */
export function partialTexts(report: ProfileReport): string[] {
  const incomplete = incompleteText(report.tags);
  if (incomplete !== undefined) return [`Incomplete: ${incomplete}`];
  if (report.wasCancelled) return ["Partial results: the run was interrupted"];
  if (report.endedEarly !== undefined) {
    return [`Partial results: the run ended early: ${report.endedEarly}`];
  }
  return report.isComplete
    ? []
    : ["Partial results: not all planned requests were sent and completed"];
}

/** The verdict's markup. */
export function verdictBlock(verdict: Verdict): string {
  const { sentence, reasons, isDoubtful } = verdict;
  const list = reasons.length === 0
    ? ""
    : `<ul>${reasons.map((reason) => `<li>${escapedMarkup(reason)}</li>`).join("")}</ul>`;
  return `<div class="verdict${isDoubtful ? " doubtful" : ""}" role="note">` +
    `<strong>${escapedMarkup(sentence)}</strong>${list}</div>\n`;
}
