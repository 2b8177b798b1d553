import type { ProfileReport } from "../model/profile_report.ts";
import { wholeNumber } from "./number_text.ts";
import { outcomeText } from "./outcome_text.ts";

/** How many requests there were, how they ended, and how long the run took. */
export function requestsText(report: ProfileReport): string {
  const { sent, failed } = report.requests;
  return [
    `${wholeNumber(sent)} ${sent === 1 ? "request" : "requests"}`,
    `${failed === 0 ? "none" : failed === sent && sent > 1 ? "all" : wholeNumber(failed)} failed`,
    ...outcomeText(report),
  ].join(", ");
}
