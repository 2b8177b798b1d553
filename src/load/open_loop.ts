import { NOTHING_DUE } from "./control_block.ts";
import { endSession, type LoadLoop, type LoopContext } from "./load_loop.ts";
import type { RequestEnd } from "./request_end.ts";

/**
 * Sessions begin when the pacer says that they have arrived, whatever became of those before. Where
 * a cap is reached they wait for a slot, in the order of their arrival, and none is dropped.
 */
export class OpenLoop implements LoadLoop {
  readonly #context: LoopContext;
  readonly #cap: number;
  #inFlight = 0;
  #isDone = false;

  constructor(context: LoopContext) {
    this.#context = context;
    this.#cap = context.phase.plan.load.concurrency;
  }

  begin(): void {
    this.#sendArrived(false);
  }

  onArrival(): void {
    this.#sendArrived(false);
  }

  onSent(): void {}

  onEnded(end: RequestEnd | undefined): void {
    this.#inFlight--;
    endSession(this.#context, end);
    this.#sendArrived(true);
  }

  onTick(): void {
    // A thread without a request is not notified that others have sent the waiting arrivals, nor
    // that one which died has left some over: it has to look for itself. Nor does anybody say that
    // a pause is over.
    const { isSteered } = this.#context.control.steering;
    if (this.#inFlight === 0 || isSteered) this.#sendArrived(true);
  }

  onStop(): void {
    this.#endIfDone();
  }

  /**
   * Sends what has arrived and finds a slot.
   * @param fromQueue whether what is found had to wait for a slot
   */
  #sendArrived(fromQueue: boolean): void {
    if (this.#isDone) return;
    const { phase, workload, control, clock, sender, worker } = this.#context;
    const { steering } = control;
    while (!steering.isPaused || control.stopped) {
      const nowNs = clock.nowNs();
      if (nowNs - phase.startNs >= phase.plan.durationNs) break;
      const index = control.claimArrived(this.#cap, worker);
      if (index === NOTHING_DUE) break;
      const intendedNs = phase.startNs + steering.dueNs(workload.arrivalNs(index));
      // Only what had to wait for a slot, or for a pause, was let through later than it arrived.
      const waited = fromQueue && (this.#cap < Infinity || steering.isSteered);
      this.#inFlight++;
      // The clocks of two threads may differ by some microseconds.
      const claimedNs = waited ? Math.max(nowNs, intendedNs) : intendedNs;
      if (sender.send(workload.session(index), intendedNs, claimedNs)) continue;
      this.#inFlight--;
      control.leave(worker);
    }
    this.#endIfDone();
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
