import type { Session } from "../workload/workload.ts";
import { type LimitCurve, limitCurve } from "../workload/limit_curve.ts";
import { NOTHING_DUE } from "./control_block.ts";
import { endSession, type LoadLoop, type LoopContext } from "./load_loop.ts";
import { needsPause, type RequestEnd } from "./request_end.ts";

/**
 * Minimum pause of a user that found no server, in milliseconds. The pause equals the time without
 * a server, within these bounds. Without it an unreachable server would receive ten thousand
 * connection attempts per second.
 */
const MIN_PAUSE_MS = 100;
const MAX_PAUSE_MS = 1000;
/** Maximum number of users in admission at once. */
const MAX_IN_ADMISSION = 4;
/** Longest pause between the last connection and the first request. */
const MAX_SETTLE_MS = 100;

/** A fixed number of users, each of whom begins a session when the last one is over. */
export class ClosedLoop implements LoadLoop {
  readonly #context: LoopContext;
  #inFlight = 0;
  /** Users that wait before they retry to connect. */
  #away = 0;
  /** Users that have not been admitted yet. */
  #outside: number;
  /** Users that wait until one more request may be without a token. */
  #waiting = 0;
  /** Number of users over time. */
  readonly #users: LimitCurve;
  #isLater = false;
  /** Whether connections are opened ahead no more, and users are admitted. */
  #isAdmitting = false;
  /** Sessions of users whose first request is not written yet. */
  readonly #inAdmission = new Set<number>();
  #isDone = false;

  constructor(context: LoopContext) {
    this.#context = context;
    this.#outside = context.phase.slots;
    const { concurrency, concurrencyRamp } = context.phase.plan.load;
    this.#users = limitCurve(concurrency, concurrencyRamp, context.shard);
  }

  begin(): void {
    this.#openAdmission();
  }

  /**
   * Opens the users' connections before the first request, and gives the server time to accept
   * them. A storm of connects among the first requests costs a busy server tens of milliseconds
   * that are unrelated to inference. The connect time of each connection is still in the trace of
   * its first request.
   */
  async #openAdmission(): Promise<void> {
    const { phase, sender, timers } = this.#context;
    // Those who come later open theirs when they come.
    let connections = 0;
    while (connections < phase.slots && this.#comesNs(connections) === 0) connections++;
    if (connections > 0) await sender.prepare(connections);
    const settleMs = Math.min(MAX_SETTLE_MS, connections / 4);
    if (settleMs > 1) {
      await new Promise<void>((resolve) => timers.once(settleMs, resolve));
    }
    this.#isAdmitting = true;
    this.#admit();
  }

  /**
   * Admits the users a few at a time, the next when one's request is written. If all started at
   * once, the first user's connection would wait until the last one's was requested, and that wait
   * would look like the server's. During a ramp each user starts at its own time: users are
   * numbered over all threads, so that the threads need not agree on the next one.
   */
  #admit(): void {
    if (this.#isPaused) return;
    while (this.#outside > 0 && this.#inAdmission.size < MAX_IN_ADMISSION) {
      const { phase, clock } = this.#context;
      const leftNs = phase.startNs + this.#nextComesNs - clock.nowNs();
      if (leftNs > 0) {
        this.#admitLater(leftNs / 1e6);
        break;
      }
      if (this.#isStarved) break;
      this.#outside--;
      const session = this.#next();
      if (session !== undefined) this.#inAdmission.add(session.index);
    }
    this.#endIfDone();
  }

  /**
   * Phase time at which the next user may start: immediately if the user of the tool has set their
   * number.
   */
  get #nextComesNs(): number {
    const { control, phase, worker } = this.#context;
    const isByHand = control.steering.users(worker) !== undefined;
    return isByHand ? 0 : this.#comesNs(phase.slots - this.#outside);
  }

