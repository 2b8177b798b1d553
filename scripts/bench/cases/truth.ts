// deno-lint-ignore-file no-console
import type { BenchCase, RunSelection } from "../bench_case.ts";
import { type ConditionOutcome, runCondition } from "../truth/condition_run.ts";
import { type Condition, CONDITIONS } from "../truth/conditions.ts";
import { claimTable, outcomeTable, verdictLines } from "../truth/truth_summary.ts";

/** A line for each outcome. */
const RESULTS_FILE = "truth.jsonl";

/** How far what the client reports is from the truth, and whether it knows. */
export const truth: BenchCase = {
  name: "truth",
  description: "reported against true statistics and bounds, over a matrix of conditions",
  async run(context) {
    const { selection } = context;
    const wanted = selectedConditions(selection);
    if (wanted.length === 0 && selection.resultsFolder === undefined) {
      throw new Error("No run has such a name");
    }
    const failures: string[] = [];
    let outcomes: ConditionOutcome[] = [];
    for (const [index, condition] of wanted.entries()) {
      context.progress(`truth: ${condition.name}, ${index + 1} of ${wanted.length}`);
      try {
        const outcome = await runCondition(context, condition);
        outcomes.push(outcome);
        await keepOutcome(selection, outcome);
      } catch (error) {
        failures.push((error as Error).message);
        context.progress(failures.at(-1) as string);
      }
    }
    if (outcomes.length > 0) {
      console.log(outcomeTable(outcomes));
      console.log("Errors in ms, of rates in %: reported minus true.");
    }
    if (selection.resultsFolder !== undefined) {
      outcomes = await keptOutcomes(selection.resultsFolder);
      console.log(`All runs in ${selection.resultsFolder}/${RESULTS_FILE}:`);
    }
    console.log([claimTable(outcomes), verdictLines(outcomes)].filter(Boolean).join("\n"));
    if (failures.length > 0) throw new Error(failures.join("\n"));
    return [];
  },
};

/** The runs that are wanted. */
export function selectedConditions(
  { filter, part, parts }: Pick<RunSelection, "filter" | "part" | "parts">,
): Condition[] {
  return CONDITIONS.filter(({ name }) => filter.test(name))
    .filter((_, index) => index % parts === part - 1);
}

async function keepOutcome(
  { resultsFolder }: RunSelection,
  outcome: ConditionOutcome,
): Promise<void> {
  if (resultsFolder === undefined) return;
  await Deno.mkdir(resultsFolder, { recursive: true });
  await Deno.writeTextFile(
    `${resultsFolder}/${RESULTS_FILE}`,
    `${JSON.stringify(outcome)}\n`,
    { append: true },
  );
}

async function keptOutcomes(folder: string): Promise<ConditionOutcome[]> {
  const text = await Deno.readTextFile(`${folder}/${RESULTS_FILE}`);
  return text.trimEnd().split("\n").map((line) => JSON.parse(line));
}
