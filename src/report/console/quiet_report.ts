import type { ProfileReport } from "../model/profile_report.ts";
import { publishability } from "../model/publish_checklist.ts";
import { diagnosisHead } from "./answer_lines.ts";
import { gateOutcome } from "./gate_outcome.ts";
import { printableText } from "./printable_text.ts";
import { requestsText } from "./requests_text.ts";

const STATES = {
  "no": "NOT PUBLISHABLE",
  "in part": "PUBLISHABLE IN PART",
  "not yet": "PUBLISHABLE, BUT CONDITIONS ARE OPEN",
  "yes": "PUBLISHABLE",
} as const;

/** Diagnosis and publishability of a run, a line each. */
export function quietReport(report: ProfileReport): string {
  const head = diagnosisHead(report);
  const lines = [
    head ?? requestsText(report),
    ...(report.sampling === undefined ? objectives(report) : [publishableLine(report)]),
  ];
  return lines.map((line) => `${printableText(line, Infinity)}\n`).join("");
}

function publishableLine(report: ProfileReport): string {
  const { state, validity: { of, proven } } = publishability(report);
  return [`${STATES[state]}: ${proven} of ${of} statistics`, ...objectives(report)].join("; ");
}

/** How many objectives have each outcome. */
function objectives({ gates }: ProfileReport): string[] {
  if (gates.length === 0) return [];
  const outcomes = gates.map(gateOutcome);
  const counts = (["missed", "inconclusive", "met"] as const).map((word) =>
    `${outcomes.filter((outcome) => outcome === word).length} ${word}`
  );
  return [`slo: ${counts.join(", ")}`];
}
