/**
 * A benchmark from its plan to its report: starts the threads, leads them through the phases, and
 * has the results written in every case.
 */

import { NetworkClient } from "./network_client.ts";
import { findGpus } from "./find_gpus.ts";
import process from "node:process";
import { openInput } from "../dataset/formats/open_input.ts";
import { loadDataset } from "../dataset/load_dataset.ts";
import type { Paging } from "../dataset/page_reader.ts";
import type { LiveModel } from "../live/live_model.ts";
import { ControlBlock } from "../load/control_block.ts";
import { MainClock } from "../thread/run_clock.ts";
import { phaseOfShard } from "../plan/phase_of_shard.ts";
import type { PhasePlan, RunPlan } from "../plan/run_plan.ts";
import type { RunProgress } from "../report/run_progress.ts";
import type { ProfileReport } from "../report/profile_report.ts";
import { redactor } from "../secrets/redactor.ts";
import type { Screen } from "../results/messages.ts";
import { MachineTimes } from "./machine_times.ts";
import { machineFacts } from "./machine_facts.ts";
import { threadFacts } from "./thread_permissions.ts";
import { limitCurve } from "../workload/limit_curve.ts";
import { shareOf } from "../partition/shard.ts";
import { summarize } from "../statistics/summarize.ts";
import { inOutputFolder, type OutputFolder } from "./prepare_output.ts";
import { CanaryClient } from "./canary_client.ts";
import { prepareRecording } from "./prepare_recording.ts";
import { type LiveAddress, LiveClient, liveHost } from "./live_client.ts";
import { LoadSteering } from "./load_steering.ts";
import { PageFeeder } from "./page_feeder.ts";
import { checkServerObjectives, hasServerObjectives } from "./check_server_objectives.ts";
import { RunWatch } from "./run_watch.ts";
import { LOAD_MODULES, LoadPool, type LoadPoolModules, type PhaseOutcome } from "./load_pool.ts";
import { ResultsClient, type ResultsHooks } from "./results_client.ts";
import { StolenTimeWatch } from "./stolen_time_watch.ts";
import { ScrapeClient } from "./scrape_client.ts";
import { PhaseStarts } from "./phase_starts.ts";
import { sealShard } from "./seal_shard.ts";
import { ServerInquiry } from "./server_inquiry.ts";
import type { ExportOutcome } from "../report/export_outcome.ts";
import { exportWarning, SystemsClient } from "./systems_client.ts";

/** Callbacks of a run under way. */
export interface RunHooks {
  /** Ends the run early: what was measured is still written. */
  readonly interrupt?: AbortSignal;
  /** Called a few times a second. */
  onProgress?(progress: RunProgress): void;
  /** Called with what is done when all requests have ended. */
  onStage?(text: string): void;
  /** Called with a sentence about something unexpected that does not end the run. */
  onWarning?(text: string): void;
  /** Called with a sentence about what was found out by itself. */
  onNotice?(text: string): void;
  /** Called when all threads have what they need: this thread may give up its permissions. */
  onThreadsStarted?(): Promise<void>;
  /** Called a few times a second with everything that is known of the moment. */
  onLive?(model: LiveModel): void;
  /** Where the run is served while it goes on; undefined for nowhere. */
  readonly live?: LiveAddress;
  /** Called when it is. */
  onServing?(): void;
  /** Called once with the means to change the load while it goes on. */
  onSteering?(steering: LoadSteering): void;
  /** Resolves when the servers' metrics have caught up with the load: the wait for that ends. */
  metricsSettled?(plan: RunPlan): Promise<void>;
  /**
   * A thread of results that earlier runs have warmed up and that may write this run's folder, too;
   * it is left running.
   */
  readonly results?: ResultsClient;
  /** Sentences that the report has to carry, known before the run. */
  readonly notes?: readonly string[];
  /** The screen that the report is to be drawn for. */
  readonly screen?: Screen;
  /** When an input file is sent while it is read; for tests with small files. */
  readonly paging?: Paging;
  /** Code of the threads; for tests of what happens when they fail. */
  readonly modules?: LoadPoolModules;
}

