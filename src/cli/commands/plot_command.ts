import type { Command } from "npm:commander@15.1.0";
import { FolderSink } from "../../report/export/file_sink.ts";
import { optionValues } from "../../config/options/config/option_values.ts";
import { PLOT_OPTIONS } from "../../config/options/commands/plot_options.ts";
import { resolveOptions } from "../../config/options/resolve_options.ts";
import { readDamage } from "../../results/collect/run_damage.ts";
import { plotRun, plotView } from "../../results/collect/plot_run.ts";
import { printableText } from "../../report/console/printable_text.ts";
import { withoutEndSlash } from "../../core/files/without_end_slash.ts";
import { manifestIn } from "../campaign/campaign_folder.ts";
import { EXIT_CODE } from "../terminal/exit_code.ts";
import { namedRun } from "../operands/named_run.ts";
import { warnOfDamage } from "../operands/warn_of_damage.ts";
import { writeOut } from "../terminal/terminal.ts";

/**
 * Runs `inferometer plot`.
 * @param directory the artifact folder of a run, or of several runs of one command
 * @returns the exit code
 */
export async function plotCommand(command: Command, directory: string): Promise<number> {
  const { format } = resolveOptions(PLOT_OPTIONS, await optionValues(command, PLOT_OPTIONS));
  const manifest = await manifestIn(directory, undefined);
  if (manifest !== undefined) {
    const { plotSweep } = await import("../campaign/plot_sweep.ts");
    const sweep = withoutEndSlash(directory);
    writeNames(sweep, await plotSweep(sweep, manifest, format));
    return EXIT_CODE.done;
  }
  const { folder, run, exported } = await namedRun(directory);
  warnOfDamage(folder, exported === undefined ? await readDamage(run) : exported.damage);
  const sink = new FolderSink(folder);
  writeNames(
    folder,
    exported === undefined
      ? await plotRun(run, sink, format)
      : await plotView(exported.view, sink, format),
  );
  return EXIT_CODE.done;
}

function writeNames(folder: string, names: readonly string[]): void {
  for (const name of names) writeOut(`${printableText(`${folder}/${name}`, Infinity)}\n`);
}
