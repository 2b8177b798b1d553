/** What a run is worth, as a sentence, and why. */

import { countText } from "../chart/figure_text.ts";
import { escapedMarkup } from "../chart/markup.ts";
import type { ErrorBounds } from "./error_bounds.ts";
import type { RunView } from "./run_view.ts";

/** See the module's comment. */
export interface Verdict {
  readonly sentence: string;
  readonly reasons: readonly string[];
  readonly isDoubtful: boolean;
}

/** The verdict on a run. */
export function verdictOf({ report, errorBounds }: RunView): Verdict {
  const { requests, clientHealth } = report;
  const partial = report.wasCancelled
    ? ["The run was interrupted: results are partial"]
    : report.endedEarly !== undefined
    ? [`The run ended early: ${report.endedEarly}`]
    : report.isComplete
    ? []
    : ["Not everything that was to be sent was sent and ended"];
  const failures = requests.failed === 0
    ? "none failed"
    : `${countText(requests.failed)} failed`;
  const counts = `${countText(requests.sent)} requests sent, ${countText(requests.succeeded)} ` +
    `succeeded, ${failures}`;
  if (requests.succeeded === 0) {
    return { sentence: `No request succeeded: ${counts}`, reasons: partial, isDoubtful: true };
  }
  const isValid = errorBounds === undefined
    ? clientHealth.ok
    : errorBounds.verdict.toLowerCase() === "valid";
  const worth = isValid
    ? errorBounds === undefined
      ? "The client itself did not disturb what it measured"
      : "Valid: the client's own error is small"
    : `${capital(errorBounds?.verdict ?? "suspect")}: the client itself may have shaped the results`;
  const [first, ...others] = [...partial, `${worth}. ${counts}.`];
  return {
    sentence: first as string,
    reasons: [...others, ...reasonsOf(errorBounds, clientHealth.problems)],
    isDoubtful: !isValid || partial.length > 0,
  };
}

function reasonsOf(bounds: ErrorBounds | undefined, problems: readonly string[]): string[] {
  return [...new Set([...bounds?.reasons ?? [], ...problems])];
}

function capital(word: string): string {
  const lower = word.toLowerCase();
  return lower.charAt(0).toUpperCase() + lower.slice(1);
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
