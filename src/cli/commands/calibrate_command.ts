import { basename, dirname } from "node:path";
import type { Command } from "npm:commander@15.1.0";
import { calibrationText } from "../../measurement/calibration/calibration_file.ts";
import { calibrationPath } from "../../measurement/calibration/calibration_path.ts";
import { limitsOf } from "../../measurement/calibration/limits.ts";
import { nextTrial } from "../../measurement/calibration/next_trial.ts";
import { MAX_STREAMS, type Trial } from "../../measurement/calibration/trial.ts";
import { ExportError } from "../../report/export/export_error.ts";
import { FolderSink } from "../../report/export/file_sink.ts";
import { refuseSpecialFile } from "../../core/files/refuse_special_file.ts";
import { CALIBRATE_OPTIONS } from "../../config/options/commands/calibrate_options.ts";
import { environmentVariable } from "../../config/options/environment_variable.ts";
import { optionValues } from "../../config/options/config/option_values.ts";
import { resolveOptions } from "../../config/options/resolve_options.ts";
import { UsageError } from "../../config/options/usage_error.ts";
import { VERSION } from "../../config/plan/version.ts";
import { missingDescriptors } from "../../run/runner/file_descriptors.ts";
import { machineFacts } from "../../run/runner/machine_facts.ts";
import { calibrationReport } from "../../report/console/calibration_report.ts";
import { printableText } from "../../report/console/printable_text.ts";
import { calibrationTrial, startTrialServer } from "../profile/calibration_trial.ts";
import { EXIT_CODE } from "../terminal/exit_code.ts";
import { catchSignals, type CaughtSignals } from "../terminal/signals.ts";
import { stderrLine } from "../terminal/stderr_line.ts";
import { widthOf, writeMessage, writeOut } from "../terminal/terminal.ts";

/** Share of the budget in which a trial sends requests, and its bounds. */
const TRIAL_SHARE = 1 / 60;
const MIN_TRIAL_SECONDS = 0.25;
const MAX_TRIAL_SECONDS = 1;
/** A trial may take so many times as long as one that tells something of it. */
const LONGER = 1.25;
/** What a run takes to end once it is asked to. */
const INTERRUPT_MS = 2000;
/** Time to write and print, and for threads to end. */
const CLOSING_SECONDS = 1;

/**
 * Runs `inferometer calibrate`.
 * @returns the exit code
 */
export async function calibrateCommand(command: Command): Promise<number> {
  const { budget, workers, output } = resolveOptions(
    CALIBRATE_OPTIONS,
    await optionValues(command, CALIBRATE_OPTIONS),
  );
  const path = output ?? calibrationPath(environmentVariable);
  if (path === undefined) {
    throw new UsageError("--output", "There is no home folder: name a file to keep the result in");
  }
  const sink = await settingsFolder(path);
  const signals = catchSignals("\ninterrupted: nothing is kept\n");
  const counts = workerCounts(workers ?? Math.max(2, navigator.hardwareConcurrency));
  const trials = await runTrials(counts, budget, signals);
  if (signals.exitCode !== undefined) return signals.exitCode;
  const calibration = {
    machine: machineFacts(),
    version: VERSION,
    date: new Date().toISOString(),
    limits: limitsOf(trials),
  };
  writeOut(calibrationReport(calibration, trials, widthOf(Deno.stdout)));
  await sink.write(basename(path), [calibrationText(calibration)]);
  const reader = output === undefined ? "profile reads" : "profile --calibration reads";
  writeOut(`${reader} ${printableText(path, Infinity)}\n`);
  return EXIT_CODE.done;
}

/** 1, 2, 4 ... and the largest. */
function workerCounts(largest: number): number[] {
  const counts: number[] = [];
  for (let count = 1; count < largest; count *= 2) counts.push(count);
  return [...counts, largest];
}

