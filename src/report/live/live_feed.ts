import type { PhasePlan, RunPlan } from "../../config/plan/run_plan.ts";
import { VERSION } from "../../config/plan/version.ts";
import { secondsLeft, shareDone } from "../console/progress_line.ts";
import { type DiagnosedModel, soFarText } from "./so_far.ts";
import {
  type LiveHistory,
  type LiveLoad,
  type LiveModel,
  type LiveResults,
  type LiveSessions,
  type LiveWorker,
  NO_SERVERS,
} from "./live_model.ts";

/** Seconds that rates are of. */
const RATE_SECONDS = 5;
/** Seconds between two diagnoses. */
const DIAGNOSIS_SECONDS = 5;
/** Seconds that the history goes back. */
const HISTORY_SECONDS = 300;

/** State of a run that the main thread can read at any moment. */
export interface LiveReading {
  readonly phase: PhasePlan;
  readonly stage: string;
  readonly elapsedSeconds: number;
  readonly load: LiveLoad;
  /** Requests that were sent. */
  readonly sent: number;
  /** Sessions that have arrived, that have begun, and that are in progress; each may be one request. */
  readonly arrived: number;
  readonly begun: number;
  readonly inProgress: number;
  /** Whether sessions may have several requests. */
  readonly hasSessions: boolean;
  readonly succeeded: number;
  readonly failed: number;
  readonly cancelled: number;
  /** Requests in flight. */
  readonly inFlight: number;
  readonly tokensPerChunk: number;
  /** Requests in flight and content chunks of each load worker, and whether it lives. */
  readonly workers: readonly {
    readonly inFlight: number;
    readonly chunks: number;
    readonly isAlive: boolean;
  }[];
  /** undefined before the first ones came. */
  readonly results: LiveResults | undefined;
  /** CPU time of this process, in seconds. */
  readonly cpuSeconds: number;
  /** Time of all cores since the machine began, and what of it was stolen, in any unit. */
  readonly machine: { readonly total: number; readonly stolen: number } | undefined;
  readonly warnings: readonly string[];
}

type History = { readonly [Name in keyof LiveHistory]: number[] };

/** Makes models of a run from what can be read of it, and remembers what rates and curves need. */
export class LiveFeed {
  readonly #plan: RunPlan;
  readonly #cores: number;
  #phase: PhasePlan | undefined;
  /** Readings of the last seconds, the oldest first. */
  #readings: LiveReading[] = [];
  /** The reading at the last whole second. */
  #second: LiveReading | undefined;
  #history: History = emptyHistory();
  #soFar = "";
  /** Elapsed time of the phase at which the next diagnosis is due. */
  #nextDiagnosis = DIAGNOSIS_SECONDS;

  /** @param cores of this machine */
  constructor(plan: RunPlan, cores: number) {
    this.#plan = plan;
    this.#cores = cores;
  }

  /** The model of a moment; moments come in their order. */
  model(given: LiveReading): LiveModel {
    // Those of the phase before may still be the newest.
    const isOfPhase = given.results?.phase === given.phase.kind;
    const reading = isOfPhase ? given : { ...given, results: undefined };
    if (reading.phase !== this.#phase) this.#begin(reading);
    const oldest = this.#oldest(reading);
    this.#readings.push(reading);
    this.#remember(reading);
    const { phase, elapsedSeconds, results, machine, workers } = reading;
    const seconds = elapsedSeconds - oldest.elapsedSeconds;
    const rate = (of: (reading: LiveReading) => number): number =>
      seconds > 0 ? (of(reading) - of(oldest)) / seconds : 0;
    const requestsPerSecond = rate(doneOf);
    const howFar = {
      ...{ plan: phase, elapsedSeconds, done: doneOf(reading) },
      ...(reading.hasSessions ? { sessions: reading.begun } : {}),
    };
    const model: DiagnosedModel = {
      targets: this.#plan.targets.map(({ redactedUrl }) => redactedUrl),
      model: this.#plan.models.join(", "),
      benchmarkId: this.#plan.benchmarkId,
      tags: this.#plan.tags ?? [],
      version: VERSION,
      phase: phase.kind,
      stage: reading.stage,
      elapsedSeconds,
      leftSeconds: reading.stage === "" ? secondsLeft(howFar, requestsPerSecond) ?? NaN : NaN,
      plannedSeconds: phase.durationNs < Infinity ? phase.durationNs / 1e9 : NaN,
      share: Math.min(1, shareDone(howFar) ?? NaN),
      requestCount: phase.requestCount,
      sessions: sessionsOf(reading),
      load: reading.load,
      sent: reading.sent,
      succeeded: reading.succeeded,
      failed: reading.failed,
      cancelled: reading.cancelled,
      inFlight: reading.inFlight,
      queued: Math.max(0, reading.arrived - reading.begun),
      contentChunks: chunksOf(reading),
      outputTokens: tokensOf(reading),
      requestsPerSecond,
      tokensPerSecond: rate(tokensOf),
      results: results ?? { ...NO_RESULTS, phase: phase.kind },
      workers: workers.map(({ inFlight, isAlive }, number): LiveWorker => ({
        number,
        isAlive,
        inFlight,
        chunksPerSecond: rate(({ workers }) => workers[number]?.chunks ?? 0),
        delayP99Ms: results?.workerDelaysMs[number] ?? NaN,
      })),
      cpuSeconds: reading.cpuSeconds,
      cpuCores: rate(({ cpuSeconds }) => cpuSeconds),
      cores: this.#cores,
      stolenShare: machine !== undefined && oldest.machine !== undefined
        ? Math.max(0, machine.stolen - oldest.machine.stolen) /
          (machine.total - oldest.machine.total)
        : NaN,
      history: this.#history,
      warnings: reading.warnings,
    };
    return { ...model, soFar: this.#diagnosis(model) };
  }

  /** The diagnosis so far, which changes at most every few seconds, so that it can be read. */
  #diagnosis(model: DiagnosedModel): string {
    const { elapsedSeconds, stage } = model;
    if (stage === "" && elapsedSeconds >= this.#nextDiagnosis) {
      this.#nextDiagnosis = elapsedSeconds + DIAGNOSIS_SECONDS;
      this.#soFar = soFarText(model);
    }
    return this.#soFar;
  }

  /** A phase begins: what was read before is none of it. */
  #begin(reading: LiveReading): void {
    this.#phase = reading.phase;
    this.#readings = [];
    this.#second = undefined;
    this.#history = emptyHistory();
    this.#soFar = "";
    this.#nextDiagnosis = DIAGNOSIS_SECONDS;
  }

