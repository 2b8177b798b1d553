import { NOTHING_DUE } from "./control_block.ts";
import { endSession, type LoadLoop, type LoopContext } from "./load_loop.ts";
import type { RequestEnd } from "./request_end.ts";
import { type LimitCurve, limitCurve } from "../workload/limit_curve.ts";

/**
 * Load loop in which sessions begin when they arrive, whatever the outcome of earlier ones. If a
 * cap is reached they wait for a slot in the order of their arrival; none is dropped.
 *
 * The pacer announces arrivals. A thread that is running detects them without the pacer, whose
 * thread may have to wait for a processor.
 */
export class OpenLoop implements LoadLoop {
  readonly #context: LoopContext;
  readonly #cap: LimitCurve;
  /** Whether the gate calls when there is room. */
  #isWaiting = false;
  #inFlight = 0;
  #isDone = false;
  /** The arrival that is next, and its offset from the start of the phase. */
  #next = -1;
  #nextNs = NaN;

  constructor(context: LoopContext) {
    this.#context = context;
    const { concurrency, concurrencyRamp } = context.phase.plan.load;
    this.#cap = limitCurve(concurrency, concurrencyRamp, context.shard);
  }

  begin(): void {
    const { phase, clock, sender } = this.#context;
    const leftMs = (phase.startNs - clock.nowNs()) / 1e6;
    // What is not open by then is opened when it is needed.
    if (phase.connections > 0 && leftMs > 0) sender.prepare(phase.connections, leftMs);
    this.#sendArrived();
  }

  onArrival(): void {
    this.#sendArrived();
  }

  onSent(): void {}

  onEnded(end: RequestEnd | undefined): void {
    this.#inFlight--;
    endSession(this.#context, end);
    this.#sendArrived();
  }

  onTick(): void {
    // A thread without a request is not notified that others have sent the waiting arrivals, nor
    // that one which died has left some over: it has to look for itself. Nor does anybody say that
    // a pause is over.
    const { isSteered } = this.#context.control.steering;
    if (this.#inFlight === 0 || isSteered) this.#sendArrived();
  }

  onStop(): void {
    this.#isWaiting = false;
    this.#endIfDone();
  }

  /** Sends what has arrived and finds room. */
  #sendArrived(): void {
    const { control, gate } = this.#context;
    while (!this.#isDone && !this.#isWaiting && this.#hasArrived()) {
      if (this.#isPaused) {
        control.noteQueued();
        break;
      }
      if (!gate.enter()) {
        control.noteQueued();
        this.#isWaiting = true;
        gate.wait(() => {
          this.#isWaiting = false;
          if (this.#sendOne()) this.#sendArrived();
          else this.#endIfDone();
        });
        break;
      }
      if (!this.#sendOne()) break;
    }
    this.#endIfDone();
  }

  /** Whether an arrival waits to be sent, one that is due by now included. */
  #hasArrived(): boolean {
    const { control, workload, phase, clock } = this.#context;
    const { arrived } = control;
    if (control.claimed < arrived) return true;
    // Whether one that is read later was due already, and when a person wants it, the pacer knows.
    if (workload.readyCount !== undefined || control.steering.isSteered) return false;
    if (this.#next !== arrived) {
      this.#next = arrived;
      this.#nextNs = arrived < workload.sessionCount ? workload.arrivalNs(arrived) : Infinity;
    }
    const isDue = this.#nextNs < phase.plan.durationNs &&
      this.#nextNs <= clock.nowNs() - phase.startNs;
    if (!isDue || control.stopped) return false;
    control.setArrived(arrived + 1);
    return true;
  }

  /** Sends the oldest arrival that waits; without one, or without a slot, the gate is left again. */
  #sendOne(): boolean {
    const { phase, workload, control, clock, sender, worker, gate } = this.#context;
    const nowNs = clock.nowNs();
    const phaseNs = nowNs - phase.startNs;
    // A pause may have begun while this one waited for room.
    const index = phaseNs >= phase.plan.durationNs || this.#isPaused
      ? NOTHING_DUE
      : control.claimArrived(this.#cap.at(phaseNs), worker, workload.readyCount);
    if (index === NOTHING_DUE) {
      this.#noteStarvation();
      gate.leave();
      return false;
    }
    const intendedNs = phase.startNs + control.steering.dueNs(workload.arrivalNs(index));
    // Only what had to wait for room, for its conversation to be read, or for the end of a pause, was
    // let through later than it arrived.
    const waited = control.wasQueued(index);
    this.#inFlight++;
    // The clocks of two threads may differ by some microseconds.
    const claimedNs = waited ? Math.max(nowNs, intendedNs) : intendedNs;
    if (sender.send(workload.session(index), intendedNs, claimedNs)) return true;
    this.#inFlight--;
    control.leave(worker);
    gate.leave();
    return false;
  }

  get #isPaused(): boolean {
    const { control } = this.#context;
    return control.steering.isPaused && !control.stopped;
  }

  /** An arrival whose conversation is not read yet waits for it. */
  #noteStarvation(): void {
    const { workload, control } = this.#context;
    const next = control.claimed;
    if (next < (workload.readyCount ?? Infinity) || next >= control.arrived || control.stopped) {
      return;
    }
    control.noteQueued();
    control.starveAt(next);
  }

  #endIfDone(): void {
    if (this.#isDone || this.#inFlight > 0 || this.#isMoreToCome()) return;
    this.#isDone = true;
    this.#context.onDone();
  }

  #isMoreToCome(): boolean {
    const { phase, control, clock } = this.#context;
    if (control.stopped) return false;
    // Looked at first: what arrives between two looks is then seen by the second.
    if (!control.arrivalsEnded) return true;
    return control.claimed < control.arrived &&
      clock.nowNs() - phase.startNs < phase.plan.durationNs;
  }
}
