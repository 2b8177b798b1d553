import { figureText } from "../../core/chart/figure_text.ts";
import { escapedMarkup } from "../../core/chart/markup.ts";
import { answersItems } from "../console/answers_lines.ts";
import { ANSWER_METRICS } from "../../measurement/answers/answer_metrics.ts";
import { answerFigures } from "../model/answer_figures.ts";
import { answerIntervals } from "../model/answer_intervals.ts";
import { answersObject } from "../model/answers_report.ts";
import type { ProfileReport } from "../model/profile_report.ts";
import { htmlTable } from "./html_table.ts";

/** Checks of the answers, and the first answers that differ side by side; empty if nothing was found. */
export function answersPart(report: Pick<ProfileReport, "answers">): string {
  const items = answersItems(report);
  if (items.length === 0) return "";
  return `<p>${escapedMarkup(items.join("; "))}.</p>\n` + sharesTable(report) + wrongTable(report) +
    invalidTable(report) + driftTable(report);
}

/** Shares of answers with their confidence intervals; anomalies only if there are any. */
function sharesTable({ answers }: Pick<ProfileReport, "answers">): string {
  const object = answersObject(answers)["answers"];
  const intervals = answerIntervals(object);
  const rows = answerFigures(object).flatMap(([tag, { stats }]) => {
    const interval = intervals[tag]?.avg;
    const share = stats["avg"] ?? NaN;
    if (interval === undefined || (tag === ANSWER_METRICS.anomalous.tag && share === 0)) return [];
    const { header } = Object.values(ANSWER_METRICS).find((metric) => metric.tag === tag) ?? {};
    return [[
      header ?? tag,
      percentText(share),
      `${percentText(interval.lower)} to ${percentText(interval.upper)}`,
    ]];
  });
  return rows.length === 0 ? "" : htmlTable({
    caption: "Shares of answers; drift is the share under load beyond the noise floor",
    head: ["Check", "Share", "95 % interval"],
    rows,
  });
}

function percentText(share: number): string {
  return `${figureText(share * 100)} %`;
}

/** The first wrong answers; empty for none. */
function wrongTable({ answers }: Pick<ProfileReport, "answers">): string {
  const wrong = answers?.wrong ?? [];
  return wrong.length === 0 ? "" : htmlTable({
    caption: "First wrong answers, by the number of the request",
    head: ["Request", "Difference", "End of the prompt", "Expected", "Reply"],
    rows: wrong.map(({ request, flaw, texts }) => [
      String(request),
      flaw ?? "",
      texts?.prompt ?? "",
      texts?.wrong?.expected ?? "",
      shownText(texts?.wrong?.reply),
    ]),
    textColumns: [1, 2, 3, 4],
  });
}

/** The first replies that break a requirement of their request; empty for none. */
function invalidTable({ answers }: Pick<ProfileReport, "answers">): string {
  const examples = answers?.invalid?.examples ?? [];
  return examples.length === 0 ? "" : htmlTable({
    caption: "First invalid replies, by the number of the request",
    head: ["Request", "Reason", "First invalid place", "End of the prompt", "Reply"],
    rows: examples.map(({ request, reason, flaw, texts }) => [
      String(request),
      reason,
      flaw ?? "",
      texts?.prompt ?? "",
      shownText(texts?.invalid),
    ]),
    textColumns: [1, 2, 3, 4],
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
      shownText(example.alone),
      shownText(example.underLoad),
    ]),
    textColumns: [1, 2, 3],
  });
}

/** An excerpt of a reply; none if it is not known. */
function shownText(text: string | undefined): string {
  return text === "" ? "(no text)" : text ?? "";
}
