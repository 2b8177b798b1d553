/** `profile` with several runs: repeated ones, sweeps, and capacity searches. */

import type { Calibration } from "../../measurement/calibration/calibration.ts";
import type { CampaignOutcome, RunVerdict } from "../../run/campaign/campaign.ts";
import { runCampaign } from "../../run/campaign/run_campaign.ts";
import { PROFILE_COMMAND_OPTIONS } from "../../config/options/commands/option_tables.ts";
import type { ProfileOptions } from "../../config/options/profile/profile_types.ts";
import { redactedCommand } from "../../config/options/redacted_command.ts";
import { resolveOptions } from "../../config/options/resolve_options.ts";
import { SWEEP_OPTIONS } from "../../config/options/commands/sweep_options.ts";
import { sweptOptions } from "../../config/options/swept_options.ts";
import { UsageError } from "../../config/options/usage_error.ts";
import { type Machine, machineNotices } from "../../config/plan/load/planned_workers.ts";
import type { RunPlan } from "../../config/plan/run_plan.ts";
import type { Screen } from "../../results/collect/messages.ts";
import { missingDescriptors } from "../../run/runner/file_descriptors.ts";
import { hubHostsOf } from "../../run/runner/thread_permissions.ts";
import { waitForReadiness } from "../../run/runner/inference_probe.ts";
import { keepFilePermissions, keepRunPermissions } from "../../config/sandbox/permissions.ts";
import { pageRedactor } from "../../core/secrets/redactor.ts";
import type { SweepManifest } from "../../report/sweep/sweep_manifest.ts";
import { cacheReset } from "./cache_reset.ts";
import {
  type CampaignFolder,
  campaignFolder,
  openSweepFolder,
} from "../campaign/campaign_folder.ts";
import {
  campaignManifest,
  type CommandOptions,
  isSameCampaign,
  resumedOptions,
} from "../campaign/campaign_manifest.ts";
import { EXIT_CODE } from "../terminal/exit_code.ts";
import {
  firstOptions,
  pointPlans,
  recordedLevels,
  sharedOptions,
} from "../campaign/planned_campaign.ts";
import type { CaughtSignals } from "../terminal/signals.ts";
import { StepSummary } from "../terminal/step_summary.ts";
import { besideResults } from "../terminal/console_style.ts";
import { showsNoProgress, stderrLine } from "../terminal/stderr_line.ts";
import { writeMessage, writeOut } from "../terminal/terminal.ts";

/** What the command has prepared. */
export interface CampaignCommand {
  readonly given: CommandOptions;
  readonly args: readonly string[];
  readonly signals: CaughtSignals;
  readonly calibration: Calibration | undefined;
  readonly screen: Screen;
  /** How progress is shown. */
  readonly ui: string;
  /** Makes the plan of a run. */
  resolve(options: ProfileOptions): Promise<RunPlan>;
  onWarning(text: string): void;
  /** Shows what would be done instead of doing it; undefined to do it. */
  show: ((shown: ShownCampaign) => Promise<number>) | undefined;
}

/** What `--dry-run` shows. */
export interface ShownCampaign {
  readonly plan: RunPlan;
  readonly manifest: SweepManifest;
  readonly options: ProfileOptions;
}

/**
 * Makes the runs that options ask for.
 * @returns the exit code
 */
