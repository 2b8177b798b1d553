import type { Session } from "../workload/workload.ts";
import { NOTHING_DUE } from "./control_block.ts";
import { endSession, type LoadLoop, type LoopContext } from "./load_loop.ts";
import { needsPause, type RequestEnd } from "./request_end.ts";

/**
 * How long a user waits who found no server: as long as none has been there, within these bounds. A
 * server that is down would otherwise be asked ten thousand times a second.
 */
const MIN_PAUSE_MS = 100;
const MAX_PAUSE_MS = 1000;
/** Users who may be in admission at once. */
const MAX_IN_ADMISSION = 4;
/** Longest pause between the last connection and the first request. */
const MAX_SETTLE_MS = 100;

/** A fixed number of users, each of whom begins a session when the last one is over. */
export class ClosedLoop implements LoadLoop {
  readonly #context: LoopContext;
  #inFlight = 0;
  /** Users who wait before they try to connect again. */
  #away = 0;
  /** Users who have not been admitted yet. */
  #outside: number;
  /** Whether connections are opened ahead no more, and users are admitted. */
  #isAdmitting = false;
  /** Sessions of users whose first request is not written yet. */
  readonly #inAdmission = new Set<number>();
  #isDone = false;

  constructor(context: LoopContext) {
    this.#context = context;
    this.#outside = context.phase.slots;
  }

  begin(): void {
    this.#openAdmission();
  }

  /**
   * Opens the users' connections before the first request, and leaves the server a moment to accept
   * them. A storm of connects among the first requests costs a busy server tens of milliseconds,
   * which say nothing about inference; what each connection cost is still in the trace of its
   * first request.
   */
  async #openAdmission(): Promise<void> {
    const { phase, sender, timers } = this.#context;
    await sender.prepare(phase.slots);
    const settleMs = Math.min(MAX_SETTLE_MS, phase.slots / 4);
    if (settleMs > 1) {
      await new Promise<void>((resolve) => timers.once(settleMs, resolve));
    }
    this.#isAdmitting = true;
    this.#admit();
  }

  /**
   * Admits the users a few at a time, the next when one's request is written. Started all at once,
   * the first one's connection would wait until the last one's was asked for, and that wait would
   * look like the server's.
   */
  #admit(): void {
    if (this.#isPaused) return;
    while (this.#outside > 0 && this.#inAdmission.size < MAX_IN_ADMISSION) {
      this.#outside--;
      const session = this.#sendNext();
      if (session === undefined) this.#outside = 0;
      else this.#inAdmission.add(session.index);
    }
    this.#endIfDone();
  }

  /** Nothing arrives here; the word is about an earlier phase. */
  onArrival(): void {}

  onSent(index: number): void {
    if (this.#inAdmission.delete(index)) this.#admit();
  }

  onEnded(end: RequestEnd | undefined): void {
    this.#inFlight--;
    endSession(this.#context, end);
    if (end !== undefined && needsPause(end)) this.#sendNextLater();
    else if (this.#sendNext() === undefined) this.#endIfDone();
  }

  onTick(): void {
    if (!this.#isAdmitting) return;
    if (this.#context.control.steering.isSteered) this.#follow();
    if (this.#outside === 0) return;
    // One connection takes long: the others do not wait for it.
    this.#inAdmission.clear();
    this.#admit();
  }

  onStop(): void {
    this.#endIfDone();
  }

  /** Has as many users as a person wants who changes the load; those too many leave by themselves. */
  #follow(): void {
    const missing = this.#wanted - this.#inFlight - this.#away;
    this.#outside = this.#isMoreToCome() ? Math.max(0, missing) : 0;
    this.#endIfDone();
  }

  get #wanted(): number {
    const { control, phase, worker } = this.#context;
    return control.steering.users(worker) ?? phase.slots;
  }

  get #isPaused(): boolean {
    const { control } = this.#context;
    return control.steering.isPaused && !control.stopped;
  }

  /** Begins the next session of the phase, if there is one to begin and its user may stay. */
  #sendNext(): Session | undefined {
    const { phase, workload, control, clock, sender, worker } = this.#context;
    if (this.#isPaused || this.#inFlight + this.#away >= this.#wanted) return undefined;
    const nowNs = clock.nowNs();
    if (nowNs - phase.startNs >= phase.plan.durationNs) return undefined;
    const index = control.claim(workload.sessionCount, worker);
    if (index === NOTHING_DUE) return undefined;
    const session = workload.session(index);
    this.#inFlight++;
    if (sender.send(session, nowNs, nowNs)) return session;
    this.#inFlight--;
    control.leave(worker);
    return undefined;
  }

  /** A user who found nobody home tries again after a while. */
  #sendNextLater(): void {
    const { clock, control, timers } = this.#context;
    const absentMs = control.presence.absentMs(clock.nowNs());
    this.#away++;
    timers.once(Math.min(MAX_PAUSE_MS, Math.max(MIN_PAUSE_MS, absentMs)), () => {
      this.#away--;
      if (this.#sendNext() === undefined) this.#endIfDone();
    });
  }

  #endIfDone(): void {
    if (this.#isDone || this.#inFlight + this.#away + this.#outside > 0) return;
    // Who holds users back may let them go again.
    if (this.#context.control.steering.isSteered && this.#isMoreToCome()) return;
    this.#isDone = true;
    this.#context.onDone();
  }

  #isMoreToCome(): boolean {
    const { phase, workload, control, clock } = this.#context;
    return !control.stopped && control.claimed < workload.sessionCount &&
      clock.nowNs() - phase.startNs < phase.plan.durationNs;
  }
}
