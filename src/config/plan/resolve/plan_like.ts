import { configuredType } from "../../../client/endpoint/endpoint_types.ts";
import type { ProfileOptions } from "../../options/profile/profile_types.ts";
import { newBenchmarkId } from "./benchmark_id.ts";
import { checkSessions } from "./check_sessions.ts";
import { defaultSeed } from "./default_seed.ts";
import { meantSettings } from "./meant_settings.ts";
import { type Machine, plannedWorkers } from "../load/planned_workers.ts";
import { resolveDataset } from "../prompts/resolve_dataset.ts";
import { resolveInput } from "../prompts/resolve_input.ts";
import { resolveOutput } from "./resolve_output.ts";
import { resolvePhases } from "../load/resolve_phases.ts";
import { promptsPlan } from "../prompts/resolve_prompts.ts";
import { publicEntries } from "../prompts/resolve_public_dataset.ts";
import { resolveSlos } from "./resolve_slos.ts";
import type { PhasePlan, RunPlan } from "../run_plan.ts";

/**
 * The plan of another run of the same command: other lengths, load and folder, against the same
 * servers with the same credentials. Nothing is read or looked up.
 * @param options of the other run; those of the plan's own but for some numbers and texts
 * @throws {UsageError} naming the option that cannot be used
 */
export function planLike(plan: RunPlan, options: ProfileOptions, machine: Machine): RunPlan {
  const { settings } = meantSettings(options);
  checkSessions(settings, configuredType(plan));
  const { dataset } = plan;
  const { load } = plan.phases.at(-1) as PhasePlan;
  const phases = resolvePhases(settings, {
    series: load.loop === "open" ? load.rateSeries : undefined,
    isSchedule: dataset.source === "file" && dataset.schedule !== undefined,
  });
  const profiling = phases.at(-1) as PhasePlan;
  const seed = settings.randomSeed ?? defaultSeed(plan.shard);
  return {
    ...plan,
    benchmarkId: newBenchmarkId(),
    dataset: dataset.source === "file"
      ? {
        ...dataset,
        outputTokensMean: settings.osl,
        outputTokensStddev: settings.oslStddev,
        ...(dataset.public === undefined
          ? {}
          : { public: { ...dataset.public, entries: publicEntries(settings, phases) } }),
      }
      : resolveDataset(
        settings,
        phases,
        resolveInput(settings, undefined),
        seed,
        promptsPlan(settings, configuredType(plan)),
      ),
    phases,
    workers: plannedWorkers(settings, phases, machine),
    seed,
    slos: resolveSlos(settings, plan.gpuTelemetry?.customFields ?? [], plan.verify),
    abortOnSlo: settings.abortOnSlo,
    output: resolveOutput(settings, plan.models, plan.endpointType, profiling),
  };
}
