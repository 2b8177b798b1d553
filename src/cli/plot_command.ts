import { FolderSink } from "../export/file_sink.ts";
import { plotRun } from "../results/plot_run.ts";
import { printableText } from "../ui/printable_text.ts";
import { EXIT_CODE } from "./exit_code.ts";
import { namedRunFolder } from "./named_run_folder.ts";
import { writeOut } from "./terminal.ts";

/**
 * Runs `inferometer plot`.
 * @param directory the artifact folder of a run
 * @returns the exit code
 */
export async function plotCommand(directory: string): Promise<number> {
  const { folder, run } = await namedRunFolder(directory);
  for (const name of await plotRun(run, new FolderSink(folder))) {
    writeOut(`${printableText(`${folder}/${name}`, Infinity)}\n`);
  }
  return EXIT_CODE.done;
}
