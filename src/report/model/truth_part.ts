/** A part of what servers report about themselves. */

import type { MetricResults } from "../../measurement/metrics/metric_results.ts";
import type { RunPlan } from "../../config/plan/run_plan.ts";
import type { PrefixIdeal } from "../../measurement/prefix/ideal_hits.ts";
import type { RequestCounts } from "./request_counts.ts";
import type { ServerRoles } from "./server_roles.ts";

/** Inputs of the parts. */
export interface TruthInput {
  readonly plan: RunPlan;
  readonly results: MetricResults;
  readonly requests: RequestCounts;
  /** Roles over the whole profiling phase; undefined if no server metrics were collected. */
  readonly roles: ServerRoles | undefined;
  /** Hits that prefix caches could have had; undefined where that was not found. */
  readonly prefix?: PrefixIdeal | undefined;
  /** Drafts whose token at each position was accepted, by replies; undefined if these have none. */
  readonly acceptedAt?: readonly number[] | undefined;
  /** Whether sessions have several turns, so that later prompts contain replies. @default false */
  readonly hasTurns?: boolean;
  /** The part of the run that is shown; undefined for the whole run. */
  readonly shown?: TruthWindow | undefined;
}

/** A part of a run, with the results of the client and the roles of the servers over it. */
export interface TruthWindow {
  readonly name: "steady" | "run";
  readonly results: MetricResults;
  readonly roles: ServerRoles | undefined;
}

/** Why values of a part are not known, by their names: `hit_rate`. */
export type TruthReasons = Readonly<Record<string, string>>;

/** A part of the server truth: values under the names of files, and why some are null. */
export interface TruthPart<V> {
  readonly values: V;
  readonly reasons: TruthReasons;
}
