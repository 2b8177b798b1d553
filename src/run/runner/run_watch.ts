import process from "node:process";
import type { PhasePlan, RunPlan } from "../../config/plan/run_plan.ts";
import type { RunClock } from "../../core/thread/run_clock.ts";
import type { ControlBlock } from "../../load/worker/control_block.ts";
import { LiveFeed } from "../../report/live/live_feed.ts";
import type { LiveModel } from "../../report/live/live_model.ts";
import type { LoadSteering } from "./load_steering.ts";
import { MachineTimes } from "./machine_times.ts";
import type { ResultsClient } from "./results_client.ts";

/** How often there is a new model. */
const MODEL_MS = 250;
/** Warnings that are kept. */
const MAX_WARNINGS = 50;

/** What a {@linkcode RunWatch} reads. */
export interface Watched {
  readonly plan: RunPlan;
  readonly control: ControlBlock;
  readonly clock: RunClock;
  readonly results: Pick<ResultsClient, "progress">;
  readonly steering: LoadSteering;
  /** Load workers that died. */
  lost(): readonly number[];
}

/** Makes models of a run under way, for those who watch it. */
export class RunWatch {
  readonly #watched: Watched;
  readonly #onModel: (model: LiveModel) => void;
  readonly #feed: LiveFeed;
  readonly #machine = MachineTimes.open();
  readonly #warnings: string[] = [];
  #phase: PhasePlan | undefined;
  #startNs = 0;
  #stage = "";
  #timer: ReturnType<typeof setInterval> | undefined;

  /** @param onModel called with each model */
  constructor(watched: Watched, onModel: (model: LiveModel) => void) {
    this.#watched = watched;
    this.#onModel = onModel;
    this.#feed = new LiveFeed(watched.plan, navigator.hardwareConcurrency);
  }

  /** A phase begins. */
  begin(phase: PhasePlan, startNs: number): void {
    this.#phase = phase;
    this.#startNs = startNs;
    this.#timer ??= setInterval(() => this.#show(), MODEL_MS);
    this.#watched.steering.begin(phase, startNs);
    this.#show();
  }

  /** What is done when all requests have ended. */
  stage(text: string): void {
    this.#stage = text;
    this.#watched.steering.end();
    this.#show();
  }

  /** A sentence about something unexpected. */
  warn(text: string): void {
    this.#warnings.push(text);
    if (this.#warnings.length > MAX_WARNINGS) this.#warnings.shift();
    this.#show();
  }

  /** Makes no more models. */
  close(): void {
    clearInterval(this.#timer);
    this.#machine?.close();
  }

  #show(): void {
    if (this.#phase === undefined) return;
    const { control, clock, results, steering, plan, lost } = this.#watched;
    const { user, system } = process.cpuUsage();
    const { live, tokensPerChunk, unexpected } = results.progress;
    const dead = lost();
    this.#onModel(this.#feed.model({
      phase: this.#phase,
      stage: this.#stage,
      elapsedSeconds: Math.max(0, (clock.nowNs() - this.#startNs) / 1e9),
      load: steering.load(this.#phase),
      sent: control.requested,
      arrived: control.arrived,
      begun: control.claimed,
      inProgress: control.inFlight,
      hasSessions: control.countsTurns,
      // Load workers do not know what a reply had to say.
      succeeded: control.succeeded - unexpected,
      failed: control.failed + unexpected,
      cancelled: control.cancelled,
      inFlight: control.requestsInFlight,
      tokensPerChunk,
      workers: Array.from({ length: plan.workers }, (_, worker) => ({
        inFlight: control.requestsInFlightOf(worker),
        chunks: control.chunksOf(worker),
        isAlive: !dead.includes(worker),
      })),
      results: live,
      cpuSeconds: (user + system) / 1e6,
      machine: this.#machine?.read(),
      warnings: this.#warnings,
    }));
  }
}
