import type { RunClock } from "../../core/thread/run_clock.ts";
import type { Shard } from "../../config/shard/shard.ts";
import type { Timers } from "../../core/thread/timers.ts";
import type { Session, Workload } from "../workload/workload.ts";
import type { ControlBlock } from "./control_block.ts";
import type { PhaseStart } from "./messages.ts";
import type { PrefillGate } from "./prefill_gate.ts";
import { outcomeOf, type RequestEnd } from "./request_end.ts";

/**
 * Decides when this thread begins the sessions of one phase. It claims their numbers in the shared
 * memory of the run, so that the threads together begin each once.
 */
export interface LoadLoop {
  /** Begins the phase. */
  begin(): void;
  /** Called by the pacer when sessions have arrived, or when no more will arrive. */
  onArrival(): void;
  /** A request of a session is written, or has ended. */
  onSent(index: number): void;
  /**
   * A session has ended.
   * @param end of its last request; undefined if it was between two requests
   */
  onEnded(end: RequestEnd | undefined): void;
  /** Checks for changes that no event announces; to be called several times per second. */
  onTick(): void;
  /** Called when the control block signals that nothing more will be sent. */
  onStop(): void;
}

/** Functions and settings that a loop needs from its thread. */
export interface LoopContext {
  /** Number of the thread. */
  readonly worker: number;
  readonly phase: PhaseStart;
  /** The part of the run that this process has; undefined for the whole. */
  readonly shard?: Shard | undefined;
  readonly workload: Workload;
  readonly control: ControlBlock;
  readonly clock: RunClock;
  readonly timers: Timers;
  readonly sender: Sender;
  /** Gate that a request enters before it is sent; the sender leaves it. */
  readonly gate: PrefillGate;
  /** Called once, when every session that this thread has begun has ended and none is to come. */
  onDone(): void;
}

/** Releases the slot of a session, and counts its last request if one was in flight. */
export function endSession(
  { control, worker }: Pick<LoopContext, "control" | "worker">,
  end: RequestEnd | undefined,
): void {
  if (end === undefined) control.leave(worker);
  else control.release(outcomeOf(end), worker);
}

/** Sends the requests that a loop starts. */
export interface Sender {
  /**
   * Opens connections ahead of the first requests, as far as it can be done soon.
   * @param timeoutMs maximum time for that; undefined for one that hardly any server needs
   */
  prepare(connections: number, timeoutMs?: number): Promise<void>;
  /**
   * Begins a session; its later turns follow by themselves.
   * @param intendedNs intended start of the session
   * @param claimedNs when it was free to begin
   * @returns whether it began; false if the maximum number of requests has already been sent
   */
  send(session: Session, intendedNs: number, claimedNs: number): boolean;
}