export async function profileCampaign(command: CampaignCommand): Promise<number> {
  const { signals, screen, onWarning } = command;
  const say = besideResults(screen.style);
  // The dashboard is for single runs.
  const progress = showsNoProgress(command.ui) ? undefined : stderrLine();
  const { folder, manifest, options, settings, machine, first } = await prepared(command);
  if (command.show !== undefined) {
    const plan = { ...first, output: { ...first.output, directory: folder.directory } };
    return await command.show({ plan, manifest, options });
  }
  await Deno.mkdir(folder.directory, { recursive: true });
  const directory = await Deno.realPath(folder.directory);
  await waitForReadiness(first, options.model === undefined, signals.signal);
  signals.signal.throwIfAborted();
  const reset = cacheReset(settings);
  if (manifest.shape.trials > 1 && repeatsPrompts(manifest, first) && reset === undefined) {
    onWarning(
      "All runs of a point send the same prompts, so a prefix cache serves every run after the " +
        "first; use --reset-prefix-cache or --vary-seed-per-trial",
    );
  }
  if (folder.interrupted !== undefined) {
    say(`continuing ${folder.directory}: what is finished there is kept\n`);
  }
  // Before the environment is given up.
  const stepSummary = await StepSummary.open();
  const outcome = await runCampaign({
    directory,
    manifest,
    options: { ...options, model: [...first.models] },
    plan: first,
    machine,
    idleTimeoutMs: settings.idleTimeoutSeconds * 1e3,
    reset,
    screen,
    showTable: !settings.noSweepTable,
  }, {
    interrupt: signals.signal,
    onProgress: (state) => progress?.show(state),
    onStage: (text) => progress?.showStage(text),
    onWarning: (text) => {
      progress?.clear();
      onWarning(text);
    },
    onLine: (line) => {
      progress?.clear();
      say(`${line}\n`);
    },
    onThreadsStarted: () => keepRunPermissions(hubHostsOf(first).length > 0),
    onLastRunEnd: keepFilePermissions,
  });
  progress?.clear();
  writeOut(outcome.text);
  stepSummary?.add(outcome.markdown);
  return exitCodeOf(outcome, manifest, first, signals);
}

/** Whether all runs of a point send the same prompts. */
function repeatsPrompts({ varySeedPerTrial, promptSalt }: SweepManifest, { dataset }: RunPlan) {
  const isSalted = dataset.source === "synthetic" && dataset.salt !== undefined;
  return !varySeedPerTrial && !(isSalted && promptSalt?.perTrial === true);
}

/** Checks what is asked for, and takes a folder for it. */
async function prepared(command: CampaignCommand) {
  const resumed = await resumedFolder(command);
  const given = resumed === undefined
    ? command.given
    : resumedOptions(resumed.interrupted as SweepManifest, command.given);
  const { base } = sweptOptions(PROFILE_COMMAND_OPTIONS, given);
  const settings = resolveOptions(SWEEP_OPTIONS, base);
  const shown = redactedCommand(command.args, PROFILE_COMMAND_OPTIONS);
  const wanted = campaignManifest(given, settings, shown);
  if (resumed !== undefined && !isSameCampaign(resumed.interrupted as SweepManifest, wanted)) {
    throw new UsageError(
      "--resume",
      `${resumed.directory} holds other runs than these options make`,
    );
  }
  const shared = sharedOptions(base, wanted);
  const { calibration, onWarning } = command;
  const machine = { cores: navigator.hardwareConcurrency, calibration };
  const known = await command.resolve(await firstOptions(shared, wanted));
  const options = recordedLevels(shared, wanted, known);
  const first = options === shared
    ? known
    : await command.resolve(await firstOptions(options, wanted));
  if (first.serverMetrics?.recordingPath !== undefined) {
    throw new UsageError("--record", "Takes one run: leave it out where there are several");
  }
  const folder = resumed ?? await campaignFolder({
    directory: options.artifactDir ?? defaultFolder(first, wanted),
    isNamed: options.artifactDir !== undefined,
    overwrite: options.overwrite === true,
    keep: options.keep === true,
    isSame: (earlier) => isSameCampaign(earlier, wanted),
  });
  const all = continued(folder, wanted, pageRedactor(first.secrets)(shown));
  const manifest = await checked(all, first, options, machine, onWarning);
  return { folder, manifest, options, settings, machine, first };
}

async function resumedFolder(
  { given }: CampaignCommand,
): Promise<CampaignFolder | undefined> {
  return given.resume === undefined ? undefined : await openSweepFolder(given.resume, "--resume");
}

/** What was found out before goes on; what is to be done follows from the options of now. */
function continued(
  { interrupted }: CampaignFolder,
  wanted: SweepManifest,
  command: string,
): SweepManifest {
  if (interrupted === undefined) return { ...wanted, command };
  return {
    ...wanted,
    points: interrupted.points,
    seed: interrupted.seed,
    promptSalt: interrupted.promptSalt,
    search: interrupted.search,
    command: interrupted.command,
  };
}

/** The part of a run's name that is about its load, which differs between runs. */
const LOAD_IN_NAME = /(-(concurrency\d+|users\d+|request_rate[\d.e+-]+(_series)?))+$/;

