import { flagOf } from "../../options/option.ts";
import type { ProfileSettings } from "../../options/profile/profile_options.ts";
import { UsageError } from "../../options/usage_error.ts";
import type { ScenarioPlan } from "../agents_plan.ts";
import { type Scenario, SCENARIOS } from "./scenarios.ts";

/** Returns settings with what their scenario sets where the user set nothing. */
export function scenarioSettings(settings: ProfileSettings): ProfileSettings {
  const scenario = scenarioOf(settings);
  if (scenario === undefined) return settings;
  const changed: Record<string, unknown> = {};
  for (const [name, value] of Object.entries(scenario.defaults(settings))) {
    const given = settings[name as keyof ProfileSettings];
    // A flag that is off cannot be told from one that was not given.
    if (given === undefined || given === false) changed[name] = value;
  }
  return { ...settings, ...changed };
}

/**
 * Checks the settings that a scenario locks.
 * @param format of the sessions
 * @returns the scenario; undefined for none
 * @throws {UsageError} naming a setting and the lock that it breaks, unless that is overridden
 */
export function scenarioPlan(
  settings: ProfileSettings,
  format: string,
): ScenarioPlan | undefined {
  const scenario = scenarioOf(settings);
  if (scenario === undefined) return undefined;
  const broken = scenario.locks(settings).find(([, isKept]) => !isKept);
  if (broken !== undefined && !settings.unsafeOverride) {
    const [option, , wanted] = broken;
    throw new UsageError(
      flagOf(option),
      `--scenario ${scenario.name} locks it to ${wanted}; --unsafe-override runs without a valid ` +
        "submission",
    );
  }
  const { name, version, limits, freeLengthTokens, marksRuns, endsWithFirstIdle } = scenario;
  return {
    ...{ name, version, limits },
    isOverridden: broken !== undefined,
    isDatasetApproved: format === scenario.format,
    ...(freeLengthTokens === undefined ? {} : { freeLengthTokens }),
    ...(marksRuns === undefined ? {} : { marksRuns }),
    ...(endsWithFirstIdle === undefined ? {} : { endsWithFirstIdle }),
  };
}

function scenarioOf({ scenario }: ProfileSettings): Scenario | undefined {
  return scenario === undefined ? undefined : SCENARIOS.find(({ name }) => name === scenario);
}
