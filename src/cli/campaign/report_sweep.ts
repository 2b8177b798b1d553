import type { ConsoleStyle } from "../../report/console/console_options.ts";
import { FolderSink } from "../../report/export/file_sink.ts";
import { SWEEP_FILES } from "../../report/sweep/sweep_layout.ts";
import type { SweepManifest } from "../../report/sweep/sweep_manifest.ts";
import { campaignOutput } from "../../run/campaign/campaign_output.ts";
import { writeSweep } from "../../run/campaign/write_sweep.ts";
import { EXIT_CODE } from "../terminal/exit_code.ts";
import { openInBrowser } from "../terminal/open_in_browser.ts";
import { widthOf, writeOut } from "../terminal/terminal.ts";

/**
 * Regenerates the results that combine several runs; the runs' own files remain unchanged.
 * @param directory the command's folder
 * @returns the exit code
 */
export async function reportSweep(
  directory: string,
  manifest: SweepManifest,
  open: boolean,
  style: ConsoleStyle,
): Promise<number> {
  const written = await writeSweep(directory, manifest, new FolderSink(directory));
  const screen = { style, width: widthOf(Deno.stdout) };
  writeOut(campaignOutput(written, screen, { directory, showTable: true }));
  if (open) await openInBrowser(`${directory}/${SWEEP_FILES.page}`);
  return EXIT_CODE.done;
}
