import type { RunPlan } from "../../config/plan/run_plan.ts";
import type { EndReason } from "../../core/run_end/end_reason.ts";
import type { Paging } from "../../load/dataset/conversations/page_reader.ts";
import type { LiveModel } from "../../report/live/live_model.ts";
import type { RunProgress } from "../../report/model/run_progress.ts";
import type { Screen } from "../../results/collect/messages.ts";
import type { KeptThreads } from "./kept_threads.ts";
import type { LiveAddress } from "./live_client.ts";
import type { LoadPoolModules } from "./load_modules.ts";
import type { LoadSteering } from "./load_steering.ts";
import type { ResultsClient } from "./results_client.ts";

/** Threads that earlier runs of a process have left to the next ones. */
export interface WarmThreads {
  /**
   * A thread of results that earlier runs have warmed up and that may write this run's folder, too;
   * it is left running.
   */
  readonly results?: ResultsClient;
  /** Others, which the run leaves again. */
  readonly threads?: KeptThreads;
}

/** Callbacks of a run under way. */
export interface RunHooks extends WarmThreads {
  /** Ends the run early: what was measured is still written. */
  readonly interrupt?: AbortSignal;
  /** Called a few times a second. */
  onProgress?(progress: RunProgress): void;
  /** Called with what is done when all requests have ended. */
  onStage?(text: string): void;
  /**
   * Called with a sentence about something unexpected.
   * @param endReason code of why the run ends early; undefined if it continues
   */
  onWarning?(text: string, endReason?: EndReason): void;
  /** Called with a sentence about what was found out by itself. */
  onNotice?(text: string): void;
  /** Called when all threads have what they need: this thread may give up its permissions. */
  onThreadsStarted?(): Promise<void>;
  /** Called a few times a second with everything that is known of the moment. */
  onLive?(model: LiveModel): void;
  /** Where the run is served while it goes on; undefined for nowhere. */
  readonly live?: LiveAddress;
  /** Called when it is. */
  onServing?(): void;
  /** Called once with the means to change the load while it goes on. */
  onSteering?(steering: LoadSteering): void;
  /** Resolves when the servers' metrics have caught up with the load: the wait for that ends. */
  metricsSettled?(plan: RunPlan): Promise<void>;
  /** Sentences that the report has to carry, known before the run. */
  readonly notes?: readonly string[];
  /** The screen that the report is to be drawn for. */
  readonly screen?: Screen;
  /** When an input file is sent while it is read; for tests with small files. */
  readonly paging?: Paging;
  /** Code of the threads; for tests of what happens when they fail. */
  readonly modules?: LoadPoolModules;
}