  /** Phase time at which a user of this thread may come: they are numbered over all threads. */
  #comesNs(own: number): number {
    const { phase, worker } = this.#context;
    const number = own * phase.workers + worker;
    return this.#users.reachedNs(Math.min(number + 1, this.#users.target));
  }

  #admitLater(milliseconds: number): void {
    if (this.#isLater) return;
    this.#isLater = true;
    this.#context.timers.once(milliseconds, () => {
      this.#isLater = false;
      this.#admit();
    });
  }

  /** More conversations are read; else the word is about an earlier phase. */
  onArrival(): void {
    if (this.#isAdmitting) this.#admit();
  }

  onSent(index: number): void {
    if (this.#inAdmission.delete(index)) this.#admit();
  }

  onEnded(end: RequestEnd | undefined): void {
    this.#inFlight--;
    endSession(this.#context, end);
    if (end !== undefined && needsPause(end)) this.#sendNextLater();
    else {
      this.#goOn();
    }
  }

  /** A user takes the next session. If none is left, and the first idle user ends the phase, it ends. */
  #goOn(): void {
    const { clock, control, phase, workload } = this.#context;
    const isIdle = this.#next() === undefined && control.claimed >= workload.sessionCount;
    if (isIdle && phase.plan.endsWithFirstIdle === true && !control.stopped) {
      control.idle.leave(clock.nowNs());
      control.stop();
    }
    this.#endIfDone();
  }

  /** Whether the file from which conversations come is read more slowly than they are sent. */
  get #isStarved(): boolean {
    const { workload: { readyCount }, control } = this.#context;
    return readyCount !== undefined && control.claimed >= readyCount && this.#isMoreToCome() &&
      this.#present < this.#wanted;
  }

  onTick(): void {
    if (!this.#isAdmitting) return;
    const { control, workload } = this.#context;
    if (control.steering.isSteered) this.#follow();
    if (this.#outside === 0) return;
    // Others have sent everything there is: nobody needs to come any more.
    if (control.stopped || control.claimed >= workload.sessionCount) this.#outside = 0;
    // One connection takes long: the others do not wait for it.
    this.#inAdmission.clear();
    this.#admit();
  }

  onStop(): void {
    this.#waiting = 0;
    if (this.#isAdmitting) this.#outside = 0;
    this.#endIfDone();
  }

  /**
   * Adjusts the number of users to a change of the load by the user of the tool; surplus users
   * leave by themselves.
   */
  #follow(): void {
    this.#outside = this.#isMoreToCome() ? Math.max(0, this.#wanted - this.#present) : 0;
    this.#endIfDone();
  }

  get #wanted(): number {
    const { control, phase, worker } = this.#context;
    return control.steering.users(worker) ?? phase.slots;
  }

  /** Number of users present: they send, wait to send, or retry later. */
  get #present(): number {
    return this.#inFlight + this.#away + this.#waiting;
  }

  get #isPaused(): boolean {
    const { control } = this.#context;
    return control.steering.isPaused && !control.stopped;
  }

  /** Whether one more user may be there and send. */
  get #hasPlace(): boolean {
    return !this.#isPaused && this.#present < this.#wanted;
  }

  /**
   * A user begins the next session of the phase, at once or when there is room.
   * @returns what was begun at once
   */
  #next(): Session | undefined {
    const { clock, control, gate, workload } = this.#context;
    if (!this.#hasPlace) return undefined;
    const intendedNs = clock.nowNs();
    if (gate.enter()) return this.#sendNext(intendedNs);
    // Nobody would be let in any more.
    if (control.stopped || control.claimed >= workload.sessionCount) return undefined;
    this.#waiting++;
    gate.wait(() => {
      this.#waiting--;
      if (this.#hasPlace) this.#sendNext(intendedNs);
      else gate.leave();
      this.#endIfDone();
    });
    return undefined;
  }

  /** Begins the next session of the phase; undefined if there is none, and then no user follows. */
  #sendNext(intendedNs: number): Session | undefined {
    const { phase, workload, control, clock, sender, worker, gate } = this.#context;
    const nowNs = clock.nowNs();
    const { sessionCount, readyCount = Infinity } = workload;
    const index = nowNs - phase.startNs >= phase.plan.durationNs
      ? NOTHING_DUE
      : control.claim(Math.min(sessionCount, readyCount), worker);
    if (index === NOTHING_DUE) {
      this.#stayOutside();
      gate.leave();
      return undefined;
    }
    const session = workload.session(index);
    this.#inFlight++;
    if (sender.send(session, intendedNs, nowNs)) return session;
    this.#inFlight--;
    control.leave(worker);
    gate.leave();
    return undefined;
  }

  /** Keeps a user waiting whose conversation has not been read; no user waits if none is left. */
  #stayOutside(): void {
    if (this.#isStarved) {
      this.#outside++;
      this.#context.control.starve();
    } else this.#outside = 0;
  }

  /** Lets a user that found no server retry after a pause. */
  #sendNextLater(): void {
    const { clock, control, timers } = this.#context;
    const absentMs = control.presence.absentMs(clock.nowNs());
    this.#away++;
    timers.once(Math.min(MAX_PAUSE_MS, Math.max(MIN_PAUSE_MS, absentMs)), () => {
      this.#away--;
      this.#goOn();
    });
  }

  #endIfDone(): void {
    if (this.#isDone || this.#present + this.#outside > 0) return;
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
