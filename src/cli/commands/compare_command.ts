import type { Command } from "npm:commander@15.1.0";
import { COMPARE_OPTIONS } from "../../config/options/commands/compare_options.ts";
import { optionValues } from "../../config/options/config/option_values.ts";
import { resolveOptions } from "../../config/options/resolve_options.ts";
import { UsageError } from "../../config/options/usage_error.ts";
import type { StoredSide } from "../../results/collect/open_side.ts";
import { comparedSides, comparisonText, writeComparison } from "../operands/compared_sides.ts";
import { printableText } from "../../report/console/printable_text.ts";
import { EXIT_CODE } from "../terminal/exit_code.ts";
import { foldersOf, openedSide } from "../operands/run_operand.ts";
import { widthOf, writeOut } from "../terminal/terminal.ts";

/**
 * Runs `inferometer compare`.
 * @param operands folders of runs; the first one is compared with each of the others
 * @returns the exit code
 */
export async function compareCommand(
  command: Command,
  operands: readonly string[],
): Promise<number> {
  const { label, minDifference, outputDir } = resolveOptions(
    COMPARE_OPTIONS,
    await optionValues(command, COMPARE_OPTIONS),
  );
  const sides = await openedSides(operands, label ?? []);
  const comparisons = comparedSides(sides, minDifference / 100);
  writeOut(comparisonText(comparisons, widthOf(Deno.stdout)));
  if (outputDir !== undefined) {
    const names = await writeComparison(outputDir, sides, comparisons, minDifference / 100);
    writeOut(`${printableText(`${outputDir}/`, Infinity)}: ${names.join(", ")}\n`);
  }
  return EXIT_CODE.done;
}

async function openedSides(
  operands: readonly string[],
  labels: readonly string[],
): Promise<StoredSide[]> {
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
  const sides: StoredSide[] = [];
  for (const [name, folders] of byName) sides.push(await openedSide(name, folders, undefined));
  return sides;
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
