/**
 * Conversations of a run as a page, turn by turn: their outcome, the growth of prompts, the savings
 * of caches, and the effect on times. The page loads nothing and runs no script.
 */

import { escapedMarkup } from "../../core/chart/markup.ts";
import type { SessionResults } from "../../measurement/metrics/session_results.ts";
import type { ProfileReport } from "../model/profile_report.ts";
import { chartFigure } from "./chart_figure.ts";
import { pageHead, section } from "./page_frame.ts";
import { turnsTable } from "./page_tables.ts";
import { turnCharts } from "./turn_charts.ts";

/** Content of the page. */
export interface ConversationsPage {
  readonly report: ProfileReport;
  readonly sessions: SessionResults;
  /** Name of the page of the whole run in the folder. */
  readonly reportName: string;
}

/** The page, in pieces. */
export function* conversationsPage(
  { report, sessions, reportName }: ConversationsPage,
): Generator<string> {
  const model = report.model || report.endpointType;
  yield pageHead(`${model} - conversations`, { hasScript: false });
  yield [
    '<a class="skip" href="#main">To the results</a>',
    `<header><div><h1>${escapedMarkup(model)}</h1>`,
    '<p class="soft">conversations, turn by turn &middot; ',
    `<a href="${escapedMarkup(encodeURIComponent(reportName))}">the whole run</a></p></div>`,
    '</header>\n<main id="main">\n',
  ].join("");
  const charts = turnCharts(sessions).map((chart) => chartFigure(chart, "wide")).join("");
  yield section("By turn", "pictures", charts);
  yield section("Turns", "turns", turnsTable(report));
  yield section(
    "How to read it",
    "reading",
    "<p>A turn carries the turns before it and the replies to them. So prompts grow; a server with " +
      "a prefix cache computes little more than what is new, and TTFT hardly grows with them. " +
      "Sessions have different lengths: later turns are those of longer sessions.</p>\n",
  );
  yield "</main>\n</body>\n</html>\n";
}
