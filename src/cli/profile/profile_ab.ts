/**
 * `profile --ab A B`: two servers measured in turns. Each block is a run of its own with all its
 * files; A goes first in one pair of blocks and B in the next, so that whatever drifts meanwhile
 * hits both alike.
 */

import { COMPARE_OPTIONS } from "../../config/options/commands/compare_options.ts";
import type { ProfileOptions } from "../../config/options/profile/profile_types.ts";
import { resolveOptions } from "../../config/options/resolve_options.ts";
import { UsageError } from "../../config/options/usage_error.ts";
import type { RunPlan } from "../../config/plan/run_plan.ts";
import { jsonLine } from "../../core/files/json_text.ts";
import { comparisonJson } from "../../report/export/verdicts/comparison_json.ts";
import type { Screen } from "../../results/collect/messages.ts";
import { besideResults } from "../terminal/console_style.ts";
import type { RunOutcome } from "../../run/runner/run_profile.ts";
import { withoutEndSlash } from "../../core/files/without_end_slash.ts";
import { comparedSides, comparisonText, writeComparison } from "../operands/compared_sides.ts";
import { isEmptyFolder } from "../operands/empty_folder.ts";
import { EXIT_CODE } from "../terminal/exit_code.ts";
import { openedSides } from "../operands/run_operand.ts";

/** What the blocks are made with. */
export interface BlockRunner {
  /** Makes the plan of a block. */
  resolve(options: ProfileOptions): Promise<RunPlan>;
  /**
   * Runs it.
   * @param isLast whether nothing is sent after it
   */
  run(plan: RunPlan, isLast: boolean): Promise<RunOutcome>;
  /** What a run's end means for the process; the message for its user is written. */
  exitCodeOf(plan: RunPlan, outcome: RunOutcome): number;
  /** Writes results. */
  write(text: string): void;
  readonly screen: Screen;
}

/** The two sides, as their folders are called. */
const SIDES = ["a", "b"] as const;
const DIRECTORY = "artifacts/ab";

/** A run of one side. */
interface Block {
  readonly side: typeof SIDES[number];
  readonly plan: RunPlan;
}

/**
 * Runs the blocks of both sides, and compares them.
 * @param urls of A and B
 * @param blocks of each side
 * @returns the exit code
 */
export async function profileAb(
  options: ProfileOptions,
  urls: readonly string[],
  blocks: number,
  runner: BlockRunner,
): Promise<number> {
  if (urls.length !== 2) {
    throw new UsageError("--ab", `Two servers are compared: got ${urls.length}`);
  }
  const directory = await freeFolder(options.artifactDir ?? DIRECTORY, options.overwrite === true);
  const say = besideResults(runner.screen.style);
  const planned = await plannedBlocks(options, urls, blocks, directory, runner);
  for (const [index, { side, plan }] of planned.entries()) {
    const outcome = await runner.run(plan, index === planned.length - 1);
    const { requests, startEpochNs, endEpochNs } = outcome.report;
    const seconds = Number(endEpochNs - startEpochNs) / 1e9;
    say(
      `block ${index + 1} of ${planned.length}: ${side}, ${requests.succeeded} of ` +
        `${requests.sent} requests in ${seconds.toFixed(1)} s, ${outcome.directory}/\n`,
    );
    const code = runner.exitCodeOf(plan, outcome);
    if (code !== EXIT_CODE.done) return code;
  }
  const sides = await openedSides(
    SIDES.map((side) => ({ label: side, directories: [`${directory}/${side}`] })),
    "--ab",
    planned[0]?.plan.shownWindow ?? "steady",
  );
  const { minDifference } = resolveOptions(COMPARE_OPTIONS, {});
  const comparisons = comparedSides(sides, minDifference / 100);
  say(`\na: ${planned[0]?.plan.targets[0]?.redactedUrl ?? ""}\n`);
  const other = planned.find(({ side }) => side === "b");
  say(`b: ${other?.plan.targets[0]?.redactedUrl ?? ""}\n\n`);
  const { style, width } = runner.screen;
  runner.write(
    style === "json" ? jsonLine(comparisonJson(comparisons)) : comparisonText(comparisons, width),
  );
  const names = await writeComparison(directory, sides, comparisons, minDifference / 100);
  say(`artifacts: ${directory}/a/, b/, ${names.join(", ")}\n`);
  return EXIT_CODE.done;
}

async function plannedBlocks(
  options: ProfileOptions,
  urls: readonly string[],
  blocks: number,
  directory: string,
  runner: BlockRunner,
): Promise<Block[]> {
  const { requestCount, benchmarkDuration } = options;
  const seed = options.randomSeed ?? Math.floor(Math.random() * 2 ** 30);
  const models = new Map<string, readonly string[]>();
  const planned: Block[] = [];
  for (let block = 0; block < blocks; block++) {
    const pair = SIDES.map((side, i) => ({ side, url: urls[i] as string }));
    for (const { side, url } of block % 2 === 0 ? pair : pair.reverse()) {
      const known = options.model ?? models.get(side);
      const plan = await runner.resolve({
        ...options,
        url: [url],
        // Both sides of a pair get the same requests, and no block those of an earlier one.
        randomSeed: seed + block,
        artifactDir: `${directory}/${side}/${String(block + 1).padStart(2, "0")}`,
        ...(known === undefined ? {} : { model: [...known] }),
        ...(requestCount === undefined ? {} : { requestCount: Math.ceil(requestCount / blocks) }),
        ...(benchmarkDuration === undefined
          ? {}
          : { benchmarkDuration: benchmarkDuration / blocks }),
      });
      models.set(side, plan.models);
      planned.push({ side, plan });
    }
  }
  return planned;
}

/** The folder itself if there is nothing in it, or a numbered one beside it. */
async function freeFolder(wanted: string, overwrite: boolean): Promise<string> {
  const directory = withoutEndSlash(wanted);
  for (let number = 1;; number++) {
    const candidate = number === 1 ? directory : `${directory}-${number}`;
    if (overwrite || await isEmptyFolder(candidate)) return candidate;
  }
}
