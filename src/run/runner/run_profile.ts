/**
 * A benchmark from its plan to its report: starts the threads, leads them through the phases, and
 * has the results written in every case.
 */

import type { RunPlan } from "../../config/plan/run_plan.ts";
import { shareOf } from "../../config/shard/shard.ts";
import { firstReason } from "../../core/run_end/end_reason.ts";
import { interruptionReason } from "../../core/run_end/interruption.ts";
import { summarize } from "../../core/statistics/summarize.ts";
import type { ExportOutcome } from "../../report/model/export_outcome.ts";
import type { ProfileReport } from "../../report/model/profile_report.ts";
import type { RunSummary } from "../../results/collect/run_manifest.ts";
import { findGpus } from "./find_gpus.ts";
import { machineFacts } from "./machine_facts.ts";
import { PhaseRunner, type PhasesOutcome } from "./phase_runner.ts";
import { inOutputFolder, type OutputFolder } from "./prepare_output.ts";
import { prepareRecording } from "./prepare_recording.ts";
import { prepareThreads } from "./prepare_threads.ts";
import type { RunContext } from "./run_context.ts";
import type { RunHooks } from "./run_hooks.ts";
import { RunNotes } from "./run_notes.ts";
import { RunThreads } from "./run_threads.ts";
import { sealShard } from "./seal_shard.ts";
import { exportWarning } from "./systems_client.ts";

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
  { path: directory, isBeside, begin }: OutputFolder,
  givenPlan: RunPlan,
  hooks: RunHooks,
): Promise<RunOutcome> {
  const output = { ...givenPlan.output, directory };
  const plan = { ...givenPlan, output, gpuTelemetry: await findGpus(givenPlan.gpuTelemetry) };
  const interrupt = hooks.interrupt ?? new AbortController().signal;
  const notes = new RunNotes(plan, hooks);
  // Asked for while that is permitted.
  const machine = machineFacts();
  const context: RunContext = { plan, hooks, interrupt, notes, machine };
  if (isBeside && output.existing === "replace") {
    hooks.onWarning?.(
      `${givenPlan.output.directory} is not empty or in use by another run; results go to ` +
        `${directory}`,
    );
  }
  const threads = new RunThreads(context);
  try {
    await prepareThreads(threads, context, begin);
    await hooks.onThreadsStarted?.();
    const phases = await runPhases(threads, context);
    const measured = await endMeasuring(threads, context, phases);
    const summary = { ...measured, drift: await driftOf(threads, context) };
    const sessions = phases.profiling === undefined ? 0 : threads.control.claimed;
    return await writeResults(threads, context, summary, sessions);
  } catch (error) {
    if (plan.shard !== undefined) await threads.results.discard();
    throw error;
  } finally {
    await threads.close();
  }
}

async function runPhases(
  threads: RunThreads,
  { plan, hooks, interrupt, notes }: RunContext,
): Promise<PhasesOutcome> {
  const { pool, results, control, clock, watch, starts, feeder, scraper, gpuScraper } = threads;
  results.onHopeless = (end) => pool.giveUp(end);
  hooks.onSteering?.(threads.steering);
  const { verify } = threads;
  const snapshot = async (): Promise<void> => {
    await Promise.all([scraper?.snapshot(interrupt), gpuScraper?.snapshot(interrupt)]);
  };
  if (verify !== undefined) {
    notes.stage("sending the sample of --verify before the load");
    await verify.quiet(interrupt);
    // What the sample did is before the reference, too.
    await snapshot();
  }
  const runner = new PhaseRunner(
    plan,
    pool,
    results,
    control,
    clock,
    { ...hooks, onWarning: (text, endReason) => notes.tell(text, endReason) },
    { interrupt, watch, starts, feeder, verify },
  );
  scraper?.start();
  gpuScraper?.start();
  threads.network?.start();
  threads.stolenTime.begin();
  // What warm-up did is before the reference, to the last request.
  return await runner.all(snapshot);
}

