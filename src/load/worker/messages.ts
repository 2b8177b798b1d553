/** Messages between the threads of a run; shared numbers are in the control block. */

import type { PayloadData } from "../dataset/payloads/payload_table.ts";
import type { RunEnd } from "../../core/run_end/end_reason.ts";
import type { PayloadPage } from "../dataset/payloads/payload_page.ts";
import type { PhasePlan, RunPlan } from "../../config/plan/run_plan.ts";
import type { Stall } from "../../core/thread/stall_detector.ts";
import type { WorkloadSource } from "../workload/workload.ts";
import type { CanaryOrders } from "./canary_reader.ts";

/** From main to a load worker. */
export type ToLoadWorker =
  /** Orders for this run will come: the thread prepares for what it will have to do. */
  | { readonly type: "rehearse"; readonly plan: RunPlan }
  | LoadOrders & {
    readonly type: "init";
    readonly control: SharedArrayBuffer;
    /** Where the clocks are compared: see {@linkcode ClockCells}. */
    readonly clock: SharedArrayBuffer;
    /** Where blocks of records go: a {@linkcode RecordMessage} each. */
    readonly results: MessagePort;
    /** Port on which the pacer announces due requests; undefined without an arrival process. */
    readonly ticks: MessagePort | undefined;
    /** Ways to the other workers' gates, by their numbers; empty where none waits for another. */
    readonly peers: readonly (MessagePort | undefined)[];
  }
  | { readonly type: "phase"; readonly phase: PhaseStart }
  /** The next conversations of a file that is sent while it is read. */
  | { readonly type: "page"; readonly page: PayloadPage }
  /** The control block says that nothing more is to be sent. */
  | { readonly type: "stop" }
  /** The run is over: the thread gives up what it had for it, and waits for other orders. */
  | { readonly type: "rest" }
  /** Requests still running end now. */
  | { readonly type: "cancel"; readonly reason: CancelReason };

/** Why running requests are ended: the grace period is over, or the run is, before its time. */
export type CancelReason = "cut_off" | "interrupted" | "given_up";

/** Task of a load worker in this run. */
export interface LoadOrders {
  /** Number of the worker. */
  readonly worker: number;
  readonly plan: RunPlan;
  readonly payloads: PayloadData;
  readonly workload: WorkloadSource;
  /** Where canaries come from; undefined for none. */
  readonly canaries: CanaryOrders | undefined;
}

/** A phase as its workers need it. */
export interface PhaseStart {
  readonly plan: PhasePlan;
  /** When it begins, on the run's clock; arrivals count from here. */
  readonly startNs: number;
  /** Offset that this thread adds to its `performance.now()` for the run's clock. */
  readonly clockOffsetMs: number;
  /**
   * Users of a closed loop on this worker: every `workers`-th user, starting at the worker's
   * number.
   */
  readonly slots: number;
  /** Connections that an open loop opens beforehand on this worker. */
  readonly connections: number;
  /** Number of all workers. */
  readonly workers: number;
}

/** From a load worker to main. */
export type FromLoadWorker =
  | { readonly type: "ready" }
  /** Message that the run should not continue; nothing more is sent. */
  | { readonly type: "givenUp"; readonly end: RunEnd }
  /** Every request of the phase that this worker claimed has ended, and its records are sent. */
  | {
    readonly type: "phaseDone";
    readonly loopLagMs: Float64Array;
    /** Stalls of this thread. */
    readonly stalls: readonly Stall[];
  };

/** From a load worker to the results worker. */
export type RecordMessage =
  | {
    readonly type: "records";
    readonly block: import("../../client/record/record_block.ts").RecordBlock;
  }
  /** Canaries that were read: see {@linkcode CANARY_FIELDS}. */
  | { readonly type: "canaries"; readonly rows: Float64Array<ArrayBuffer> }
  /** The last record of a phase has been sent. */
  | { readonly type: "phaseEnd" };

/** From main to the pacer. */
export interface PacerStart {
  readonly plan: PhasePlan;
  /**
   * Number of the phase in the control block: the pacer may be so late that the next one has begun.
   */
  readonly phase: number;
  readonly startNs: number;
  readonly clockOffsetMs: number;
}

/** From main to the pacer, first of all. */
export interface PacerInit {
  readonly workload: WorkloadSource;
  readonly control: SharedArrayBuffer;
  /** Where the clocks are compared. */
  readonly clock: SharedArrayBuffer;
  /** One for each load worker. */
  readonly ticks: readonly MessagePort[];
}
