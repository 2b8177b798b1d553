/**
 * A benchmark from its plan to its report: starts the threads, leads them through the phases, and
 * has the results written in every case.
 */

import { NetworkClient } from "./network_client.ts";
import { findGpus } from "./find_gpus.ts";
import { openInput } from "../dataset/formats/open_input.ts";
import { loadDataset } from "../dataset/load_dataset.ts";
import { ControlBlock } from "../load/control_block.ts";
import { MainClock } from "../thread/run_clock.ts";
import type { RunPlan } from "../plan/run_plan.ts";
import type { ProfileReport } from "../report/profile_report.ts";
import { redactor } from "../secrets/redactor.ts";
import { MachineTimes } from "./machine_times.ts";
import { machineFacts } from "./machine_facts.ts";
import { threadFacts } from "./thread_permissions.ts";
import { shareOf } from "../partition/shard.ts";
import { summarize } from "../statistics/summarize.ts";
import { inOutputFolder, type OutputFolder } from "./prepare_output.ts";
import { CanaryClient } from "./canary_client.ts";
import { prepareRecording } from "./prepare_recording.ts";
import { LiveClient, liveHost } from "./live_client.ts";
import { LoadSteering } from "./load_steering.ts";
import { PageFeeder } from "./page_feeder.ts";
import { checkServerObjectives, hasServerObjectives } from "./check_server_objectives.ts";
import { PhaseRunner } from "./phase_runner.ts";
import type { RunHooks } from "./run_hooks.ts";
import { RunWatch } from "./run_watch.ts";
import { LOAD_MODULES, LoadPool } from "./load_pool.ts";
import { ResultsClient, type ResultsHooks } from "./results_client.ts";
import { StolenTimeWatch } from "./stolen_time_watch.ts";
import { ScrapeClient } from "./scrape_client.ts";
import { PhaseStarts } from "./phase_starts.ts";
import { sealShard } from "./seal_shard.ts";
import { ServerInquiry } from "./server_inquiry.ts";
import type { ExportOutcome } from "../report/export_outcome.ts";
import { exportWarning, SystemsClient } from "./systems_client.ts";

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
