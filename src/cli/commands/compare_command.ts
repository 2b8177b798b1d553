import type { Command } from "npm:commander@15.1.0";
import { COMPARE_OPTIONS } from "../../config/options/commands/compare_options.ts";
import { optionValues } from "../../config/options/config/option_values.ts";
import { quoted } from "../../config/options/redacted_command.ts";
import { resolveOptions } from "../../config/options/resolve_options.ts";
import { UsageError } from "../../config/options/usage_error.ts";
import type { NamedSide } from "../../results/collect/open_side.ts";
import type { WindowName } from "../../report/model/window_name.ts";
import { namedSweeps } from "../campaign/named_sweeps.ts";
import { comparedSweepsText, writeComparedSweeps } from "../operands/compared_sweeps.ts";
import { comparedSweeps } from "../operands/run_operand.ts";
import type { CompareSweepsOptions } from "../../results/sweeps/compare_sweeps.ts";
import type { NamedSweeps } from "../../results/sweeps/sweep_side.ts";
import { comparedSides, comparisonText, writeComparison } from "../operands/compared_sides.ts";
import { printableText } from "../../report/console/printable_text.ts";
import { EXIT_CODE } from "../terminal/exit_code.ts";
import { foldersOf, openedSides } from "../operands/run_operand.ts";
import { widthOf, writeMessage, writeOut } from "../terminal/terminal.ts";

/**
 * Runs `inferometer compare`.
 * @param operands folders of runs; the first one is compared with each of the others
 * @returns the exit code
 */
export async function compareCommand(
  command: Command,
  operands: readonly string[],
): Promise<number> {
  const { label, minDifference, outputDir, window } = resolveOptions(
    COMPARE_OPTIONS,
    await optionValues(command, COMPARE_OPTIONS),
  );
  const named = await namedSides(operands, label ?? []);
  const sweeps = await namedSweeps(named);
  if (sweeps !== undefined) {
    const options = { minDifference: minDifference / 100, window: window as WindowName };
    return await compareTwoSweeps(sweeps, options, outputDir, commandOf(operands, label));
  }
  const sides = await openedSides(named, undefined, window as WindowName);
  const comparisons = comparedSides(sides, minDifference / 100);
  writeOut(comparisonText(comparisons, widthOf(Deno.stdout)));
  if (outputDir !== undefined) {
    const names = await writeComparison(outputDir, sides, comparisons, minDifference / 100);
    writeOut(`${printableText(`${outputDir}/`, Infinity)}: ${names.join(", ")}\n`);
  }
  if (comparisons.every(({ differences }) => differences.length === 0)) {
    writeMessage("error", "There is nothing to compare: the runs have no metric in common");
    return EXIT_CODE.failed;
  }
  return EXIT_CODE.done;
}

/** The command line of a comparison, for its page. */
function commandOf(operands: readonly string[], labels: readonly string[] | undefined): string {
  const words = ["inferometer", "compare", ...operands];
  return [...words, ...(labels === undefined ? [] : ["--label", ...labels])].map(quoted).join(" ");
}

/** Compares two sweeps, and returns the exit code. */
async function compareTwoSweeps(
  [before, after]: readonly [NamedSweeps, NamedSweeps],
  options: CompareSweepsOptions,
  outputDir: string | undefined,
  command: string,
): Promise<number> {
  const comparison = await comparedSweeps(before, after, options);
  writeOut(comparedSweepsText(comparison, widthOf(Deno.stdout)));
  if (outputDir !== undefined) {
    const names = await writeComparedSweeps(outputDir, comparison, command);
    writeOut(`${printableText(`${outputDir}/`, Infinity)}: ${names.join(", ")}\n`);
  }
  if (comparison.points.length === 0 && comparison.frontier.steps.length === 0) {
    writeMessage(
      "error",
      "There is nothing to compare: the sweeps have no settings and no speed in common",
    );
    return EXIT_CODE.failed;
  }
  return EXIT_CODE.done;
}

async function namedSides(
  operands: readonly string[],
  labels: readonly string[],
): Promise<NamedSide[]> {
  if (operands.length < 2) {
    throw new UsageError(undefined, "At least two runs are needed to compare");
  }
  if (labels.length > 0 && labels.length !== operands.length) {
    throw new UsageError(
      "--label",
      `One name for each run is needed: there are ${operands.length} runs and ${labels.length} names`,
    );
  }
  const names = labels.length > 0 ? labels : distinctNames(operands);
  const byName = new Map<string, string[]>();
  for (const [index, operand] of operands.entries()) {
    const name = names[index] as string;
    byName.set(name, [...byName.get(name) ?? [], ...await foldersOf(operand)]);
  }
  if (byName.size < 2) throw new UsageError("--label", "At least two different names are needed");
  return [...byName].map(([label, directories]) => ({ label, directories }));
}

/** The folders' last names; in full where those are the same. */
function distinctNames(operands: readonly string[]): string[] {
  const last = operands.map((operand) =>
    operand.replace(/[/\\]+$/, "").split(/[/\\]/).at(-1) || operand
  );
  if (new Set(last).size === last.length) return last;
  // The same folder twice is an A/A comparison with itself; still two sides.
  return operands.map((operand, i) =>
    operands.indexOf(operand) === i ? operand : `${operand} (${i + 1})`
  );
}
