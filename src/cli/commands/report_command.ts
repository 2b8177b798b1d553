import type { Command } from "npm:commander@15.1.0";
import { checkParts } from "../../results/merge/checked_parts.ts";
import { FolderSink } from "../../report/export/file_sink.ts";
import { giveRoomBack, releaseFolder } from "../../report/export/folder_claim.ts";
import { artifactNames } from "../../report/export/artifact_names.ts";
import { optionValues } from "../../config/options/config/option_values.ts";
import { REPORT_OPTIONS } from "../../config/options/commands/report_options.ts";
import { resolveOptions } from "../../config/options/resolve_options.ts";
import { reportPage } from "../../report/html/report_page.ts";
import { verdictOf } from "../../report/html/verdict.ts";
import type { ExportedView } from "../../results/collect/exported_view.ts";
import { reportRun } from "../../results/collect/report_run.ts";
import { consoleReport } from "../../report/console/console_report.ts";
import { printableText } from "../../report/console/printable_text.ts";
import { withoutEndSlash } from "../../core/files/without_end_slash.ts";
import { manifestIn } from "../campaign/campaign_folder.ts";
import { consoleStyle } from "../terminal/console_style.ts";
import { EXIT_CODE } from "../terminal/exit_code.ts";
import { openInBrowser } from "../terminal/open_in_browser.ts";
import { namedRun } from "../operands/named_run.ts";
import { warnOfDamage } from "../operands/warn_of_damage.ts";
import { hasColor, widthOf, writeMessage, writeOut } from "../terminal/terminal.ts";

/**
 * Runs `inferometer report`.
 * @param directory the artifact folder of a run, or of several runs of one command
 * @returns the exit code
 */
export async function reportCommand(command: Command, directory: string): Promise<number> {
  const settings = resolveOptions(
    REPORT_OPTIONS,
    await optionValues(command, REPORT_OPTIONS),
  );
  const { open } = settings;
  const style = consoleStyle(settings);
  const manifest = await manifestIn(directory, undefined);
  if (manifest !== undefined) {
    const { reportSweep } = await import("../campaign/report_sweep.ts");
    return await reportSweep(withoutEndSlash(directory), manifest, open, style);
  }
  const { folder, run: found, exported } = await namedRun(directory);
  if (exported !== undefined) {
    const path = await writeExportedPage(folder, exported);
    if (open) await openInBrowser(path);
    return EXIT_CODE.done;
  }
  const { run, problem } = await checkParts(found);
  // A run that was killed has left its claim.
  await giveRoomBack(folder);
  const { report, facts, metrics, failure } = await reportRun(run, new FolderSink(folder));
  await releaseFolder(folder);
  writeOut(consoleReport(report, {
    style,
    width: widthOf(Deno.stdout),
    color: hasColor(Deno.stdout),
    directory: folder,
    traceTiming: facts.plan.output.showTraceTiming,
    serverMetrics: metrics,
  }));
  if (open) await openInBrowser(`${folder}/${artifactNames(facts.plan.output.prefix).page}`);
  const wrong = problem === undefined ? failure : `${folder}: ${problem}`;
  if (wrong === undefined) return EXIT_CODE.done;
  writeMessage("error", wrong);
  return EXIT_CODE.failed;
}

/**
 * Makes the page of a run of AIPerf; its other files are its own, and stay as they are.
 * @returns where the page is
 */
async function writeExportedPage(
  folder: string,
  { damage, view, summaryJson, summaryName }: ExportedView,
): Promise<string> {
  const name = artifactNames(undefined).page;
  await new FolderSink(folder).write(name, reportPage(view, { summaryJson, summaryName }));
  warnOfDamage(folder, damage);
  const { sentence } = verdictOf(view);
  const path = `${folder}/${name}`;
  for (const line of [sentence, path]) writeOut(`${printableText(line, Infinity)}\n`);
  return path;
}
