/** Marks of verdicts: each has its own form and its own word, so that no colour is needed. */

import type { CellVerdict } from "../../measurement/sampling/cell_verdict.ts";
import { gateOutcome, gateOutcomeText } from "../console/gate_outcome.ts";
import type { ProfileReport } from "../model/profile_report.ts";

/** Form of a mark. */
export type MarkName = "valid" | "suspect" | "unproven" | "invalid";

const WORDS: Readonly<Record<MarkName, string>> = {
  valid: "valid",
  suspect: "suspect",
  unproven: "not proven",
  invalid: "invalid",
};

const SHAPES: Readonly<Record<MarkName, string>> = {
  valid: '<circle cx="8" cy="8" r="7.2" fill="currentColor"/>' +
    '<path d="M4.6 8.3l2.3 2.4 4.5-5" fill="none" stroke="var(--bg)" stroke-width="1.9"/>',
  suspect: '<path d="M8 1.2L15.4 14.6H.6z" fill="currentColor"/>' +
    '<path d="M8 6v4.2M8 11.6v1.5" stroke="var(--bg)" stroke-width="1.7"/>',
  unproven: '<circle cx="8" cy="8" r="6.4" fill="none" stroke="currentColor" stroke-width="1.8" ' +
    'stroke-dasharray="3 2.2"/>',
  invalid: '<rect x="1" y="1" width="14" height="14" rx="2.5" fill="currentColor"/>' +
    '<path d="M5 5l6 6M11 5l-6 6" stroke="var(--bg)" stroke-width="1.9"/>',
};

/** The forms, once for the page; marks refer to them. */
export function markShapes(): string {
  const symbols = Object.entries(SHAPES).map(([name, shape]) =>
    `<symbol id="mark-${name}" viewBox="0 0 16 16">${shape}</symbol>`
  );
  return `<svg class="unseen" aria-hidden="true" width="0" height="0">${symbols.join("")}</svg>\n`;
}

/** The mark of a verdict. */
export function markOf(verdict: CellVerdict): MarkName {
  return verdict === "not_proven" ? "unproven" : verdict;
}

/**
 * A mark.
 * @param word its word; shown, or only read by screen readers
 */
export function mark(
  name: MarkName,
  { word = WORDS[name], isShown = false }: { word?: string; isShown?: boolean } = {},
): string {
  const text = isShown ? word : `<span class="unseen">${word}</span>`;
  return `<span class="mark ${name}"><svg class="icon" aria-hidden="true">` +
    `<use href="#mark-${name}"/></svg>${text}</span>`;
}

const OUTCOMES: Readonly<Record<ReturnType<typeof gateOutcome>, MarkName>> = {
  met: "valid",
  missed: "invalid",
  inconclusive: "unproven",
};

/**
 * The mark of an objective's outcome.
 * @param isShown whether its word is shown, or only read by screen readers
 */
export function outcomeMark(gate: ProfileReport["gates"][number], isShown = false): string {
  return mark(OUTCOMES[gateOutcome(gate)], { word: gateOutcomeText(gate).toLowerCase(), isShown });
}