/** Beside what a single run would be called. */
function defaultFolder({ output }: RunPlan, { shape }: SweepManifest): string {
  return shape.kind === "runs"
    ? `${output.directory}-runs`
    : `${output.directory.replace(LOAD_IN_NAME, "")}-${shape.kind}`;
}

/**
 * Checks every plan that is known before anything is sent, and warns of those that this machine cannot
 * measure; a search looks no further than the system lets it.
 * @throws {UsageError} naming the option that cannot be used
 */
async function checked(
  manifest: SweepManifest,
  first: RunPlan,
  options: ProfileOptions,
  machine: Machine,
  onWarning: (text: string) => void,
): Promise<SweepManifest> {
  const { search } = manifest;
  if (search !== undefined) {
    if (search.variable !== "concurrency") return manifest;
    let { max } = search;
    while (max > search.min && missingDescriptors(max, machine.cores) !== undefined) {
      max = Math.max(search.min, Math.floor(max * 0.75));
    }
    if (max === search.max) return manifest;
    onWarning(`The search looks no further than ${max}: more connections need a higher ulimit -n`);
    return { ...manifest, search: { ...search, max } };
  }
  let most = 0;
  // Of the first plan they have been told.
  const told = new Set(machineNotices(first, machine));
  for await (const plan of pointPlans({ first, options, machine }, manifest)) {
    for (const notice of machineNotices(plan, machine)) {
      if (!told.has(notice)) onWarning(notice);
      told.add(notice);
    }
    for (const { load } of plan.phases) {
      if (load.concurrency < Infinity) most = Math.max(most, load.concurrency);
    }
  }
  const needed = missingDescriptors(most, first.workers);
  if (needed === undefined) return manifest;
  throw new UsageError(
    "--concurrency",
    `${most} connections need ${needed} file descriptors, more than this process may open: ` +
      `raise the limit (ulimit -n ${needed}) or lower the concurrency`,
  );
}

function exitCodeOf(
  { runs, isFound, hasFailed }: CampaignOutcome,
  { search }: SweepManifest,
  { maxErrorRate }: RunPlan,
  signals: CaughtSignals,
): number {
  const failed = (text: string): number => {
    writeMessage("error", text);
    return EXIT_CODE.failed;
  };
  const unwritten = runs.find(({ exportFailure }) => exportFailure !== undefined);
  if (unwritten?.exportFailure !== undefined) return failed(unwritten.exportFailure);
  if (signals.exitCode !== undefined) return signals.exitCode;
  // Why was told.
  if (hasFailed) return EXIT_CODE.failed;
  const isEmpty = ({ succeeded }: RunVerdict): boolean => succeeded === 0;
  if (runs.length > 0 && runs.every(isEmpty)) {
    return failed(
      runs.every(({ sent }) => sent === 0)
        ? "No request was sent: the runs were over before their first one"
        : "No request succeeded",
    );
  }
  if (search !== undefined) return isFound ? EXIT_CODE.done : EXIT_CODE.gate;
  const empty = runs.find(isEmpty);
  if (empty?.sent === 0) {
    return failed(`No request was sent in ${empty.label}: the run was over before the first one`);
  }
  if (empty !== undefined) return failed(`No request succeeded in ${empty.label}`);
  const stopped = runs.find(({ stopped }) => stopped !== undefined);
  if (stopped !== undefined) return failed(`${stopped.label} was stopped: ${stopped.stopped}`);
  const worst = runs.find(({ failed, succeeded }) => failed / (failed + succeeded) > maxErrorRate);
  if (worst !== undefined) {
    const share = (worst.failed / (worst.failed + worst.succeeded) * 100).toFixed(1);
    return failed(
      `${share} % of the requests failed in ${worst.label}, more than --max-error-rate ` +
        `${maxErrorRate} allows`,
    );
  }
  const unproven = runs.find(({ validityProblem }) => validityProblem !== undefined);
  if (unproven !== undefined) {
    writeMessage("error", `--require-valid: in ${unproven.label} ${unproven.validityProblem}`);
    return EXIT_CODE.gate;
  }
  return runs.every(({ gatesMet }) => gatesMet) ? EXIT_CODE.done : EXIT_CODE.gate;
}
