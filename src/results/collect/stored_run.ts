import type { RunSample } from "../../measurement/compare/run_sample.ts";
import type { JudgedRun } from "../../config/gate/judged_run.ts";
import type { EndReason } from "../../core/run_end/end_reason.ts";
import type { RunTag } from "../../config/plan/run_plan.ts";
import type { ServerInfo } from "../../report/server_info/server_info.ts";
import type { WindowName } from "../../report/model/window_name.ts";
import type { ServerTimeline } from "../../report/model/server_timeline.ts";

/** A run that lies in a folder, as gates and comparisons see it. */
export interface StoredRun {
  /** Where it lies, as it was named. */
  readonly directory: string;
  readonly judged: JudgedRun;
  readonly sample: RunSample;
  /** The part of the run that both are of. */
  readonly window: WindowName;
  /** The servers' metrics over time; nanoseconds since the sample's first request began. */
  readonly timeline: ServerTimeline;
  /** Its settings, under AIPerf's names. */
  readonly settings: Readonly<Record<string, unknown>>;
  /** The user's labels, by ascending names. */
  readonly tags: readonly RunTag[];
  /** What its servers said of themselves. */
  readonly servers: readonly ServerInfo[];
  /** The program that made it: `inferometer/0.1.0`; undefined if it does not say. */
  readonly product: string | undefined;
  /** The machine it was made on; undefined if it does not say. */
  readonly machine: string | undefined;
  /** Why its figures are not those of a whole run; undefined if they are. */
  readonly partial: string | undefined;
  /** Why it is not comparable with other runs; undefined if it is, or if that is not known. */
  readonly incomparable: string | undefined;
  /** Code of why the run did not do all that was planned; undefined if it did. */
  readonly endReason: EndReason | undefined;
  /** Worst verdict of the statistics that it is judged by; undefined if that is not known. */
  readonly verdict: string | undefined;
  /** Losses in its files since they were written, a phrase each; empty for none. */
  readonly damage: readonly string[];
}
