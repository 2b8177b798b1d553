import type { Calibration } from "../../../measurement/calibration/calibration.ts";
import {
  calibratedWorkers,
  measurabilityWarning,
  type PlannedLoad,
} from "../../../measurement/calibration/plan_advice.ts";
import {
  CONCURRENCY_PER_WORKER,
  MAX_ARRIVALS_PER_WORKER,
  MAX_STREAMS_OF_SMALL_MACHINE,
  MAX_STREAMS_PER_WORKER,
  SMALL_MACHINE_WORKERS,
  STREAMS_PER_SHARED_CORE,
} from "../../options/profile/computed_defaults.ts";
import { MAX_WORKERS } from "../../options/max_workers.ts";
import type { ProfileSettings } from "../../options/profile/profile_options.ts";
import { sessionLimit } from "./resolve_phases.ts";
import type { PhasePlan, RunPlan } from "../run_plan.ts";

/** Properties of the machine on which plans depend. */
export interface Machine {
  /** Processors. */
  readonly cores: number;
  /** Measured limits of the machine, if known. */
  readonly calibration?: Calibration | undefined;
}

/**
 * Returns the load workers of a run: as many as its load can use, unless the user sets the number.
 */
export function plannedWorkers(
  settings: ProfileSettings,
  phases: readonly PhasePlan[],
  machine: Machine,
): number {
  return Math.min(
    settings.workers ?? defaultWorkers(phases, machine),
    // Further ones would never have a request to send.
    Math.max(...phases.map(sessionLimit)),
  );
}

/** Returns notes on a plan that this machine cannot measure; empty if it can. */
export function machineNotices(plan: RunPlan, { calibration }: Machine): string[] {
  if (!plan.body.streaming) return [];
  return calibrationNotices(calibration, plan.phases.at(-1) as PhasePlan, plan.workers);
}

function defaultWorkers(
  phases: readonly PhasePlan[],
  { cores, calibration }: Machine,
): number {
  const concurrency = Math.max(...phases.map(({ load }) => load.concurrency));
  const streams = Math.max(
    ...phases.map(({ load }) => load.loop === "closed" ? load.concurrency : 0),
  );
  const arrivals = Math.max(
    ...phases.map(({ load }) => load.loop === "open" ? load.ratePerSecond : 0),
  );
  const enough = Math.min(cores - 1, Math.ceil(concurrency / CONCURRENCY_PER_WORKER));
  const needed = Math.min(
    cores,
    Math.ceil(Math.max(streams / MAX_STREAMS_PER_WORKER, arrivals / MAX_ARRIVALS_PER_WORKER)),
  );
  const usual = Math.min(Math.max(1, enough, needed, sharing(streams, cores)), MAX_WORKERS);
  if (calibration === undefined) return usual;
  return Math.min(
    calibratedWorkers(calibration, loadOf(phases.at(-1) as PhasePlan), usual),
    concurrency,
    MAX_WORKERS,
  );
}

/** Load workers that keep the streams of each few enough, though cores may be fewer; 0 for none. */
function sharing(streams: number, cores: number): number {
  if (cores === 1 || streams > MAX_STREAMS_OF_SMALL_MACHINE) return 0;
  return Math.min(Math.ceil(streams / STREAMS_PER_SHARED_CORE), SMALL_MACHINE_WORKERS);
}

/** Returns notes on a plan that exceeds the calibrated limits of this machine. */
export function calibrationNotices(
  calibration: Calibration | undefined,
  profiling: PhasePlan,
  workers: number,
): string[] {
  if (calibration === undefined) return [];
  const warning = measurabilityWarning(calibration, loadOf(profiling), workers);
  return warning === undefined ? [] : [warning];
}

function loadOf({ load }: PhasePlan): PlannedLoad {
  return {
    concurrency: load.concurrency,
    ratePerSecond: load.loop === "open" ? load.ratePerSecond : undefined,
  };
}