  #oldest(now: LiveReading): LiveReading {
    const since = now.elapsedSeconds - RATE_SECONDS;
    while ((this.#readings[1]?.elapsedSeconds ?? Infinity) <= since) this.#readings.shift();
    return this.#readings[0] ?? now;
  }

  /** Adds a value to every curve, once a second. */
  #remember(now: LiveReading): void {
    const before = this.#second;
    const second = Math.floor(now.elapsedSeconds);
    if (before === undefined) {
      this.#second = now;
      return;
    }
    if (second <= Math.floor(before.elapsedSeconds) || now.stage !== "") return;
    this.#second = now;
    const seconds = now.elapsedSeconds - before.elapsedSeconds;
    const { results } = now;
    const values: { readonly [Name in keyof LiveHistory]: number } = {
      requestsPerSecond: (doneOf(now) - doneOf(before)) / seconds,
      tokensPerSecond: Math.max(0, tokensOf(now) - tokensOf(before)) / seconds,
      inFlight: now.inFlight,
      ttftP50Ms: results?.ttft.recentP50Ms ?? NaN,
      ttftP99Ms: results?.ttft.recentP99Ms ?? NaN,
      itlP50Ms: results?.itl.recentP50Ms ?? NaN,
      itlP99Ms: results?.itl.recentP99Ms ?? NaN,
      ...(results?.levels ?? NO_SERVERS.levels),
    };
    for (const [name, value] of Object.entries(values)) {
      const curve = this.#history[name as keyof LiveHistory];
      curve.push(value);
      if (curve.length > HISTORY_SECONDS) curve.shift();
    }
  }
}

function sessionsOf(
  { begun, hasSessions, inProgress, phase }: LiveReading,
): LiveSessions | undefined {
  return hasSessions
    ? {
      ...{ inProgress, begun, planned: phase.sessionCount ?? Infinity },
      isRateOfSessions: phase.load.loop === "open" && phase.load.users === undefined,
    }
    : undefined;
}

function doneOf({ succeeded, failed, cancelled }: LiveReading): number {
  return succeeded + failed + cancelled;
}

function chunksOf({ workers }: LiveReading): number {
  return workers.reduce((sum, { chunks }) => sum + chunks, 0);
}

function tokensOf(reading: LiveReading): number {
  return chunksOf(reading) * reading.tokensPerChunk;
}

function emptyHistory(): History {
  return {
    requestsPerSecond: [],
    tokensPerSecond: [],
    inFlight: [],
    ttftP50Ms: [],
    ttftP99Ms: [],
    itlP50Ms: [],
    itlP99Ms: [],
    running: [],
    waiting: [],
    kvUsage: [],
  };
}

const NO_HISTOGRAM = { bounds: [], counts: [0], sum: 0 };
const NO_TIMES = {
  count: 0,
  p50Ms: NaN,
  p99Ms: NaN,
  recentP50Ms: NaN,
  recentP99Ms: NaN,
  histogram: NO_HISTOGRAM,
};
const NO_RESULTS: Omit<LiveResults, "phase"> = {
  valid: 0,
  good: 0,
  ttft: NO_TIMES,
  itl: NO_TIMES,
  latency: NO_TIMES,
  sendSlipP99Ms: NaN,
  objectives: [],
  errorKinds: {},
  errors: [],
  canaries: {
    count: 0,
    p50Ms: NaN,
    p99Ms: NaN,
    maxMs: NaN,
    histogram: NO_HISTOGRAM,
    stallSeconds: 0,
  },
  workerDelaysMs: [],
  ...NO_SERVERS,
};
