import { ProgressLine } from "../../report/console/progress_line.ts";
import { takesControlCodes, widthOf, writeError } from "./terminal.ts";

/** A progress line on standard error. */
export function stderrLine(): ProgressLine {
  return new ProgressLine({
    overwrites: takesControlCodes(Deno.stderr),
    width: () => widthOf(Deno.stderr),
    write: writeError,
  });
}

/** Whether a kind of interface shows no progress here. */
export function showsNoProgress(ui: string): boolean {
  return ui === "none" || (ui === "auto" && !Deno.stderr.isTerminal());
}
