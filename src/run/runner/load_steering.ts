import type { ControlBlock } from "../../load/worker/control_block.ts";
import type { LiveLoad } from "../../report/live/live_model.ts";
import type { LoadPlan, PhasePlan } from "../../config/plan/run_plan.ts";
import type { LoadChange } from "../../report/model/load_change.ts";
import type { RunClock } from "../../core/thread/run_clock.ts";
import { createRate } from "../../load/workload/create_rate.ts";
import { limitCurve } from "../../load/workload/limit_curve.ts";

/** A step up or down, as a share of the users there are, or of the planned rate. */
const STEP = 0.1;
const MAX_USERS = 100_000;
const MAX_FACTOR = 100;
/** A change of tempo holds from so much later on: no arrival that is due already is moved. */
const LEAD_NS = 2e6;
/** Changes of tempo that are left for going on after a pause. */
const SPARE_TEMPI = 2;

/** Changes the load of the phase under way for the person who watches it, and keeps a list of it. */
export class LoadSteering {
  readonly #control: ControlBlock;
  readonly #clock: RunClock;
  readonly #workers: number;
  readonly #onChange: (change: LoadChange) => void;
  readonly #changes: LoadChange[] = [];
  #phase: PhasePlan | undefined;
  #startNs = 0;
  #isPaused = false;
  /** Users of a closed loop, if the number was changed. */
  #users: number | undefined;
  /** Against the planned rate. */
  #factor = 1;
  #lastTempoNs = 0;
  #marks = 0;

  /**
   * @param workers number of load workers
   * @param onChange called with each change as it is made
   */
  constructor(
    control: ControlBlock,
    clock: RunClock,
    workers: number,
    onChange: (change: LoadChange) => void,
  ) {
    this.#control = control;
    this.#clock = clock;
    this.#workers = workers;
    this.#onChange = onChange;
  }

  /** Everything that was done, the oldest first. */
  get changes(): readonly LoadChange[] {
    return this.#changes;
  }

  /** A phase begins as it was planned; to be called before any thread is at work. */
  begin(phase: PhasePlan, startNs: number): void {
    this.#control.steering.allow();
    this.#phase = phase;
    this.#startNs = startNs;
    if (this.#isPaused) this.#note("resume");
    this.#isPaused = false;
    this.#users = undefined;
    this.#factor = 1;
    this.#lastTempoNs = 0;
  }

  /** The phase is over: nothing can be changed until the next one begins. */
  end(): void {
    this.#phase = undefined;
  }

  /** Has nothing new begin, or goes on. */
  togglePause(): void {
    if (this.#phase === undefined) return;
    const isPaused = !this.#isPaused;
    if (this.#phase.load.loop === "open") {
      if (isPaused && !this.#hasRoom) return;
      this.#setTempo(isPaused ? 0 : this.#factor);
    }
    this.#isPaused = isPaused;
    this.#control.steering.setPaused(isPaused);
    this.#note(isPaused ? "pause" : "resume");
  }

  /**
   * Raises or lowers the number of users, or the rate, by about a tenth.
   * @param direction 1 for more, -1 for less
   */
  step(direction: 1 | -1): void {
    if (this.#phase === undefined) return;
    const { load } = this.#phase;
    if (load.loop === "closed") {
      const users = this.#limit(load);
      const step = Math.max(1, Math.round(users * STEP));
      this.#setUsers(users, Math.min(MAX_USERS, Math.max(1, users + direction * step)));
      return;
    }
    if (load.ratePerSecond === Infinity) return;
    const steps = Math.round(this.#factor / STEP) + direction;
    const factor = Math.min(MAX_FACTOR, Math.max(STEP, steps * STEP));
    if (factor === this.#factor || !this.#hasRoom) return;
    this.#factor = factor;
    if (!this.#isPaused) this.#setTempo(factor);
    if (isSteady(load)) this.#note("rate", Number((load.ratePerSecond * factor).toPrecision(6)));
    else this.#note("tempo", Number(factor.toPrecision(6)));
  }

  /** Sets a mark in the run's record. */
  mark(): void {
    if (this.#phase !== undefined) this.#note("mark", ++this.#marks);
  }

  /** What the load is to be now; the plan's before the first phase. */
  load({ load }: PhasePlan): LiveLoad {
    return {
      loop: load.loop,
      concurrency: this.#limit(load),
      ratePerSecond: this.#rate(load),
      isPaused: this.#isPaused,
      changes: this.#changes,
    };
  }

  /** How many may be under way now: what a person said, else what the plan says of this time. */
  #limit({ concurrency, concurrencyRamp }: LoadPlan): number {
    if (this.#phase === undefined) return concurrency;
    return this.#users ?? limitCurve(concurrency, concurrencyRamp).at(this.#phaseNs);
  }

  /** Requests a second that are to arrive now; NaN where there is no such number. */
  #rate(load: LoadPlan): number {
    if (load.loop === "closed" || load.isSchedule) return NaN;
    if (this.#phase === undefined || isSteady(load)) return load.ratePerSecond * this.#factor;
    const plannedNs = this.#control.steering.plannedNs(this.#phaseNs);
    return createRate(load).rateAt(Math.max(0, plannedNs / 1e9)) * this.#factor;
  }

  get #phaseNs(): number {
    return this.#clock.nowNs() - this.#startNs;
  }

  #setUsers(before: number, users: number): void {
    if (users === before) return;
    this.#users = users;
    for (let worker = 0; worker < this.#workers; worker++) {
      const share = Math.floor(users / this.#workers) + (worker < users % this.#workers ? 1 : 0);
      this.#control.steering.setUsers(worker, share);
    }
    this.#note("concurrency", users);
  }

  /** Whether one more change of tempo leaves room for going on. */
  get #hasRoom(): boolean {
    return this.#control.steering.roomForTempi > SPARE_TEMPI;
  }

  #setTempo(factor: number): void {
    this.#lastTempoNs = Math.max(this.#phaseNs + LEAD_NS, this.#lastTempoNs);
    this.#control.steering.setTempo(this.#lastTempoNs, factor);
    this.#control.wakePacer();
  }

  #note(action: LoadChange["action"], value?: number): void {
    const change: LoadChange = {
      atNs: this.#clock.nowNs(),
      phase: this.#phase?.kind ?? "profiling",
      action,
      ...(value === undefined ? {} : { value }),
    };
    this.#changes.push(change);
    this.#onChange(change);
  }
}

/** Whether the plan has one rate from beginning to end. */
function isSteady(load: Extract<LoadPlan, { loop: "open" }>): boolean {
  return !load.isSchedule && load.rateRamp === undefined && load.rateSeries === undefined;
}
