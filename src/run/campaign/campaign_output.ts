import { jsonLine } from "../../core/files/json_text.ts";
import { campaignText } from "../../report/console/campaign_report.ts";
import type { Screen } from "../../results/collect/messages.ts";
import type { WrittenSweep } from "./write_sweep.ts";

/** Settings of the text. */
export interface CampaignOutputOptions {
  /** The command's folder. */
  readonly directory: string;
  /** Whether the table of points is shown. */
  readonly showTable: boolean;
}

/**
 * Returns the results of several runs for standard output: tables and answers, or the main JSON file on
 * one line; nothing of a command whose runs left no results.
 */
export function campaignOutput(
  { files, json, objectives, results, search }: WrittenSweep,
  { style, width }: Pick<Screen, "style" | "width">,
  options: CampaignOutputOptions,
): string {
  if (style === "json") return json === undefined ? "" : jsonLine(json);
  return campaignText(results, search, { ...options, width, files, objectives });
}
