import type { Command } from "npm:commander@15.1.0";
import { CONFIG_OPTIONS } from "../../config/options/commands/config_options.ts";
import { PROFILE_COMMAND_OPTIONS } from "../../config/options/commands/option_tables.ts";
import { optionValues, sourcedValues } from "../../config/options/config/option_values.ts";
import { resolveOptions } from "../../config/options/resolve_options.ts";
import type { GivenOptions } from "../../config/options/settings.ts";
import { type SweptOption, sweptOptions } from "../../config/options/swept_options.ts";
import { UsageError } from "../../config/options/usage_error.ts";
import { runOptions } from "../../run/campaign/run_options.ts";
import type { SweepManifest } from "../../report/sweep/sweep_manifest.ts";
import type { SweepPoint } from "../../report/sweep/sweep_points.ts";
import { campaignManifest, type CommandOptions } from "../campaign/campaign_manifest.ts";
import { isCampaign } from "../campaign/is_campaign.ts";
import { configInForce } from "./config_text.ts";
import { sharedOptions } from "../campaign/planned_campaign.ts";
import { writeOut } from "../terminal/terminal.ts";

/** Options with where each comes from. */
interface Sourced {
  readonly given: CommandOptions;
  readonly sources: ReadonlyMap<string, string>;
}

/** Prints the options in force, and where each comes from. */
export async function configPrint(command: Command): Promise<void> {
  const { given, sources } = await sourced(command);
  writeOut(configInForce(PROFILE_COMMAND_OPTIONS, inForce(given), sources));
}

/**
 * Runs `inferometer config expand FILE`: prints what the file comes to once variables and
 * expressions are filled in, and the points of its sweep. What is printed can be read as a
 * configuration file; with several points in full it is one for each.
 * @throws {UsageError} if something cannot be used, or there is no such point
 */
export async function configExpand(command: Command, file: string): Promise<void> {
  command.setOptionValue("config", file);
  const { full = false, index } = await optionValues(command, CONFIG_OPTIONS);
  const { given, sources } = await sourced(command);
  const { base, swept } = sweptOptions(PROFILE_COMMAND_OPTIONS, given);
  const settings = resolveOptions(PROFILE_COMMAND_OPTIONS, base);
  const manifest = isCampaign(settings, swept) ? campaignManifest(given, settings, "") : undefined;
  const points = manifest?.points ?? [];
  const chosen = index === undefined ? points : points.filter((point) => point.index === index);
  if (index !== undefined && chosen.length === 0) {
    const last = points.length - 1;
    throw new UsageError(
      "--index",
      points.length < 2
        ? `${file} makes one point: got ${index}`
        : `Must be at most ${last}: got ${index}`,
    );
  }
  if (manifest === undefined || swept.length === 0 || (!full && index === undefined)) {
    const text = configInForce(PROFILE_COMMAND_OPTIONS, inForce(given), sources, full);
    const comment = manifest === undefined ? "# One run\n" : pointList(manifest, swept);
    writeOut(`${comment}${text}`);
    return;
  }
  const options = sharedOptions(base, manifest);
  const texts = [];
  for (const point of chosen) {
    const { artifactDir: _, overwrite: __, ...run } = await runOptions(
      options,
      manifest,
      { point, trial: 0 },
      "",
    );
    const values = inForce({ ...given, ...run });
    const own = pointSources(point, swept, sources, run.randomSeed !== undefined);
    texts.push(
      `# Point ${point.index}: ${point.label}\n` +
        configInForce(PROFILE_COMMAND_OPTIONS, values, own, full),
    );
  }
  writeOut(texts.join("---\n"));
}

async function sourced(command: Command): Promise<Sourced> {
  const values = await sourcedValues(command, PROFILE_COMMAND_OPTIONS);
  return {
    given: Object.fromEntries([...values].map(([name, { value }]) => [name, value])),
    sources: new Map([...values].map(([name, { source }]) => [name, source])),
  };
}

/** Values with defaults, lists of sweeps as lists. */
function inForce(given: CommandOptions): Readonly<Record<string, unknown>> {
  const { base, swept } = sweptOptions(PROFILE_COMMAND_OPTIONS, given);
  return {
    ...resolveOptions(
      PROFILE_COMMAND_OPTIONS,
      base as GivenOptions<typeof PROFILE_COMMAND_OPTIONS>,
    ),
    ...Object.fromEntries(swept.map(({ option, values }) => [option, values])),
  };
}

/** A point says which options are its own. */
function pointSources(
  point: SweepPoint,
  swept: readonly SweptOption[],
  sources: ReadonlyMap<string, string>,
  hasSeed: boolean,
): ReadonlyMap<string, string> {
  return new Map([
    ...sources,
    ...(hasSeed ? [["randomSeed", `point ${point.index}`] as const] : []),
    ...swept.map(({ option }) => [option, `point ${point.index}`] as const),
  ]);
}

function pointList(
  { points, search, shape, sweepType }: SweepManifest,
  swept: readonly SweptOption[],
): string {
  const each = shape.trials === 1 ? "" : `, ${shape.trials} runs of each`;
  if (search !== undefined) {
    return `# A search of the largest ${search.variable} from ${search.min} to ${search.max}\n`;
  }
  if (swept.length === 0) return `# ${shape.trials} runs\n`;
  const kind = swept.length === 1 ? "" : ` (${sweepType})`;
  const widest = Math.max(...points.map(({ label }) => label.length));
  const lines = points.map(({ index, label, folder }) =>
    `#   ${String(index).padStart(String(points.length - 1).length)}  ${
      label.padEnd(widest)
    }  ${folder}\n`
  );
  return `# ${points.length} points${kind}${each}\n${lines.join("")}`;
}