/** Makes trials until there is nothing more to find, or no time for another. */
async function runTrials(
  counts: readonly number[],
  budgetSeconds: number,
  { signal }: CaughtSignals,
): Promise<Trial[]> {
  // Counted from the start of the process, as the user does.
  const leftMs = () => (budgetSeconds - CLOSING_SECONDS) * 1e3 - performance.now();
  const seconds = trialSeconds(budgetSeconds);
  const progress = stderrLine();
  const onWarning = (text: string): void => {
    progress.clear();
    writeMessage("warning", text);
  };
  const trials: Trial[] = [];
  const directory = await Deno.makeTempDir({ prefix: "inferometer-calibrate-" });
  const server = await startTrialServer();
  const maxStreams = openableStreams(Math.max(...counts));
  const durations: TrialDuration[] = [];
  let interrupt = signal;
  try {
    for (;;) {
      const load = nextTrial(trials, counts, maxStreams);
      if (load === undefined) break;
      const startMs = performance.now();
      // However slow the machine is, there is a first trial that tells something of it.
      if (trials.length > 0) {
        const expectedMs = expectedDurationMs(load.streams, durations);
        if (expectedMs > leftMs()) break;
        const timeoutMs = Math.max(expectedMs, leftMs() - INTERRUPT_MS);
        interrupt = AbortSignal.any([signal, AbortSignal.timeout(timeoutMs)]);
      }
      progress.showStage(
        `${load.workers} ${load.workers === 1 ? "worker" : "workers"}, ${load.streams} streams, ` +
          `${Math.max(0, Math.ceil(leftMs() / 1e3))} s left at most`,
      );
      const trial = await calibrationTrial(server, load, {
        seconds,
        directory,
        interrupt,
        onWarning,
      });
      if (trial === undefined) break;
      trials.push(trial);
      durations.push({ streams: load.streams, ms: performance.now() - startMs });
    }
  } catch (error) {
    // The time was over before there was anything to send.
    if (error !== interrupt.reason) throw error;
  } finally {
    progress.clear();
    server.close();
    await Deno.remove(directory, { recursive: true });
  }
  return trials;
}

/** How long a trial sends requests. */
function trialSeconds(budgetSeconds: number): number {
  return Math.min(MAX_TRIAL_SECONDS, Math.max(MIN_TRIAL_SECONDS, budgetSeconds * TRIAL_SHARE));
}

/** How long a trial took. */
interface TrialDuration {
  readonly streams: number;
  readonly ms: number;
}

/**
 * Fewer streams take no longer than more of them did.
 * @param durations one or more
 */
function expectedDurationMs(streams: number, durations: readonly TrialDuration[]): number {
  const asHeavy = durations.filter((duration) => duration.streams >= streams).map(({ ms }) => ms);
  const known = asHeavy.length > 0
    ? Math.min(...asHeavy)
    : Math.max(...durations.map(({ ms }) => ms));
  return LONGER * known;
}

/** The most streams that this process can open, both ends of each. */
function openableStreams(workers: number): number {
  let streams = MAX_STREAMS;
  while (streams > 1 && missingDescriptors(2 * streams, workers) !== undefined) {
    streams = Math.floor(streams / 2);
  }
  return streams;
}

/**
 * The folder in which the result is kept. That it can be is found out before half a minute is spent.
 * @throws {ExportError} if no file can be written there
 */
async function settingsFolder(path: string): Promise<FolderSink> {
  const folder = dirname(path);
  const sink = new FolderSink(folder);
  try {
    await Deno.mkdir(folder, { recursive: true });
  } catch (error) {
    throw new ExportError(folder, error);
  }
  try {
    if (await isFolder(path)) throw new Deno.errors.IsADirectory();
    refuseSpecialFile(path);
    sink.openScratch().close?.();
  } catch (error) {
    throw new ExportError(path, error instanceof ExportError ? error.cause : error);
  }
  return sink;
}

async function isFolder(path: string): Promise<boolean> {
  try {
    return (await Deno.stat(path)).isDirectory;
  } catch (error) {
    if (error instanceof Deno.errors.NotFound) return false;
    throw error;
  }
}
