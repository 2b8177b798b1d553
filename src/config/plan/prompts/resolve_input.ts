import type { ProfileSettings } from "../../options/profile/profile_options.ts";
import { flagOf } from "../../options/option.ts";
import { UsageError } from "../../options/usage_error.ts";
import type { InputFacts } from "../input_facts.ts";
import type { SchedulePlan, SynthesisPlan } from "../run_plan.ts";

/** Plan of an input file. */
export interface InputPlan {
  readonly facts: InputFacts | undefined;
  readonly schedule: SchedulePlan | undefined;
  readonly synthesis: SynthesisPlan;
  /** Notes for the user. */
  readonly warnings: readonly string[];
}

/** Options that change rows of lengths, which other formats do not have. */
const TRACE_OPTIONS = [
  ...["islBlockSize", "synthesisPrefixLenMultiplier", "synthesisPrefixRootMultiplier"],
  ...["synthesisPromptLenMultiplier", "synthesisOutputLenMultiplier", "synthesisMaxIsl"],
  "synthesisMaxOsl",
] as const satisfies readonly (keyof ProfileSettings)[];

/** Options of send times, which a schedule determines itself. */
const RATE_OPTIONS = [
  ...["requestRate", "requestRateSeries", "userCentricRate", "requestRateRampDuration"],
  ...["arrivalPattern", "arrivalSmoothness"],
] as const satisfies readonly (keyof ProfileSettings)[];

/**
 * Decides whether the times of an input file are replayed, and how the file is changed.
 *
 * They are with `--fixed-schedule`, and where the user names a format of traces and the file has
 * times, as AIPerf does it; `--no-fixed-schedule` prevents that.
 * @throws {UsageError} if options do not fit the file
 */
export function resolveInput(
  settings: ProfileSettings,
  facts: InputFacts | undefined,
): InputPlan {
  const { inputFile, fixedSchedule, noFixedSchedule, customDatasetType } = settings;
  const synthesis = synthesisPlan(settings);
  const plan = { facts, schedule: undefined, synthesis, warnings: [] };
  if (inputFile === undefined) return plan;
  if (facts !== undefined && !facts.isTrace) checkNoTraceOptions(settings, facts);
  if (fixedSchedule && facts?.hasTimestamps === false) {
    throw new UsageError(
      "--fixed-schedule",
      `The first record of ${inputFile} (${facts.format}) has no timestamp that could be replayed: ` +
        "traces, single-turn and multi-turn may have them, as numbers",
    );
  }
  const isNamedTrace = facts?.isTrace === true && facts.hasTimestamps &&
    customDatasetType !== undefined && !settings.ignoreTraceDelays;
  if (fixedSchedule && settings.ignoreTraceDelays) {
    throw new UsageError(
      "--ignore-trace-delays",
      "Leaves --fixed-schedule no times: leave one out",
    );
  }
  if (fixedSchedule || (isNamedTrace && !noFixedSchedule)) {
    checkSchedule(settings, fixedSchedule);
    return { ...plan, schedule: schedulePlan(settings) };
  }
  for (const name of ["fixedScheduleStartOffset", "fixedScheduleEndOffset"] as const) {
    if (settings[name] !== undefined) throw new UsageError(flagOf(name), "Needs --fixed-schedule");
  }
  const isUnwanted = noFixedSchedule || settings.ignoreTraceDelays;
  if (facts?.hasTimestamps !== true || isUnwanted) return plan;
  return {
    ...plan,
    warnings: [
      `${inputFile} has timestamps, which are not replayed: --fixed-schedule replays them, ` +
      "--no-fixed-schedule says that they are not wanted",
    ],
  };
}

function checkNoTraceOptions(settings: ProfileSettings, { format }: InputFacts): void {
  for (const name of TRACE_OPTIONS) {
    if (isAsked(settings, name)) {
      throw new UsageError(
        flagOf(name),
        `Needs a trace (mooncake-trace, bailian-trace, burst-gpt-trace), not ${format}`,
      );
    }
  }
}

/** Whether an option asks for something: factors of 1 do not. */
function isAsked(settings: ProfileSettings, name: (typeof TRACE_OPTIONS)[number]): boolean {
  const value = settings[name];
  return value !== undefined && !(name.endsWith("Multiplier") && value === 1);
}

/** @param isAsked whether the user asked for the schedule */
function checkSchedule(settings: ProfileSettings, isAsked: boolean): void {
  const { datasetSamplingStrategy } = settings;
  const rated = RATE_OPTIONS.find((name) => settings[name] !== undefined);
  if (rated !== undefined) {
    throw new UsageError(
      flagOf(rated),
      isAsked
        ? "Cannot be combined with --fixed-schedule, which sends at the file's times"
        : "The input file is a trace and sent at its own times; --no-fixed-schedule prevents that",
    );
  }
  if (datasetSamplingStrategy !== "sequential") {
    throw new UsageError(
      "--dataset-sampling-strategy",
      `Must be sequential with a fixed schedule: got ${datasetSamplingStrategy}`,
    );
  }
  const { fixedScheduleStartOffset: start, fixedScheduleEndOffset: end } = settings;
  if (start !== undefined && end !== undefined && start > end) {
    throw new UsageError(
      "--fixed-schedule-start-offset",
      `Must not exceed --fixed-schedule-end-offset: got ${start} and ${end}`,
    );
  }
}

function schedulePlan(settings: ProfileSettings): SchedulePlan {
  const { fixedScheduleStartOffset: start, fixedScheduleEndOffset: end } = settings;
  return { zeroMs: start, startMs: start ?? -Infinity, endMs: end ?? Infinity };
}

function synthesisPlan(settings: ProfileSettings): SynthesisPlan {
  return {
    speedup: settings.synthesisSpeedupRatio,
    prefixLength: settings.synthesisPrefixLenMultiplier,
    prefixRoots: settings.synthesisPrefixRootMultiplier,
    promptLength: settings.synthesisPromptLenMultiplier,
    outputLength: settings.synthesisOutputLenMultiplier,
    maxInputTokens: settings.synthesisMaxIsl ?? Infinity,
    maxOutputTokens: settings.synthesisMaxOsl ?? Infinity,
  };
}
