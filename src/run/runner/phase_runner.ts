import process from "node:process";
import { phaseOfShard } from "../../config/plan/phase_of_shard.ts";
import { cacheWarmupPhase } from "../../config/plan/cache_warmup_phase.ts";
import { primingPhase } from "../../config/plan/priming_phase.ts";
import type { PhasePlan, RunPlan } from "../../config/plan/run_plan.ts";
import type { RunEnd } from "../../core/run_end/end_reason.ts";
import type { MainClock } from "../../core/thread/run_clock.ts";
import type { ControlBlock } from "../../load/worker/control_block.ts";
import { limitCurve } from "../../load/workload/limit_curve.ts";
import type { LoadPool, PhaseOutcome } from "./load_pool.ts";
import type { PageFeeder } from "./page_feeder.ts";
import type { PhaseStarts } from "./phase_starts.ts";
import type { ResultsClient } from "./results_client.ts";
import type { VerifyClient } from "./verify_client.ts";
import type { RunHooks } from "./run_hooks.ts";
import type { RunWatch } from "./run_watch.ts";

const PROGRESS_MS = 100;

/** What the phases came to. */
export interface PhasesOutcome {
  /** undefined if it never began. */
  readonly profiling: PhaseOutcome | undefined;
  /** CPU time of the process over the profiling phase, in cores. */
  readonly cpuCores: number;
  /** Why it was not worth going on. */
  readonly endedEarly: RunEnd | undefined;
}

/** Leads the threads of a run through its phases. */
export class PhaseRunner {
  readonly #plan: RunPlan;
  readonly #pool: LoadPool;
  readonly #results: ResultsClient;
  readonly #control: ControlBlock;
  readonly #clock: MainClock;
  readonly #hooks: RunHooks;
  readonly #interrupt: AbortSignal;
  readonly #watch: RunWatch | undefined;
  readonly #starts: PhaseStarts;
  readonly #feeder: PageFeeder | undefined;
  readonly #verify: VerifyClient | undefined;

  constructor(
    plan: RunPlan,
    pool: LoadPool,
    results: ResultsClient,
    control: ControlBlock,
    clock: MainClock,
    hooks: RunHooks,
    { interrupt, watch, starts, feeder, verify }: {
      interrupt: AbortSignal;
      watch: RunWatch | undefined;
      starts: PhaseStarts;
      feeder: PageFeeder | undefined;
      verify?: VerifyClient | undefined;
    },
  ) {
    this.#feeder = feeder;
    this.#verify = verify;
    this.#plan = plan;
    this.#starts = starts;
    this.#watch = watch;
    this.#pool = pool;
    this.#results = results;
    this.#control = control;
    this.#clock = clock;
    this.#hooks = hooks;
    this.#interrupt = interrupt;
  }

