/**
 * Which session sends which request, and when.
 *
 * A workload is a pure function of the run's plan, its seed and the number of a session: every
 * caller gets the same answer in any order, independent of earlier requests. So the threads of a
 * run need to agree on nothing but numbers, and several machines can share a run by taking every
 * n-th number each.
 *
 * How requests are transported, and how many are in flight at once, is not known here. A new load
 * shape is a file that implements {@linkcode Workload}, as `single_turn_workload.ts` does, and a
 * line in `create_workload.ts`.
 */

import type { RunPlan } from "../../config/plan/run_plan.ts";
import type { Shard } from "../../config/shard/shard.ts";
import type { PlayedCall } from "../dataset/payloads/graph_columns.ts";
import type { PayloadData } from "../dataset/payloads/payload_table.ts";

/** Requests that one phase sends. */
export interface Workload {
  /** How many sessions there are, numbered from 0; Infinity for no limit. */
  readonly sessionCount: number;
  /**
   * How many requests the sessions send altogether, where they may have several each; Infinity for
   * no limit. undefined where a session is one request, whose number is the session's.
   */
  readonly turnLimit: number | undefined;
  /** Sessions, from the first one, that can begin: more may come while a file is read. Absent for all. */
  readonly readyCount?: number | undefined;
  /** Returns the requests of a session. */
  session(index: number): Session;
  /**
   * Nanoseconds from the start of the phase before which a session does not begin; they never
   * descend. 0 in a closed loop, where the next session begins when a user is free.
   */
  arrivalNs(index: number): number;
  /**
   * Number in the whole run of the request that is the n-th of this process, from 0; only where
   * sessions have several requests. Absent where it is that number.
   */
  requestNumber?(own: number): number;
}

/** Requests that one user sends, turn by turn. */
export interface Session {
  readonly index: number;
  /** Each is sent after the reply to the one before; the session ends with one that fails. */
  readonly turns: readonly [first: Turn, ...later: Turn[]];
  /** Which turns wait for which others; absent where each follows the one before it. */
  readonly calls?: readonly PlayedCall[];
}

/** One request of a session. */
export interface Turn {
  /** Entry of the payload table that it sends. */
  readonly entry: number;
  /** Number of the target that it goes to. */
  readonly target: number;
  /** Number of the model that it asks. */
  readonly model: number;
  /** Nanoseconds that pass between the reply to the turn before and this one. */
  readonly delayNs: number;
  /**
   * Nanoseconds from the start of the phase at which it is sent, but not before the reply to the turn
   * before: then the delay does not count. Absent without a schedule.
   */
  readonly atNs?: number;
  /**
   * Nanoseconds from when the turn before was due to this one, but not before the reply to that: then
   * the delay does not count. Absent where only the reply counts.
   */
  readonly afterDueNs?: number;
}

/**
 * Data from which workloads are built, for every phase of a run: plain data, so that it can be
 * posted.
 */
export interface WorkloadSource {
  readonly seed: RunPlan["seed"];
  readonly samplingStrategy: RunPlan["samplingStrategy"];
  readonly targetCount: number;
  readonly modelCount: PayloadData["modelCount"];
  readonly modelSelection?: RunPlan["modelSelection"];
  readonly profilingEntries: PayloadData["profilingEntries"];
  readonly warmupEntries: PayloadData["warmupEntries"];
  readonly conversations: PayloadData["conversations"];
  /** Conversations come in pages; absent where they are all there. */
  readonly pages?: PagedSource;
  /** Whether recorded sessions may be replayed more than once each. @default false */
  readonly wrapsSessions?: boolean;
  /** Time of the trace, in nanoseconds, at which a schedule begins; absent for its first. */
  readonly scheduleZeroNs?: number;
  /** The part of the run that this process has; absent for the whole. */
  readonly shard?: Shard | undefined;
}

/** State that the threads of a run share while a file is read and sent. */
export interface PagedSource {
  /** An {@linkcode ArrivalRing}. */
  readonly arrivals: SharedArrayBuffer;
}
