import type { Command } from "npm:commander@15.1.0";
import type { ProfileOptions } from "../options/profile_types.ts";
import { splitUrls } from "../plan/target_url.ts";
import { resolvePlan } from "../plan/resolve_plan.ts";
import { phaseOfShard } from "../plan/phase_of_shard.ts";
import type { RunPlan } from "../plan/run_plan.ts";
import { untilAborted } from "../thread/until_aborted.ts";
import { UsageError } from "../options/usage_error.ts";
import { missingDescriptors } from "../run/file_descriptors.ts";
import { type RunOutcome, runProfile } from "../run/run_profile.ts";
import { artifactNames } from "../export/artifact_names.ts";
import type { Screen } from "../results/messages.ts";
import { allShardsFolder } from "../run/rendezvous_client.ts";
import { gateMarkdown } from "../export/gate_markdown.ts";
import { StepSummary } from "./step_summary.ts";
import { prefixCacheNote, resetPrefixCache } from "../run/reset_prefix_cache.ts";
import { findModel } from "../run/server_probe.ts";
import { waitForReadiness } from "../run/inference_probe.ts";
import { dropPermissions, keepFilePermissions } from "../sandbox/permissions.ts";
import { cacheReset } from "./cache_reset.ts";
import { isCampaign } from "./campaign_manifest.ts";
import { EXIT_CODE } from "./exit_code.ts";
import { reportExitCode } from "./report_exit_code.ts";
import type { ShownCampaign } from "./profile_campaign.ts";
import { AIPERF_OPTIONS } from "../options/aiperf_options.ts";
import { LEFT_OUT_OPTIONS } from "../options/left_out_options.ts";
import { INTERFACE_OPTIONS } from "../options/interface_options.ts";
import { noEffectNotice } from "../options/no_effect_notice.ts";
import { PROFILE_COMMAND_OPTIONS } from "../options/option_tables.ts";
import { optionValues } from "../options/option_values.ts";
import { resolveOptions } from "../options/resolve_options.ts";
import { SWEEP_OPTIONS, type SweepSettings } from "../options/sweep_options.ts";
import { sweptOptions } from "../options/swept_options.ts";
import { redactedCommand } from "../options/redacted_command.ts";
import { isReachableFromOutside, liveAddress, liveUrl } from "./live_address.ts";
import { liveHost } from "../run/live_client.ts";
import { calibrationFile, machineCalibration } from "./machine_calibration.ts";
import { progressView } from "./progress_view.ts";
import { catchSignals, type CaughtSignals } from "./signals.ts";
import { hasColor, widthOf, writeMessage, writeOut } from "./terminal.ts";

/**
 * Runs `inferometer profile`.
 * @param args the arguments as they were given, for the files
 * @returns the exit code
 */
export async function profileCommand(command: Command, args: readonly string[]): Promise<number> {
  const signals = catchSignals(
    "\ninterrupted: running requests get 2 s, then what was measured is written; again to quit at once\n",
  );
  try {
    return await profileUntil(signals, command, args);
  } catch (error) {
    // Nothing was sent yet.
    if (signals.exitCode !== undefined && error === signals.signal.reason) return signals.exitCode;
    throw error;
  }
}

