import type { ConsoleStyle } from "../../report/console/console_options.ts";
import { writeError, writeNotices, writeOut } from "./terminal.ts";

/** Options that choose what a command prints. */
export interface StyleSettings {
  readonly console: ConsoleStyle;
  readonly quiet: boolean;
  readonly json: boolean;
}

/** The style of a report; with `--quiet`, notes and warnings are not written any longer. */
export function consoleStyle({ console, json, quiet }: StyleSettings): ConsoleStyle {
  if (quiet) writeNotices(false);
  return json ? "json" : quiet ? "quiet" : console;
}

/** Returns how lines in addition to the results are written: standard output holds one JSON object. */
export function besideResults(style: ConsoleStyle): (text: string) => void {
  if (style === "quiet") return () => {};
  return style === "json" ? writeError : writeOut;
}