/** Outcome of a run. */
export interface RunOutcome {
  readonly report: ProfileReport;
  /** The report as text for the screen that the hooks name, else empty. */
  readonly screenText: string;
  /** The folder of its files. */
  readonly directory: string;
  /** Why a file could not be written; undefined if all are there. */
  readonly exportFailure: string | undefined;
  /** What became of sending the results to other systems. */
  readonly exports: readonly ExportOutcome[];
}

/** How the warning begins that a run is not worth going on with. */
export const ENDS_EARLY = "The run ends early";

const PROGRESS_MS = 100;

/**
 * Runs a benchmark.
 * @throws {DatasetError} if prompts or tokenizer cannot be read
 * @throws {ExportError} if the artifact folder cannot be made
 * @throws {LiveAddressError} if the run cannot be served where it is to be
 * @throws {UsageError} for an objective of a metric that the servers do not have
 * @throws the interrupt's reason if it comes before there is anything to send
 */
export async function runProfile(givenPlan: RunPlan, hooks: RunHooks = {}): Promise<RunOutcome> {
  await prepareRecording(givenPlan.serverMetrics?.recordingPath);
  return await inOutputFolder(givenPlan.output, (folder) => runInto(folder, givenPlan, hooks));
}

async function runInto(
  { path: directory, begin }: OutputFolder,
  givenPlan: RunPlan,
  hooks: RunHooks,
): Promise<RunOutcome> {
  const clock = new MainClock();
  const control = new ControlBlock();
  const output = { ...givenPlan.output, directory };
  const gpuTelemetry = await findGpus(givenPlan.gpuTelemetry);
  const plan = { ...givenPlan, output, gpuTelemetry };
  const interrupt = hooks.interrupt ?? new AbortController().signal;
  const notes: string[] = [...hooks.notes ?? []];
  const redact = redactor(plan.secrets);
  // Asked for while that is permitted.
  const machine = machineFacts();
  let watch: RunWatch | undefined;
  let feeder: PageFeeder | undefined;
  const tell = (text: string): void => {
    hooks.onWarning?.(redact(text));
    watch?.warn(redact(text));
  };
  const warn = (text: string): void => {
    notes.push(redact(text));
    tell(text);
  };
  const onStage = (text: string): void => {
    hooks.onStage?.(text);
    watch?.stage(text);
  };
  const resultsHooks: ResultsHooks = {
    onWarning: warn,
    onWriting: (files) => onStage(`writing ${files} ${files === 1 ? "file" : "files"}`),
  };
  const results = hooks.results?.reuse(resultsHooks) ??
    new ResultsClient(directory, plan.serverMetrics?.recordingPath, resultsHooks);
  const steering = new LoadSteering(
    control,
    clock,
    plan.workers,
    (change) => results.loadChanged(change),
  );
  // What is missing altogether is said before what is missing for canaries.
  let warnOfCanaries = (text: string): void => void early.push(text);
  const early: string[] = [];
  const canaries = CanaryClient.start(plan, (text) => warnOfCanaries(text));
  const pool = new LoadPool(
    plan,
    control,
    clock,
    hooks.modules ?? LOAD_MODULES,
    (worker, reason) => {
      warn(
        worker < 0
          ? `The pacer thread died, nothing more is sent: ${reason}`
          : `Load worker ${worker} died, its requests count as failed: ${reason}`,
      );
    },
    canaries,
  );
  warnOfCanaries = warn;
  early.forEach(warn);
  const scraper = plan.serverMetrics === undefined ? undefined : new ScrapeClient(
    plan.serverMetrics,
    tell,
    warn,
  );
  const starts = new PhaseStarts(plan, clock, interrupt, warn);
  const gpuScraper = gpuTelemetry && new ScrapeClient(gpuTelemetry, tell, warn);
  const network = plan.networkLatency?.kind === "probe"
    ? new NetworkClient(plan, plan.networkLatency, warn)
    : undefined;
  const inquiry = ServerInquiry.begin(plan, interrupt);
  const systems = plan.systems && new SystemsClient(plan.systems, directory, plan.secrets);
  const machineTimes = MachineTimes.open();
  const stolenTime = new StolenTimeWatch(machineTimes, clock);
  const live = hooks.live && new LiveClient(hooks.live, warn);
  if (hooks.onLive !== undefined || live !== undefined) {
    watch = new RunWatch(
      { plan, control, clock, results, steering, lost: () => pool.lost },
      (model) => {
        hooks.onLive?.(model);
        live?.show(model);
      },
    );
  }
  try {
    await live?.init();
    if (live !== undefined) hooks.onServing?.();
    // A misspelt objective ends the run here: prompts may take long to make.
    const isScrapedFirst = scraper !== undefined && hasServerObjectives(plan);
    const scrapes = scraper === undefined ? undefined : new MessageChannel();
    const scraping = async (): Promise<void> => {
      if (scraper === undefined || scrapes === undefined) return;
      await scraper.init(clock, plan, scrapes.port1);
      const families = await scraper.baseline(interrupt, isScrapedFirst);
      if (isScrapedFirst && families !== undefined) {
        checkServerObjectives(plan, families).forEach(tell);
      }
    };
    if (isScrapedFirst) await scraping();
    // The threads start up while the prompts are made.
    const { pages, payloads, tokenizer } = await loadDataset(plan, interrupt, {
      async openInput(dataset, context) {
        if (dataset.public === undefined) return await openInput(dataset, context);
        // Readers of Parquet and tables are large, and few runs need them.
        const { openPublicDataset } = await import("../dataset/public/read_public_dataset.ts");
        return await openPublicDataset({ ...dataset, public: dataset.public }, context);
      },
      paging: hooks.paging,
      onWarning: warn,
      onNotice: (text) => hooks.onNotice?.(redact(text)),
    });
    feeder = pages && new PageFeeder(
      pages,
      control,
      {
        load: pool,
        results,
        keepsBodies: plan.output.exportLevel === "raw",
        onFailure: (reason) => pool.giveUp(redact(reason)),
      },
      undefined,
      plan.shard,
    );
    if (feeder !== undefined) {
      notes.push(UNWRITTEN_INPUTS);
      hooks.onNotice?.(UNWRITTEN_INPUTS);
    }
    await begin();
    const channels = Array.from({ length: plan.workers }, () => new MessageChannel());
    const gpuScrapes = gpuScraper === undefined ? undefined : new MessageChannel();
    await Promise.all([
      results.init({
        plan,
        payloads: payloads.data,
        isPaged: feeder !== undefined,
        tokenizer,
        records: channels.map(({ port2 }) => port2),
        scrapes: scrapes?.port2,
        gpuScrapes: gpuScrapes?.port2,
        baseEpochNs: clock.baseEpochNs,
        machine,
        threads: threadFacts(
          plan,
          canaries?.orders.origin.host,
          hooks.live && liveHost(hooks.live),
          results.directory,
        ),
        isWatched: watch !== undefined,
      }),
      pool.init(
        payloads.data,
        channels.map(({ port1 }) => port1),
        feeder && {
          pages: { arrivals: feeder.ring.buffer },
          scheduleZeroNs: payloads.data.conversations?.timestampNs[0] ?? 0,
        },
      ),
      isScrapedFirst ? undefined : scraping(),
      gpuScrapes === undefined ? undefined : gpuScraper?.init(clock, plan, gpuScrapes.port1)
        .then(() => gpuScraper.baseline(interrupt)),
      network?.init(clock),
      systems?.init(),
    ]);
    results.setServers(await inquiry.end());
    await starts.init();
    await hooks.onThreadsStarted?.();
    results.onHopeless = (reason) => pool.giveUp(reason);
    hooks.onSteering?.(steering);
    const run = new PhaseRunner(
      plan,
      pool,
      results,
      control,
      clock,
      { ...hooks, onWarning: tell },
      {
        interrupt,
        watch,
        starts,
        feeder,
      },
    );
    scraper?.start();
    gpuScraper?.start();
    network?.start();
    stolenTime.begin();
    // What warm-up did is before the reference, to the last request.
    const { profiling, cpuCores, endedEarly } = await run.all(async () => {
      await Promise.all([scraper?.snapshot(interrupt), gpuScraper?.snapshot(interrupt)]);
    });
    const endNs = profiling?.endNs ?? clock.nowNs();
    if (control.starved > 0) warn(starvationNote(control.starved));
    if (plan.shard?.index === 0) onStage("waiting for the other shards to end");
    // The servers' metrics of the whole run are read until the last of them has.
    await starts.over();
    if (scraper !== undefined && scraper.reachable > 0) {
      const flushSeconds = (plan.serverMetrics?.flushNs ?? 0) / 1e9;
      onStage(`reading the servers' last metrics (${flushSeconds} s)`);
    }
    const isScraped = scraper !== undefined && scraper.reachable > 0;
    const settled = isScraped ? hooks.metricsSettled?.(plan) : undefined;
    const [networkSamples] = await Promise.all([
      network?.stop(profiling?.startNs ?? endNs, interrupt),
      scraper?.stop(clock, endNs, interrupt, settled),
      gpuScraper?.stop(clock, endNs, interrupt),
    ]);
    onStage("computing the results");
    // Their memory is free for what the results need now.
    pool.close();
    canaries?.close();
    scraper?.close();
    gpuScraper?.close();
    network?.close();
    // Arrivals after the last request that there may be were not to be sent.
    const isFull = control.requested >=
      shareOf(plan.phases.at(-1)?.requestCount ?? Infinity, plan.shard);
    const unsentArrivals = profiling === undefined || isFull
      ? 0
      : Math.max(0, control.arrived - control.claimed);
    const { report, screenText, failure } = await results.finish({
      summary: {
        wasCancelled: interrupt.aborted,
        isComplete: !interrupt.aborted && endedEarly === undefined && pool.lost.length === 0 &&
          unsentArrivals === 0,
        endedEarly,
        startNs: profiling?.startNs ?? endNs,
        endNs,
        sent: profiling === undefined ? 0 : control.requested,
        unsentArrivals,
        loopLagMs: (profiling?.loopLagMs ?? []).map((samples) => summarize(samples)),
        cpuCores,
        notes,
        stalls: profiling?.stalls ?? [],
        networkSamples,
        stolen: stolenTime.end(),
        changes: steering.changes.length > 0 ? steering.changes : undefined,
      },
      scrapesComplete: scraper?.isComplete ?? false,
      gpuScrapesComplete: gpuScraper?.isComplete ?? false,
      screen: hooks.screen,
    });
    if (systems !== undefined) hooks.onStage?.("sending the results to other systems");
    const exports = await systems?.finish(report) ?? [];
    for (const outcome of exports) {
      const warning = exportWarning(outcome);
      if (warning !== undefined) hooks.onWarning?.(redact(warning));
    }
    if (exports.length > 0) await results.exported(exports);
    const sealFailure = await sealShard(plan, results, starts, clock, {
      host: machine.hostname,
      report,
      sessions: profiling === undefined ? 0 : control.claimed,
    });
    const collectFailure = await starts.collect();
    return {
      report,
      screenText,
      directory,
      exportFailure: failure ?? sealFailure ?? collectFailure,
      exports,
    };
  } catch (error) {
    if (plan.shard !== undefined) await results.discard();
    throw error;
  } finally {
    inquiry.abandon();
    await starts.close();
    await feeder?.close();
    systems?.close();
    watch?.close();
    stolenTime.end();
    machineTimes?.close();
    await live?.close();
    pool.close();
    canaries?.close();
    scraper?.close();
    gpuScraper?.close();
    network?.close();
    if (hooks.results === undefined) results.close();
  }
}

