import type { RunClock } from "../../core/thread/run_clock.ts";
import type { Session, Workload } from "../workload/workload.ts";
import { type ControlBlock, NOTHING_DUE } from "./control_block.ts";
import type { PhaseStart } from "./messages.ts";

/** How much too late timers fire at least: they are set that much early, unless they are short. */
const TIMER_LAG_MS = 1;
/** Longest time that a timer can be set to. */
const MAX_TIMER_MS = 2 ** 31 - 1;

/** A phase whose sessions are played. */
interface PlayedPhase {
  /** Number of the thread. */
  readonly worker: number;
  readonly phase: PhaseStart;
  readonly workload: Workload;
  readonly control: ControlBlock;
  readonly clock: RunClock;
}

/**
 * Returns the number of a session's next request; a claim of the last number signals that nothing
 * more will be sent.
 */
export function claimRequest(
  { control, worker, workload }: Pick<PlayedPhase, "control" | "worker" | "workload">,
  { index }: Session,
): number {
  const { turnLimit } = workload;
  if (turnLimit === undefined) return index;
  const number = control.claimTurn(turnLimit, worker);
  if (number === NOTHING_DUE || number === turnLimit - 1) control.stop();
  return number === NOTHING_DUE ? number : workload.requestNumber?.(number) ?? number;
}

/** Whether nothing more of a phase is sent for now. */
export function isPhasePaused(played: PlayedPhase): boolean {
  return played.control.steering.isPaused && !isPhaseOver(played);
}

/** Whether nothing more of a phase will be sent. */
export function isPhaseOver({ clock, control, phase }: PlayedPhase): boolean {
  return control.stopped || clock.nowNs() - phase.startNs >= phase.plan.durationNs;
}

/** Returns the time to which a timer is set for something that is due after some time. */
export function timerMs(leftMs: number): number {
  const earlyMs = leftMs > 2 * TIMER_LAG_MS ? leftMs - TIMER_LAG_MS : Math.max(0, leftMs);
  return Math.min(MAX_TIMER_MS, earlyMs);
}