/** Reads the servers' last metrics, and ends the threads that measure. */
async function endMeasuring(
  threads: RunThreads,
  { plan, hooks, interrupt, notes }: RunContext,
  { profiling, cpuCores, endedEarly }: PhasesOutcome,
): Promise<RunSummary> {
  const { clock, control, scraper, gpuScraper, pool, steering } = threads;
  const endNs = profiling?.endNs ?? clock.nowNs();
  const startNs = profiling?.startNs ?? endNs;
  if (control.starved > 0) notes.warn(starvationNote(control.starved));
  if (plan.shard?.index === 0) notes.stage("waiting for the other shards to end");
  // The servers' metrics of the whole run are read until the last of them has.
  await threads.starts.over();
  const isScraped = scraper !== undefined && scraper.reachable > 0;
  if (isScraped) {
    const flushSeconds = (plan.serverMetrics?.flushNs ?? 0) / 1e9;
    notes.stage(`reading the servers' last metrics (${flushSeconds} s)`);
  }
  const settled = isScraped ? hooks.metricsSettled?.(plan) : undefined;
  const [networkSamples] = await Promise.all([
    threads.network?.stop(startNs, interrupt),
    scraper?.stop(clock, endNs, interrupt, settled),
    gpuScraper?.stop(clock, endNs, interrupt),
  ]);
  const uncounted = threads.counting?.note;
  if (uncounted !== undefined) notes.warn(uncounted);
  const untested = threads.patterns?.note;
  if (untested !== undefined) notes.warn(untested);
  notes.stage("computing the results");
  // Their memory is free for what the results need now.
  void threads.closeMeasuring();
  // Arrivals after the last request that there may be were not to be sent.
  const isFull = control.requested >=
    shareOf(plan.phases.at(-1)?.requestCount ?? Infinity, plan.shard);
  const unsentArrivals = profiling === undefined || isFull
    ? 0
    : Math.max(0, control.arrived - control.claimed);
  return {
    wasCancelled: interrupt.aborted,
    isComplete: !interrupt.aborted && endedEarly === undefined && pool.lost.length === 0 &&
      unsentArrivals === 0,
    endedEarly: endedEarly?.text,
    endReason: firstReason(
      endedEarly?.reason,
      interrupt.aborted ? interruptionReason(interrupt) : undefined,
      pool.lost.length > 0 ? "worker_lost" : undefined,
    ),
    startNs,
    endNs,
    firstIdleNs: control.idle.firstUserNs,
    sent: profiling === undefined ? 0 : control.requested,
    unsentArrivals,
    loopLagMs: (profiling?.loopLagMs ?? []).map((samples) => summarize(samples)),
    cpuCores,
    notes: notes.kept,
    stalls: profiling?.stalls ?? [],
    networkSamples,
    stolen: threads.stolenTime.end(),
    changes: steering.changes.length > 0 ? steering.changes : undefined,
    ...primingOf(threads, notes),
  };
}

/** The calls that filled the servers' caches for sessions that were entered in their middle. */
function primingOf(
  { control: { primed, primingFailed } }: RunThreads,
  notes: RunNotes,
): Pick<RunSummary, "priming"> {
  const sent = primed + primingFailed;
  if (sent === 0) return {};
  if (primingFailed > 0) {
    notes.warn(
      `Priming calls that failed: ${primingFailed} of ${sent}; caches lack what they would have had`,
    );
  }
  return { priming: { sent, failed: primingFailed } };
}

/** Sends the sample of `--verify drift` after the load; undefined without it. */
async function driftOf(
  { verify }: RunThreads,
  { interrupt, notes }: RunContext,
): Promise<RunSummary["drift"]> {
  if (verify === undefined || interrupt.aborted) return undefined;
  notes.stage("sending the sample of --verify after the load");
  await verify.quiet(interrupt);
  if (interrupt.aborted) return undefined;
  const findings = await verify.findings();
  // An input may have fewer prompts than the sample may be large.
  const { sample: answered, wanted } = findings ?? { sample: 0, wanted: 1 };
  if (answered < wanted) notes.warn(smallSampleNote(answered, wanted));
  return findings && {
    ...findings,
    examples: findings.examples.map((example) => ({
      ...example,
      alone: notes.redact(example.alone),
      underLoad: notes.redact(example.underLoad),
    })),
  };
}

/** Has the results written, and sent to other systems. */
async function writeResults(
  { pool, results, scraper, gpuScraper, systems, starts, clock }: RunThreads,
  { plan, hooks, notes, machine }: RunContext,
  summary: RunSummary,
  sessions: number,
): Promise<RunOutcome> {
  const { report, screenText, failure } = await results.finish({
    summary,
    scrapesComplete: scraper?.isComplete ?? false,
    gpuScrapesComplete: gpuScraper?.isComplete ?? false,
    screen: hooks.screen,
  });
  if (systems !== undefined) notes.stage("sending the results to other systems");
  const exports = await systems?.finish(report) ?? [];
  for (const outcome of exports) {
    const warning = exportWarning(outcome);
    if (warning !== undefined) notes.tell(warning);
  }
  if (exports.length > 0) await results.exported(exports);
  const sealFailure = await sealShard(plan, results, starts, clock, {
    host: machine.hostname,
    report,
    failure,
    summary,
    sessions,
    lostThreads: pool.lost.length,
  });
  const collectFailure = await starts.collect();
  return {
    report,
    screenText,
    directory: plan.output.directory,
    exportFailure: failure ?? sealFailure ?? collectFailure,
    exports,
  };
}

function smallSampleNote(answered: number, wanted: number): string {
  return answered === 0
    ? "Drift is unknown: no prompt was answered before, during and after the load; send more requests"
    : `Drift is measured with ${answered} of ${wanted} prompts: quiet passes take at most a tenth of ` +
      "the run; use a longer run";
}

function starvationNote(sessions: number): string {
  const [first, waited] = sessions === 1
    ? ["1 session was", "it"]
    : [`${sessions} sessions were`, "they"];
  return `${first} free to begin before the input file was read so far, and ${waited} waited: ` +
    "reading and counting its tokens took longer than the servers' replies";
}
