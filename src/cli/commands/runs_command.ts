import { fileReason } from "../../core/files/file_reason.ts";
import type { Command } from "npm:commander@15.1.0";
import { chartSvg } from "../../core/chart/chart_svg.ts";
import { ExportError } from "../../report/export/export_error.ts";
import { parseFigureName } from "../../config/gate/slo.ts";
import { parseTagFilters, type RunHistory, runHistory } from "../../results/runs/run_history.ts";
import { runsJson } from "../../results/runs/runs_json.ts";
import { runTable } from "../../results/runs/run_table.ts";
import { trendChart } from "../../results/runs/trend_chart.ts";
import { trendText } from "../../results/runs/trend_text.ts";
import { optionValues } from "../../config/options/config/option_values.ts";
import { resolveOptions } from "../../config/options/resolve_options.ts";
import { RUNS_OPTIONS } from "../../config/options/commands/runs_options.ts";
import { UsageError } from "../../config/options/usage_error.ts";
import { printableText } from "../../report/console/printable_text.ts";
import { withoutEndSlash } from "../../core/files/without_end_slash.ts";
import { EXIT_CODE } from "../terminal/exit_code.ts";
import { widthOf, writeMessage, writeOut } from "../terminal/terminal.ts";

const PICTURE = { width: 900, height: 340, isFile: true } as const;

/**
 * Runs `inferometer runs`.
 * @param folder where to look
 * @returns the exit code
 */
export async function runsCommand(command: Command, folder: string): Promise<number> {
  const { tag, metric, output, json } = resolveOptions(
    RUNS_OPTIONS,
    await optionValues(command, RUNS_OPTIONS),
  );
  const tags = parseTagFilters(tag ?? []);
  const figure = metric === undefined ? undefined : parseFigureName(metric, "--metric");
  if (output !== undefined && !output.toLowerCase().endsWith(".svg")) {
    throw new UsageError("--output", `Must end in .svg: got "${output}"`);
  }
  const history = await historyIn(folder, { tags, figure });
  const { runs, points } = history;
  for (const run of runs) {
    const problems = [...run.damage, ...(run.problem === undefined ? [] : [run.problem])];
    for (const problem of problems) {
      writeMessage("warning", `${printableText(run.folder, Infinity)}: ${problem}`);
    }
  }
  if (output !== undefined && metric !== undefined) {
    await writePicture(output, metric, history);
    // Standard output may be read by a program.
    writeMessage("note", `Wrote ${printableText(output, Infinity)}`);
  }
  if (json) {
    writeOut(runsJson(history, figure));
    return EXIT_CODE.done;
  }
  if (runs.length === 0) {
    const where = printableText(folder, Infinity);
    writeOut(tags.length === 0 ? `No runs in ${where}\n` : `No runs with these tags in ${where}\n`);
    return EXIT_CODE.done;
  }
  const width = widthOf(Deno.stdout);
  writeOut(`${runTable(runs, width)}\n`);
  if (metric === undefined) return EXIT_CODE.done;
  writeOut(
    points.length === 0
      ? `\nNone of the runs has ${metric}\n`
      : `\n${trendText(metric, points, width)}`,
  );
  return EXIT_CODE.done;
}

async function historyIn(
  folder: string,
  query: Parameters<typeof runHistory>[1],
): Promise<RunHistory> {
  try {
    return await runHistory(withoutEndSlash(folder), query);
  } catch (error) {
    if (error instanceof UsageError) throw error;
    const reason = error instanceof Deno.errors.NotFound
      ? "No such folder"
      : error instanceof Deno.errors.NotADirectory || error instanceof Deno.errors.PermissionDenied
      ? fileReason(error)
      : undefined;
    if (reason === undefined) throw error;
    throw new UsageError(undefined, `${folder}: ${reason}`);
  }
}

async function writePicture(
  path: string,
  metric: string,
  { points }: RunHistory,
): Promise<void> {
  if (points.length === 0) {
    throw new UsageError("--metric", `None of the runs has ${metric}: nothing is drawn`);
  }
  try {
    await Deno.writeTextFile(path, `${chartSvg(trendChart(metric, points), PICTURE)}\n`);
  } catch (error) {
    throw new ExportError(path, error);
  }
}
