import { flagOf } from "../../options/option.ts";
import type { ProfileSettings } from "../../options/profile/profile_options.ts";
import { UsageError } from "../../options/usage_error.ts";
import type { ScenarioPlan } from "../agents_plan.ts";

/** Least duration of a valid run, and the usual one, in seconds. */
const LEAST_SCENARIO_SECONDS = 900;
const SCENARIO_SECONDS = 1800;
const SYSTEM_IDLE_SECONDS = 10;
/** Version of AIPerf whose locks these are. */
const VERSION = "0.13.0";

/** A setting that a scenario locks: whether it is kept, and what is wanted. */
type Lock = readonly [name: keyof ProfileSettings, isKept: boolean, wanted: string];

/** Returns settings with what their scenario sets where the user set nothing. */
export function scenarioSettings(settings: ProfileSettings): ProfileSettings {
  if (settings.scenario === undefined) return settings;
  return {
    ...settings,
    benchmarkDuration: settings.benchmarkDuration ?? SCENARIO_SECONDS,
    trajectoryStartMinRatio: settings.trajectoryStartMinRatio ?? 0,
    trajectoryStartMaxRatio: settings.trajectoryStartMaxRatio ?? 1,
    systemIdleGapCapSeconds: settings.systemIdleGapCapSeconds ?? SYSTEM_IDLE_SECONDS,
  };
}

/**
 * Checks the settings that a scenario locks.
 * @returns the scenario; undefined for none
 * @throws {UsageError} naming a setting and the lock that it breaks, unless that is overridden
 */
export function scenarioPlan(settings: ProfileSettings): ScenarioPlan | undefined {
  const { scenario: name, unsafeOverride } = settings;
  if (name === undefined) return undefined;
  const broken = locksOf(settings).find(([, isKept]) => !isKept);
  if (broken !== undefined && !unsafeOverride) {
    const [option, , wanted] = broken;
    throw new UsageError(
      flagOf(option),
      `--scenario ${name} locks it to ${wanted}; --unsafe-override runs without a valid submission`,
    );
  }
  return { name, version: VERSION, isOverridden: broken !== undefined };
}

function locksOf(settings: ProfileSettings): Lock[] {
  const isUnset = (value: unknown): boolean => value === undefined || value === "recorded";
  return [
    ["streaming", settings.streaming, "on"],
    ["ignoreTraceDelays", !settings.ignoreTraceDelays, "off"],
    [
      "benchmarkDuration",
      (settings.benchmarkDuration ?? SCENARIO_SECONDS) >= LEAST_SCENARIO_SECONDS,
      `at least ${LEAST_SCENARIO_SECONDS} s`,
    ],
    ["trajectoryStartMinRatio", settings.trajectoryStartMinRatio === 0, "0"],
    ["trajectoryStartMaxRatio", settings.trajectoryStartMaxRatio === 1, "1"],
    [
      "systemIdleGapCapSeconds",
      settings.systemIdleGapCapSeconds === SYSTEM_IDLE_SECONDS,
      `${SYSTEM_IDLE_SECONDS} s`,
    ],
    ["traceIdleGapCapSeconds", settings.traceIdleGapCapSeconds === undefined, "none"],
    ["interTurnDelayCapSeconds", settings.interTurnDelayCapSeconds === undefined, "none"],
    ["toolTime", isUnset(settings.toolTime), "recorded"],
    ["userTime", isUnset(settings.userTime), "recorded"],
    ["history", isUnset(settings.history), "recorded"],
    [
      "cacheBust",
      settings.cacheBust === undefined || settings.cacheBust === "first-turn-prefix",
      "first-turn-prefix",
    ],
  ];
}
