import type { Command } from "npm:commander@15.1.0";
import { AIPERF_OPTIONS } from "../../config/options/commands/aiperf_options.ts";
import { noEffectNotice } from "../../config/options/no_effect_notice.ts";
import { PROFILE_COMMAND_OPTIONS } from "../../config/options/commands/option_tables.ts";
import { optionValues } from "../../config/options/config/option_values.ts";
import { resolveOptions } from "../../config/options/resolve_options.ts";
import { sweptOptions } from "../../config/options/swept_options.ts";
import type { UsageError } from "../../config/options/usage_error.ts";
import { resolvePlan } from "../../config/plan/resolve/resolve_plan.ts";
import { campaignManifest } from "../campaign/campaign_manifest.ts";
import { isCampaign } from "../campaign/is_campaign.ts";
import { firstOptions, pointPlans, sharedOptions } from "../campaign/planned_campaign.ts";
import { writeMessage, writeOut } from "../terminal/terminal.ts";

/**
 * Runs `inferometer config validate FILE`: makes the plans of all runs as `profile` would, and sends
 * nothing.
 * @throws {UsageError} naming the place in the file, or the option, that cannot be used
 */
export async function configValidate(command: Command, file: string): Promise<void> {
  command.setOptionValue("config", file);
  const given = await optionValues(command, PROFILE_COMMAND_OPTIONS);
  const { base, swept } = sweptOptions(PROFILE_COMMAND_OPTIONS, given);
  const settings = resolveOptions(PROFILE_COMMAND_OPTIONS, base);
  const warn = (text: string): void => writeMessage("warning", text);
  const ignored = noEffectNotice(AIPERF_OPTIONS, base);
  if (ignored !== undefined) warn(ignored);
  const { inspectInput } = await import("../../run/runner/inspected_input.ts");
  const machine = { cores: navigator.hardwareConcurrency, calibration: undefined };
  const context = {
    ...machine,
    secrets: [],
    cliCommand: "",
    findModel: () => Promise.resolve(undefined),
    inspectInput,
    // The machine that measures may know it.
    onUnknownHost: ({ message }: UsageError) => warn(`${message} from here`),
    onWarning: warn,
    onNotice: (text: string) => writeMessage("note", text),
  };
  if (!isCampaign(settings, swept)) {
    await resolvePlan(base, context);
    writeOut(`${file} is valid: one run\n`);
    return;
  }
  const manifest = campaignManifest(given, settings, "");
  const options = sharedOptions(base, manifest);
  const first = await resolvePlan(await firstOptions(options, manifest), context);
  for await (const _ of pointPlans({ first, options, machine }, manifest)) { /* each is checked */ }
  const { points, search, shape } = manifest;
  const runs = shape.trials === 1 ? "" : `, ${shape.trials} runs of each`;
  writeOut(
    `${file} is valid: ${
      search !== undefined
        ? `a search of the largest ${search.variable}`
        : shape.kind === "runs"
        ? `${shape.trials} runs`
        : `${points.length} points${runs}`
    }\n`,
  );
}
