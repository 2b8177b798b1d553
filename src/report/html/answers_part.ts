import { escapedMarkup } from "../../core/chart/markup.ts";
import { answersItems } from "../console/answers_lines.ts";
import type { DriftExample } from "../../measurement/answers/drift_findings.ts";
import type { ProfileReport } from "../model/profile_report.ts";
import { htmlTable } from "./html_table.ts";

/** Characters of an example before its first difference. */
const CONTEXT = 80;
/** Longest text of an example. */
const MAX_SHOWN = 400;

/** Checks of the answers, and the first answers that differ side by side; empty if nothing was found. */
export function answersPart(report: Pick<ProfileReport, "answers">): string {
  const items = answersItems(report);
  if (items.length === 0) return "";
  return `<p>${escapedMarkup(items.join("; "))}.</p>\n` + wrongTable(report) +
    invalidTable(report) + driftTable(report);
}

/** The first wrong answers; empty for none. */
function wrongTable({ answers }: Pick<ProfileReport, "answers">): string {
  const wrong = answers?.wrong ?? [];
  return wrong.length === 0 ? "" : htmlTable({
    caption: "First wrong answers, by the number of the request",
    head: ["Request", "Difference"],
    rows: wrong.map(({ request, flaw }) => [String(request), flaw ?? ""]),
    textColumns: [1],
  });
}

/** The first replies that break a requirement of their request; empty for none. */
function invalidTable({ answers }: Pick<ProfileReport, "answers">): string {
  const examples = answers?.invalid?.examples ?? [];
  return examples.length === 0 ? "" : htmlTable({
    caption: "First invalid replies, by the number of the request",
    head: ["Request", "Reason", "First invalid place"],
    rows: examples.map(({ request, reason, flaw }) => [String(request), reason, flaw ?? ""]),
    textColumns: [1, 2],
  });
}

/** The first answers that differ under load, side by side; empty for none. */
function driftTable({ answers }: Pick<ProfileReport, "answers">): string {
  const examples = answers?.drift?.examples ?? [];
  return examples.length === 0 ? "" : htmlTable({
    caption: "First answers that differ, from shortly before the first difference",
    head: ["Prompt", "Differs after", "Without load", "Under load"],
    rows: examples.map((example) => [
      String(example.prompt + 1),
      `${example.position} characters`,
      shownText(example, example.alone),
      shownText(example, example.underLoad),
    ]),
    textColumns: [1, 2, 3],
  });
}

function shownText({ position }: DriftExample, text: string): string {
  const from = Math.max(0, position - CONTEXT);
  const shown = text.slice(from, from + MAX_SHOWN);
  return `${from > 0 ? "... " : ""}${shown}${from + MAX_SHOWN < text.length ? " ..." : ""}`;
}