  /**
   * Runs the phases; the last one's outcome, undefined if it never began.
   * @param afterPhase called between one phase and the next, priming included; where shards begin the
   * next one together, called again when all of them are ready, and not waited for
   */
  async all(
    afterPhase: () => Promise<void> | undefined,
  ): Promise<PhasesOutcome> {
    let profiling: PhaseOutcome | undefined;
    let cpuCores = 0;
    let endedEarly: RunEnd | undefined;
    for (const phase of this.#plan.phases) {
      if (this.#interrupt.aborted || endedEarly !== undefined) break;
      const isWarmup = phase.kind === "warmup";
      const ahead = isWarmup ? [] : this.#phasesAhead();
      const isFirst = phase === this.#plan.phases[0] && ahead.length === 0;
      for (const one of ahead) endedEarly ??= await this.#prime(one);
      if (this.#interrupt.aborted || endedEarly !== undefined) break;
      if (ahead.length > 0) await afterPhase();
      // The first page is read before anybody waits for this process.
      await this.#feeder?.begin(phase);
      const agreedNs = await this.#nextStart(phase);
      if (this.#interrupt.aborted) break;
      const late = agreedNs === undefined ? undefined : this.#starts.tooLate(agreedNs);
      if (late !== undefined) {
        endedEarly = late;
        this.#warn(late);
        break;
      }
      // The last requests of other shards' warm-ups came after the end of this one's.
      if (agreedNs !== undefined && !isFirst) afterPhase()?.catch(() => {});
      const { outcome, cpuNs } = await this.#run(phase, agreedNs);
      const { startNs, endNs, givenUp } = outcome;
      if (givenUp !== undefined) {
        endedEarly = isWarmup ? { ...givenUp, text: `in the warm-up ${givenUp.text}` } : givenUp;
        this.#warn(endedEarly);
      }
      if (isWarmup) {
        if (endedEarly === undefined) await afterPhase();
        continue;
      }
      profiling = outcome;
      cpuCores = cpuNs / Math.max(1, endNs - startNs);
    }
    return { profiling, cpuCores, endedEarly };
  }

  /** Phases before the profiling phase that fill the servers' caches, and are in no result. */
  #phasesAhead(): PhasePlan[] {
    // Of a file that is sent while it is read, no session can be sent twice.
    const priming = this.#feeder === undefined ? primingPhase(this.#plan) : undefined;
    return [cacheWarmupPhase(this.#plan), priming].filter((phase) => phase !== undefined);
  }

  /**
   * Fills the servers' caches: with other sessions, or for the sessions that the profiling phase begins
   * with, and that it enters in their middle. These calls are in no result.
   * @returns why the run should not continue; undefined if it should
   */
  async #prime(phase: PhasePlan): Promise<RunEnd | undefined> {
    if (this.#interrupt.aborted) return undefined;
    const [stage, part] = phase.fillsCaches
      ? ["filling the caches with sessions of short replies", "cache warm-up"]
      : ["priming the caches for the sessions that start in their middle", "priming calls"];
    this.#hooks.onStage?.(stage);
    await this.#feeder?.begin(phase);
    const { givenUp } = await this.#pool.runPhase(
      phase,
      this.#interrupt,
      () => this.#feeder?.start(),
    );
    await this.#feeder?.end();
    if (givenUp === undefined) return undefined;
    const end = { ...givenUp, text: `in the ${part} ${givenUp.text}` };
    this.#warn(end);
    return end;
  }

  /**
   * When a phase is to begin; undefined for at once, or if the run was interrupted after another one.
   * @throws {RendezvousError} if the first cannot begin, or the interrupt's reason
   */
  async #nextStart(phase: PhasePlan): Promise<number | undefined> {
    const { start, phases } = this.#plan;
    if (start !== undefined) this.#hooks.onStage?.(`waiting for the start of the ${phase.kind}`);
    try {
      return await this.#starts.next();
    } catch (error) {
      if (this.#interrupt.aborted && phase !== phases[0]) return undefined;
      throw error;
    }
  }

  /** @param agreedNs when it is to begin; undefined for at once */
  async #run(
    phase: PhasePlan,
    agreedNs: number | undefined,
  ): Promise<{ outcome: PhaseOutcome; cpuNs: number }> {
    const report = () => this.#reportProgress(phase);
    const timer = this.#hooks.onProgress === undefined ? 0 : setInterval(report, PROGRESS_MS);
    this.#startedNs = agreedNs ?? this.#clock.nowNs();
    const before = process.cpuUsage();
    let callOff = (): void => {};
    try {
      const running = this.#pool.runPhase(
        phase,
        this.#interrupt,
        (startNs) => {
          this.#watch?.begin(phaseOfShard(phase, this.#plan.shard), startNs);
          this.#results.phaseBegun(phase.kind, startNs, this.#starts.clockOffset?.offsetMs);
          this.#feeder?.start();
          // Shards agree on a start that is still to come.
          const delayMs = Math.max(0, (startNs - this.#clock.nowNs()) / 1e6);
          if (phase.kind === "profiling") this.#verify?.beginLoad(delayMs);
        },
        agreedNs,
      );
      if (agreedNs !== undefined) {
        callOff = this.#starts.watch(agreedNs, (end) => this.#pool.giveUp(end));
      }
      const outcome = await running;
      if (phase.kind === "profiling") await this.#verify?.endLoad(this.#interrupt);
      await this.#feeder?.end();
      // Now, not when the results have caught up: the load is over.
      const { user, system } = process.cpuUsage(before);
      await this.#results.phaseOver({
        phase: phase.kind,
        claimed: this.#control.requested,
        lost: this.#pool.lost,
        endNs: outcome.endNs,
      });
      report();
      return { outcome, cpuNs: (user + system) * 1e3 };
    } finally {
      callOff();
      clearInterval(timer);
    }
  }

  #warn({ reason, text }: RunEnd): void {
    this.#hooks.onWarning?.(`The run ends early: ${text}`, reason);
  }

  #startedNs = 0;

  #reportProgress(phase: PhasePlan): void {
    const { shard } = this.#plan;
    const plan = phaseOfShard(phase, shard);
    const { succeeded, failed, cancelled, claimed, requested, chunks } = this.#control;
    const elapsedNs = Math.max(0, this.#clock.nowNs() - this.#startedNs);
    const { tokensPerChunk, ttftP50Ms, itlP50Ms, levels, unexpected } = this.#results.progress;
    this.#hooks.onProgress?.({
      phase: plan.kind,
      plan,
      elapsedSeconds: elapsedNs / 1e9,
      sent: requested,
      done: succeeded + failed + cancelled,
      ...(this.#control.countsTurns
        ? { sessions: claimed, sessionsInProgress: this.#control.inFlight }
        : {}),
      inFlight: this.#control.requestsInFlight,
      limit: limitCurve(phase.load.concurrency, phase.load.concurrencyRamp, shard).at(elapsedNs),
      failed: failed + unexpected,
      tokens: chunks * tokensPerChunk,
      ttftP50Ms,
      itlP50Ms,
      running: levels?.running,
      waiting: levels?.waiting,
    });
  }
}