/** What is said of a file whose bodies are not written down once more. */
const UNWRITTEN_INPUTS = "inputs.json is not written: the input file is sent while it is read";

function starvationNote(sessions: number): string {
  const [first, waited] = sessions === 1
    ? ["1 session was", "it"]
    : [`${sessions} sessions were`, "they"];
  return `${first} free to begin before the input file was read so far, and ${waited} waited: ` +
    "reading and counting its tokens took longer than the servers' replies";
}

/** What the phases came to. */
interface PhasesOutcome {
  /** undefined if it never began. */
  readonly profiling: PhaseOutcome | undefined;
  /** CPU time of the process over the profiling phase, in cores. */
  readonly cpuCores: number;
  /** Why it was not worth going on. */
  readonly endedEarly: string | undefined;
}

class PhaseRunner {
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

  constructor(
    plan: RunPlan,
    pool: LoadPool,
    results: ResultsClient,
    control: ControlBlock,
    clock: MainClock,
    hooks: RunHooks,
    { interrupt, watch, starts, feeder }: {
      interrupt: AbortSignal;
      watch: RunWatch | undefined;
      starts: PhaseStarts;
      feeder: PageFeeder | undefined;
    },
  ) {
    this.#feeder = feeder;
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
   * @param afterPhase called between one phase and the next
   */
  async all(
    afterPhase: () => Promise<void> | undefined,
  ): Promise<PhasesOutcome> {
    let profiling: PhaseOutcome | undefined;
    let cpuCores = 0;
    let endedEarly: string | undefined;
    for (const phase of this.#plan.phases) {
      if (this.#interrupt.aborted || endedEarly !== undefined) break;
      const isWarmup = phase.kind === "warmup";
      // The first page is read before anybody waits for this process.
      await this.#feeder?.begin(phase);
      const agreedNs = await this.#nextStart(phase);
      if (this.#interrupt.aborted) break;
      const late = agreedNs === undefined ? undefined : this.#starts.tooLate(agreedNs);
      if (late !== undefined) {
        endedEarly = late;
        this.#hooks.onWarning?.(`${ENDS_EARLY}: ${late}`);
        break;
      }
      const { outcome, cpuNs } = await this.#run(phase, agreedNs);
      const { startNs, endNs, givenUp } = outcome;
      if (givenUp !== undefined) {
        endedEarly = isWarmup ? `in the warm-up ${givenUp}` : givenUp;
        this.#hooks.onWarning?.(`${ENDS_EARLY}: ${endedEarly}`);
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
          this.#results.phaseBegun(phase.kind, startNs);
          this.#feeder?.start();
        },
        agreedNs,
      );
      if (agreedNs !== undefined) {
        callOff = this.#starts.watch(agreedNs, (reason) => this.#pool.giveUp(reason));
      }
      const outcome = await running;
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

  #startedNs = 0;

  #reportProgress(phase: PhasePlan): void {
    const { shard } = this.#plan;
    const plan = phaseOfShard(phase, shard);
    const { succeeded, failed, cancelled, claimed, requested, inFlight, between, chunks } =
      this.#control;
    const elapsedNs = Math.max(0, this.#clock.nowNs() - this.#startedNs);
    const { tokensPerChunk, ttftP50Ms, itlP50Ms, unexpected } = this.#results.progress;
    this.#hooks.onProgress?.({
      phase: plan.kind,
      plan,
      elapsedSeconds: elapsedNs / 1e9,
      sent: requested,
      done: succeeded + failed + cancelled,
      ...(plan.sessionCount === undefined ? {} : { sessions: claimed }),
      inFlight: inFlight - between,
      limit: limitCurve(phase.load.concurrency, phase.load.concurrencyRamp, shard).at(elapsedNs),
      failed: failed + unexpected,
      tokens: chunks * tokensPerChunk,
      ttftP50Ms,
      itlP50Ms,
    });
  }
}
