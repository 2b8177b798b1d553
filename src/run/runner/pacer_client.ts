import type { PhasePlan, RunPlan } from "../../config/plan/run_plan.ts";
import { pacerPermissions } from "../../config/sandbox/permissions.ts";
import { startThread, type Thread } from "../../config/sandbox/start_thread.ts";
import type { ClockCells } from "../../core/thread/clock_cells.ts";
import type { LeadingClock } from "../../core/thread/run_clock.ts";
import { connectionsAhead } from "../../load/worker/connections_ahead.ts";
import type { ControlBlock } from "../../load/worker/control_block.ts";
import type { PacerInit, PacerStart } from "../../load/worker/messages.ts";
import { createWorkload } from "../../load/workload/create_workload.ts";
import type { WorkloadSource } from "../../load/workload/workload.ts";

/** Time from the order to begin an open loop to its time zero, so that every thread is ready. */
const OPEN_LOOP_LEAD_NS = 2e6;
/** Additional time for each connection that is opened before, and that the server has to accept. */
const CONNECTION_LEAD_NS = 0.3e6;

/**
 * Main's end of the pacer, the thread that wakes the load workers when requests of an open loop are
 * due. Phases with a closed loop have no arrivals: for them, no method does anything.
 */
export class PacerClient {
  readonly #plan: RunPlan;
  readonly #control: ControlBlock;
  readonly #thread: Thread;
  #workload: WorkloadSource | undefined;
  #clockOffsetMs = 0;

  /** Starts the thread; returns undefined if no phase of the plan has an open loop. */
  static start(
    plan: RunPlan,
    control: ControlBlock,
    module: URL,
    onDeath: (reason: string) => void,
  ): PacerClient | undefined {
    return plan.phases.some(({ load }) => load.loop === "open")
      ? new PacerClient(plan, control, module, onDeath)
      : undefined;
  }

  private constructor(
    plan: RunPlan,
    control: ControlBlock,
    module: URL,
    onDeath: (reason: string) => void,
  ) {
    this.#plan = plan;
    this.#control = control;
    this.#thread = startThread(module, pacerPermissions(), onDeath);
  }

  /** Resolves when the thread takes orders. */
  get ready(): Promise<void> {
    return this.#thread.ready;
  }

  /**
   * Gives the pacer its orders and sets its clock, which blocks this thread.
   * @param ticks where it wakes the load workers, one port for each
   */
  init(
    workload: WorkloadSource,
    ticks: readonly MessagePort[],
    clock: LeadingClock,
    cells: ClockCells,
  ): void {
    this.#workload = workload;
    const message: PacerInit = {
      workload,
      control: this.#control.buffer,
      clock: cells.buffer,
      ticks,
    };
    this.#thread.worker.postMessage(message, [...ticks]);
    this.#clockOffsetMs = clock.handshake(cells);
  }

  /** Returns the number of connections that the load workers open before a phase begins. */
  connectionsAhead(phase: PhasePlan): number {
    const { load } = phase;
    if (load.loop === "closed" || this.#workload === undefined) return 0;
    return connectionsAhead(load, createWorkload(this.#workload, phase), this.#plan.shard);
  }

  /** Begins the arrivals of a phase. */
  begin(plan: PhasePlan, startNs: number): void {
    if (plan.load.loop === "closed") return;
    const message: PacerStart = {
      plan,
      phase: this.#control.phase,
      startNs,
      clockOffsetMs: this.#clockOffsetMs,
    };
    this.#thread.worker.postMessage(message);
  }

  /**
   * Counts what was due until the end of a phase that lasted as long as planned. The pacer does so
   * itself, unless the process stalled until the end.
   */
  countArrivals(phase: PhasePlan): void {
    const control = this.#control;
    if (phase.load.loop === "closed" || !Number.isFinite(phase.durationNs)) return;
    if (this.#workload === undefined || control.steering.isSteered) return;
    const workload = createWorkload(this.#workload, phase);
    // Of a file that is read meanwhile, only the pacer knows what could have been sent.
    if (workload.readyCount !== undefined) return;
    let { arrived } = control;
    while (arrived < workload.sessionCount && workload.arrivalNs(arrived) < phase.durationNs) {
      arrived++;
    }
    control.setArrived(arrived);
  }

  /** Ends the thread. */
  close(): void {
    this.#thread.worker.terminate();
  }
}

/** Returns the time from the order to begin a phase to its time zero, in nanoseconds. */
export function leadNs({ load }: PhasePlan, connections: number): number {
  return load.loop === "open" ? OPEN_LOOP_LEAD_NS + connections * CONNECTION_LEAD_NS : 0;
}
