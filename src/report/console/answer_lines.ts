import type { ProfileReport } from "../model/profile_report.ts";
import { type Publishability, publishability } from "../model/publish_checklist.ts";
import { wrapText } from "./wrap_text.ts";

/** The closing lines of a run: what limits it, and whether its results can be published. */
export interface AnswerLines {
  readonly diagnosis: readonly string[];
  readonly publishable: readonly string[];
}

/**
 * Diagnosis and publishability, each in at most a few lines that fit the screen; nothing of a run whose
 * requests are not known one by one.
 */
export function answerLines(report: ProfileReport, width: number): AnswerLines {
  return {
    diagnosis: diagnosisLines(report, width),
    publishable: report.sampling === undefined
      ? []
      : wrapText(publishableText(publishability(report)), width, 2),
  };
}

/** The diagnosis in one line, its first words in capitals; undefined where there is none. */
export function diagnosisHead({ diagnosis }: ProfileReport): string | undefined {
  if (diagnosis === undefined) return undefined;
  const [, name = "", rest = ""] = /^([^:]+)(.*)$/s.exec(diagnosis.text) ?? [];
  return `${name.toUpperCase()}${rest}`;
}

function diagnosisLines(report: ProfileReport, width: number): string[] {
  const head = diagnosisHead(report);
  if (head === undefined || report.diagnosis === undefined) return [];
  const { cause, try: remedies, unknown } = report.diagnosis;
  const names = unknown.map((text) => text.split(":")[0] as string);
  const body = [
    ...(cause === undefined ? [] : [/[.!?]$/.test(cause) ? cause : `${cause}.`]),
    ...(names.length === 0 || report.diagnosis.code !== "unknown"
      ? []
      : [`Not known: ${names.join(", ")}.`]),
    ...(remedies[0] === undefined ? [] : [`Try: ${remedies[0]}.`]),
  ].join(" ");
  return [
    ...wrapText(`${head}.`, width, 2),
    ...wrapText(`  ${body}`, width, 2),
  ];
}

/** Whether the results can be published, in one sentence with what keeps them from it. */
function publishableText({ checklist, state, validity }: Publishability): string {
  const { blockers, of, proven } = validity;
  const open = checklist.filter(({ isMet }) => !isMet);
  const named = (name: string): string => open.find((item) => item.name === name)?.text ?? "";
  switch (state) {
    case "no":
      return named("steady state") === ""
        ? `NOT PUBLISHABLE: ${proven} of ${of} statistics are proven. ${sentences(blockers)}`
        : `NOT PUBLISHABLE: no steady state (${named("steady state").replace(/^none: /, "")}).`;
    case "in part":
      return `PUBLISHABLE IN PART: ${proven} of ${of} statistics are proven. ${
        sentences(blockers)
      }`;
    case "not yet":
      return `PUBLISHABLE, BUT: ${open.map(({ text }) => text).join("; ")}.`;
    case "yes":
      return `PUBLISHABLE: ${proven} of ${of} statistics are proven.`;
  }
}

function sentences(clauses: readonly string[]): string {
  return clauses.map((text) => `${text[0]?.toUpperCase() ?? ""}${text.slice(1)}.`).join(" ");
}
