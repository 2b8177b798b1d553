import type { Command } from "npm:commander@15.1.0";
import { writeBundle } from "../../results/bundle/write_bundle.ts";
import { optionValues } from "../../config/options/config/option_values.ts";
import { resolveOptions } from "../../config/options/resolve_options.ts";
import { BUNDLE_OPTIONS } from "../../config/options/commands/runs_options.ts";
import { UsageError } from "../../config/options/usage_error.ts";
import { RUN_FILES } from "../../results/collect/run_files.ts";
import { RunFolderError } from "../../results/collect/run_folder.ts";
import { printableText } from "../../report/console/printable_text.ts";
import { withoutEndSlash } from "../../core/files/without_end_slash.ts";
import { EXIT_CODE } from "../terminal/exit_code.ts";
import { warnOfChange } from "../terminal/changed_manifest.ts";
import { warnOfDamage } from "../operands/warn_of_damage.ts";
import { writeOut } from "../terminal/terminal.ts";

/**
 * Runs `inferometer bundle`.
 * @param operand the artifact folder of a run
 * @returns the exit code
 */
export async function bundleCommand(command: Command, operand: string): Promise<number> {
  const { output, withText, anonymizeHosts } = resolveOptions(
    BUNDLE_OPTIONS,
    await optionValues(command, BUNDLE_OPTIONS),
  );
  const folder = withoutEndSlash(operand);
  const path = output ?? `${await nameOf(folder)}.zip`;
  if (!path.toLowerCase().endsWith(".zip")) {
    throw new UsageError("--output", `Must end in .zip: got "${path}"`);
  }
  try {
    const bundle = await writeBundle(folder, path, { withText, anonymizeHosts });
    const { damage, files, isChanged, leftOut, replacedHosts, replacedTexts } = bundle;
    if (isChanged) warnOfChange(`${folder}/${RUN_FILES.manifest}`);
    warnOfDamage(folder, damage);
    const bytes = (await Deno.stat(path)).size;
    const lines = [
      `${path}: ${files.length} files, ${(bytes / 1e6).toFixed(bytes < 1e6 ? 3 : 1)} MB`,
      ...(anonymizeHosts
        ? [`hosts: ${replacedHosts} replaced`]
        : ["hosts: kept (--anonymize-hosts replaces them)"]),
      withText
        ? "texts: kept with prompts and replies"
        : `texts: ${replacedTexts} of servers replaced by kind and status; kept: kinds, status ` +
          "codes, finish reasons, tags, notes",
      ...leftOut.map(([name, reason]) => `left out: ${name} (${reason})`),
    ];
    writeOut(lines.map((line) => `${printableText(line, Infinity)}\n`).join(""));
    return EXIT_CODE.done;
  } catch (error) {
    if (error instanceof RunFolderError) throw new UsageError(undefined, error.message);
    throw error;
  }
}

/** Beside the folder, also where it is named as `.`. */
async function nameOf(folder: string): Promise<string> {
  if (!/(^|[/\\])\.{1,2}$/.test(folder)) return folder;
  return await Deno.realPath(folder).catch(() => folder);
}
