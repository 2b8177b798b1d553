/** A command of several runs: what it is to do, and what comes of it. */

import type { ProfileOptions } from "../../config/options/profile/profile_types.ts";
import type { RunPlan } from "../../config/plan/run_plan.ts";
import type { Calibration } from "../../measurement/calibration/calibration.ts";
import type { RunProgress } from "../../report/model/run_progress.ts";
import type { SweepManifest } from "../../report/sweep/sweep_manifest.ts";
import type { Screen } from "../../results/collect/messages.ts";
import type { CacheReset } from "../runner/reset_prefix_cache.ts";

/** See the module's comment. */
export interface Campaign {
  /** The command's folder, as an absolute path. */
  readonly directory: string;
  readonly manifest: SweepManifest;
  /** Those of every run; what varies is put over them. */
  readonly options: ProfileOptions;
  /** Of a run; the others follow from it. */
  readonly plan: RunPlan;
  readonly machine: {
    readonly cores: number;
    readonly calibration: Calibration | undefined;
  };
  readonly idleTimeoutMs: number;
  /** undefined to leave prefix caches alone. */
  readonly reset: CacheReset | undefined;
  readonly screen: Screen;
  readonly showTable: boolean;
}

/** What a run's end means for the command. */
export interface RunVerdict {
  readonly label: string;
  readonly sent: number;
  readonly succeeded: number;
  readonly failed: number;
  /** Why it was stopped for its failures; undefined if it was not. */
  readonly stopped: string | undefined;
  readonly gatesMet: boolean;
  /** Which statistics that must be valid are not; undefined if all are, or none must be. */
  readonly validityProblem: string | undefined;
  /** Why a file could not be written; undefined if all are there. */
  readonly exportFailure: string | undefined;
}

/** What the runs came to. */
export interface CampaignOutcome {
  /** The combined results as text for the screen. */
  readonly text: string;
  /** The same as Markdown. */
  readonly markdown: string;
  /** Of all runs that there are, those of an earlier command that were kept included. */
  readonly runs: readonly RunVerdict[];
  /** Whether a search has found an answer; undefined where nothing was searched. */
  readonly isFound: boolean | undefined;
  /** Whether the runs ended before their time, for a reason that was told. */
  readonly hasFailed: boolean;
}

/** Callbacks of runs under way. */
export interface CampaignHooks {
  readonly interrupt: AbortSignal;
  onProgress(progress: RunProgress): void;
  onStage(text: string): void;
  onWarning(text: string): void;
  /** Called with each line of the table of runs: its head, then one for each run that has ended. */
  onLine(line: string): void;
  /** Called when the threads of a run have what they need. */
  onThreadsStarted(): Promise<void>;
  /** Called when nothing more is sent: what is left is to write files. */
  onLastRunEnd(): Promise<void>;
}
