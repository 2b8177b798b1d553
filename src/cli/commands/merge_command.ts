import type { Command } from "npm:commander@15.1.0";
import { gateMarkdown } from "../../report/export/verdicts/gate_markdown.ts";
import { mergeRun } from "../../results/merge/merge_run.ts";
import { MERGE_OPTIONS } from "../../config/options/commands/merge_options.ts";
import { optionValues } from "../../config/options/config/option_values.ts";
import { resolveOptions } from "../../config/options/resolve_options.ts";
import { RunFolderError } from "../../results/collect/run_folder.ts";
import type { Screen } from "../../results/collect/messages.ts";
import { consoleReport } from "../../report/console/console_report.ts";
import { withoutEndSlash } from "../../core/files/without_end_slash.ts";
import { consoleStyle } from "../terminal/console_style.ts";
import { EXIT_CODE } from "../terminal/exit_code.ts";
import { reportExitCode } from "../profile/report_exit_code.ts";
import { StepSummary } from "../terminal/step_summary.ts";
import { hasColor, widthOf, writeMessage, writeOut } from "../terminal/terminal.ts";

/**
 * Runs `inferometer merge`.
 * @param operand the artifact folder that the shards of a run have in common
 * @returns the exit code: that of the run, as if one process had made it
 */
export async function mergeCommand(command: Command, operand: string): Promise<number> {
  const settings = resolveOptions(
    MERGE_OPTIONS,
    await optionValues(command, MERGE_OPTIONS),
  );
  const directory = withoutEndSlash(operand);
  return await mergeFolder(directory, {
    style: consoleStyle(settings),
    expectShards: settings.expectShards,
    allowMissing: settings.allowMissing ?? false,
  });
}

/** How a folder of shards is merged and shown. */
export interface MergeFolderOptions {
  readonly style: Screen["style"];
  readonly expectShards: number | undefined;
  readonly allowMissing: boolean;
}

/**
 * Merges the shards in a folder and shows the result.
 * @returns the exit code
 */
export async function mergeFolder(
  directory: string,
  { style, expectShards, allowMissing }: MergeFolderOptions,
): Promise<number> {
  const merged = await mergeRun(directory, { expectShards, allowMissing }).catch((error) => {
    if (error instanceof RunFolderError) return error;
    throw error;
  });
  if (merged instanceof RunFolderError) {
    writeMessage("error", merged.message);
    return EXIT_CODE.failed;
  }
  const { report, facts: { plan }, metrics, failure, incomplete } = merged;
  writeOut(consoleReport(report, {
    style,
    width: widthOf(Deno.stdout),
    color: hasColor(Deno.stdout),
    directory,
    traceTiming: plan.output.showTraceTiming,
    serverMetrics: metrics,
  }));
  if ((plan.slos ?? []).length > 0) {
    const { gates, model, tags } = report;
    (await StepSummary.open())?.add(gateMarkdown(gates, `inferometer ${model}`, tags));
  }
  if (incomplete !== undefined) writeMessage("warning", `The result is incomplete: ${incomplete}`);
  if (failure !== undefined) {
    writeMessage("error", failure);
    return EXIT_CODE.failed;
  }
  return reportExitCode(report, plan);
}