async function profileUntil(
  signals: CaughtSignals,
  command: Command,
  args: readonly string[],
): Promise<number> {
  const given = await untilAborted(
    optionValues(command, PROFILE_COMMAND_OPTIONS),
    signals.signal,
  );
  const { base: options, swept } = sweptOptions(PROFILE_COMMAND_OPTIONS, given);
  const sweep = resolveOptions(SWEEP_OPTIONS, options);
  resolveOptions(LEFT_OUT_OPTIONS, options);
  const { apiHost, apiPort } = resolveOptions(AIPERF_OPTIONS, options);
  const settings = resolveOptions(INTERFACE_OPTIONS, options);
  const { ab, abBlocks, ui, console: style, config, dryRun, printDenoFlags, insecure } = settings;
  if (insecure) {
    throw new UsageError(
      "--insecure",
      "Certificate checks cannot be disabled: name the CA that signed the server's with --ca-cert",
    );
  }
  const onWarning = (text: string): void => writeMessage("warning", text);
  const onNotice = (text: string): void => writeMessage("note", text);
  const ignored = noEffectNotice(AIPERF_OPTIONS, options);
  if (ignored !== undefined) onWarning(ignored);
  if (options.live !== undefined && apiPort !== undefined) {
    throw new UsageError("--live", "Cannot be combined with --api-port");
  }
  const live = liveAddress({ live: options.live, liveToken: options.liveToken, apiPort, apiHost });
  const calibration = await machineCalibration(settings.calibration, onWarning);
  const resolve = (given: ProfileOptions): Promise<RunPlan> =>
    untilAborted(
      resolvePlan(given, {
        cores: navigator.hardwareConcurrency,
        calibration,
        secrets: live === undefined ? [] : [live.token],
        cliCommand: redactedCommand(args, PROFILE_COMMAND_OPTIONS),
        findModel: dryRun || (printDenoFlags && options.artifactDir !== undefined)
          ? () => Promise.resolve(undefined)
          : findModel,
        inspectInput: (path, format) => inspectedInput(path, format),
        onWarning,
        onNotice,
      }),
      signals.signal,
    );
  const screen = { width: widthOf(Deno.stdout), color: hasColor(Deno.stdout), style };
  const run = async (plan: RunPlan, onThreadsStarted?: () => Promise<void>) => {
    checkDescriptors(plan);
    // Who had to ask for the model has waited before that.
    await waitForReadiness(plan, options.model === undefined, signals.signal);
    signals.signal.throwIfAborted();
    const notes = await resetCaches(plan, sweep, signals.signal, onWarning);
    const served = live === undefined ? [] : [`live: ${liveUrl(live)}`];
    if (live !== undefined && isReachableFromOutside(live)) {
      onWarning("--live: others than this machine can reach it; who has the token sees the run");
    }
    const mayRead = plan.dataset.source !== "file" || plan.dataset.path !== "-";
    const view = progressView(ui, signals, mayRead, served);
    try {
      return await runProfile(plan, {
        interrupt: signals.signal,
        notes,
        ...view.hooks,
        ...(live === undefined ? {} : { live }),
        onWarning: (text) => view.say("warning", text),
        onNotice: (text) => view.say("note", text),
        ...(onThreadsStarted === undefined ? {} : { onThreadsStarted }),
        screen,
      });
    } finally {
      view.close();
    }
  };
  const isShard = options.shard !== undefined || options.shardEnv !== undefined;
  if (isShard && (ab !== undefined || isCampaign(sweep, swept))) {
    throw new UsageError("--shard", "Divides one run: leave it out where there are several");
  }
  if (isCampaign(sweep, swept)) {
    if (live !== undefined) {
      throw new UsageError("--live", "Serves one run: leave it out where there are several");
    }
    if (ab !== undefined) {
      throw new UsageError("--ab", "Cannot be used together with several runs of another kind");
    }
    const { profileCampaign } = await import("./profile_campaign.ts");
    const show = async ({ plan, manifest, options: shown }: ShownCampaign) => {
      if (printDenoFlags) {
        const { denoCommand } = await import("./print_deno_flags.ts");
        const output = { ...plan.output, existing: "overwrite" as const };
        writeOut(`${await denoCommand({ ...plan, output }, shown, args, [config])}\n`);
      } else {
        const { dryRunText } = await import("./dry_run.ts");
        writeOut(dryRunText(plan, screen.width, undefined, manifest));
      }
      return EXIT_CODE.done;
    };
    return await profileCampaign({
      given,
      args,
      signals,
      calibration,
      screen,
      ui,
      resolve,
      onWarning,
      show: dryRun || printDenoFlags ? show : undefined,
    });
  }
  if (ab !== undefined && !dryRun) {
    const { profileAb } = await import("./profile_ab.ts");
    return await profileAb(options, ab.flatMap(splitUrls), abBlocks, {
      resolve,
      run: (plan, isLast) => run(plan, isLast ? keepFilePermissions : undefined),
      exitCodeOf: (plan, outcome) =>
        exitCodeOf(plan, outcome, signals, options.requireValid === true),
      write: writeOut,
      width: screen.width,
    });
  }
  const plan = await resolve(ab === undefined ? options : { ...options, url: ab });
  if (printDenoFlags) {
    const { denoCommand } = await import("./print_deno_flags.ts");
    const files = [
      config,
      calibration === undefined ? undefined : calibrationFile(settings.calibration),
    ];
    writeOut(`${await denoCommand(plan, options, args, files, live && liveHost(live))}\n`);
    return EXIT_CODE.done;
  }
  if (dryRun) {
    const { dryRunText } = await import("./dry_run.ts");
    writeOut(dryRunText(plan, widthOf(Deno.stdout), live && liveHost(live)));
    return EXIT_CODE.done;
  }
  const hasGates = (plan.slos ?? []).length > 0;
  const stepSummary = hasGates ? await StepSummary.open() : undefined;
  const collects = plan.start?.by === "rendezvous" && plan.start.collects &&
    plan.shard?.index === 0;
  // The files of the others are merged in the end.
  const outcome = await run(plan, collects ? keepFilePermissions : dropPermissions);
  writeOut(outcome.screenText);
  const { gates, model, tags } = outcome.report;
  stepSummary?.add(gateMarkdown(gates, `inferometer ${model}`, tags));
  const exitCode = exitCodeOf(plan, outcome, signals, options.requireValid === true);
  return collects ? Math.max(exitCode, await mergeCollected(plan, style)) : exitCode;
}

/** Merges what the shards have sent, shows it, and its summary as JSON for who sees the screen only. */
async function mergeCollected(plan: RunPlan, style: Screen["style"]): Promise<number> {
  const { mergeFolder } = await import("./merge_command.ts");
  const folder = allShardsFolder(plan);
  const count = plan.shard?.count;
  const exitCode = await mergeFolder(folder, { style, expectShards: count, allowMissing: true });
  const name = artifactNames(plan.output.prefix).json;
  writeOut(await Deno.readTextFile(`${folder}/${name}`).catch(() => ""));
  return exitCode;
}

/** Has prefix caches reset where that is wanted; what there is to say about it. */
async function resetCaches(
  plan: RunPlan,
  settings: SweepSettings,
  interrupt: AbortSignal,
  onWarning: (text: string) => void,
): Promise<string[]> {
  const reset = cacheReset(settings);
  if (reset === undefined) return [];
  const missing = await resetPrefixCache(plan, reset, interrupt);
  if (missing.length === 0) return [];
  const note = prefixCacheNote(missing);
  onWarning(note);
  return [note];
}

async function inspectedInput(path: string, format: string | undefined) {
  const { inspectInput } = await import("../run/inspected_input.ts");
  return await inspectInput(path, format);
}

function checkDescriptors(plan: RunPlan): void {
  const most = Math.max(
    ...plan.phases.map((phase) => {
      const { concurrency } = phaseOfShard(phase, plan.shard).load;
      return concurrency < Infinity ? concurrency : 0;
    }),
  );
  const needed = missingDescriptors(most, plan.workers);
  if (needed !== undefined) {
    throw new UsageError(
      "--concurrency",
      `${most} connections need ${needed} file descriptors, more than this process may open: ` +
        `raise the limit (ulimit -n ${needed}) or lower the concurrency`,
    );
  }
}

function exitCodeOf(
  plan: RunPlan,
  outcome: RunOutcome,
  signals: CaughtSignals,
  requireValid: boolean,
): number {
  if (outcome.exportFailure !== undefined) {
    writeMessage("error", outcome.exportFailure);
    return EXIT_CODE.failed;
  }
  if (signals.exitCode !== undefined) return signals.exitCode;
  if (plan.shard === undefined) return reportExitCode(outcome.report, plan, requireValid);
  // Objectives are of the whole run: merge judges by them.
  return reportExitCode({ ...outcome.report, gates: [] }, plan, false);
}
