import type { Command } from "npm:commander@15.1.0";
import type { Calibration } from "../../measurement/calibration/calibration.ts";
import { AIPERF_OPTIONS } from "../../config/options/commands/aiperf_options.ts";
import { INTERFACE_OPTIONS } from "../../config/options/commands/interface_options.ts";
import { LEFT_OUT_OPTIONS } from "../../config/options/commands/left_out_options.ts";
import { noEffectNotice } from "../../config/options/no_effect_notice.ts";
import { PROFILE_COMMAND_OPTIONS } from "../../config/options/commands/option_tables.ts";
import { optionValues } from "../../config/options/config/option_values.ts";
import type { ProfileOptions } from "../../config/options/profile/profile_types.ts";
import { redactedCommand } from "../../config/options/redacted_command.ts";
import { resolveOptions } from "../../config/options/resolve_options.ts";
import type { Settings } from "../../config/options/settings.ts";
import { SWEEP_OPTIONS, type SweepSettings } from "../../config/options/commands/sweep_options.ts";
import { sweptOptions } from "../../config/options/swept_options.ts";
import { UsageError } from "../../config/options/usage_error.ts";
import { resolvePlan } from "../../config/plan/resolve/resolve_plan.ts";
import type { RunPlan } from "../../config/plan/run_plan.ts";
import type { Screen } from "../../results/collect/messages.ts";
import type { WarmThreads } from "../../run/runner/run_hooks.ts";
import { findModel } from "../../run/runner/server_probe.ts";
import { untilAborted } from "../../core/thread/until_aborted.ts";
import type { CommandOptions } from "../campaign/campaign_manifest.ts";
import { isCampaign } from "../campaign/is_campaign.ts";
import { liveAddress, type LivePlace } from "./live_address.ts";
import { machineCalibration } from "./machine_calibration.ts";
import type { CaughtSignals } from "../terminal/signals.ts";
import { consoleStyle } from "../terminal/console_style.ts";
import { hasColor, widthOf, writeMessage } from "../terminal/terminal.ts";

/** What a command line of `profile` asks for, checked as far as that takes no plan. */
export interface ProfileRequest {
  /** The arguments as they were given. */
  readonly args: readonly string[];
  readonly signals: CaughtSignals;
  /** Threads that commands before it have left. */
  readonly warm: WarmThreads;
  /** Options as they were given, lists of values among them. */
  readonly given: CommandOptions;
  /** Options with the first value of each list. */
  readonly options: CommandOptions;
  readonly settings: Settings<typeof INTERFACE_OPTIONS>;
  readonly sweep: SweepSettings;
  /** Whether there are several runs: repeated ones, a sweep, a search. */
  readonly isCampaign: boolean;
  /** Where the run is served while it goes on; undefined for nowhere. */
  readonly live: LivePlace | undefined;
  readonly calibration: Calibration | undefined;
  readonly screen: Screen;
  /** Notes about the input that were shown, each once for all runs. */
  readonly shownNotes: Set<string>;
}

/**
 * Reads a command line of `profile`.
 * @throws {UsageError} naming the option that cannot be used
 */
export async function readProfileRequest(
  signals: CaughtSignals,
  command: Command,
  args: readonly string[],
  warm: WarmThreads = {},
): Promise<ProfileRequest> {
  const given = await untilAborted(
    optionValues(command, PROFILE_COMMAND_OPTIONS),
    signals.signal,
  );
  const { base: options, swept } = sweptOptions(PROFILE_COMMAND_OPTIONS, given);
  // What is left out comes first: why that is says more than what another option would need.
  resolveOptions(LEFT_OUT_OPTIONS, options);
  const sweep = resolveOptions(SWEEP_OPTIONS, options);
  const { apiHost, apiPort } = resolveOptions(AIPERF_OPTIONS, options);
  const asked = resolveOptions(INTERFACE_OPTIONS, options);
  const style = consoleStyle(asked);
  const settings = style === "quiet" ? { ...asked, ui: "none" as const } : asked;
  if (settings.insecure) {
    throw new UsageError(
      "--insecure",
      "Certificate checks cannot be disabled: name the CA that signed the server's with --ca-cert",
    );
  }
  const ignored = noEffectNotice(AIPERF_OPTIONS, options);
  if (ignored !== undefined) onWarning(ignored);
  if (options.live !== undefined && apiPort !== undefined) {
    throw new UsageError("--live", "Cannot be combined with --api-port");
  }
  const live = liveAddress({ live: options.live, liveToken: options.liveToken, apiPort, apiHost });
  const request: ProfileRequest = {
    ...{ args, signals, warm, given, options, settings, sweep, live },
    isCampaign: isCampaign(sweep, swept),
    calibration: await machineCalibration(settings.calibration, onWarning),
    screen: {
      width: widthOf(Deno.stdout),
      color: hasColor(Deno.stdout),
      style,
    },
    shownNotes: new Set(),
  };
  checkSeveralRuns(request);
  return request;
}

/** Checks what cannot be asked of several runs. */
function checkSeveralRuns({ options, settings: { ab }, isCampaign, live }: ProfileRequest): void {
  const isShard = options.shard !== undefined || options.shardEnv !== undefined;
  if (isShard && (ab !== undefined || isCampaign)) {
    throw new UsageError("--shard", "Divides one run: leave it out where there are several");
  }
  if (isCampaign && live !== undefined) {
    throw new UsageError("--live", "Serves one run: leave it out where there are several");
  }
  if (isCampaign && ab !== undefined) {
    throw new UsageError("--ab", "Cannot be used together with several runs of another kind");
  }
}

/**
 * The plan of a run that is a part of what was asked for.
 * @param options of that run
 * @throws {UsageError} naming the option that cannot be used
 */
export async function planOf(request: ProfileRequest, given: ProfileOptions): Promise<RunPlan> {
  const options = await withHubTraces(given, request.signals.signal);
  const { args, signals, settings, live, calibration, shownNotes } = request;
  const { dryRun, printDenoFlags } = settings;
  const isShown = dryRun || (printDenoFlags && request.options.artifactDir !== undefined);
  return await untilAborted(
    resolvePlan(options, {
      cores: navigator.hardwareConcurrency,
      calibration,
      secrets: live === undefined ? [] : [live.token],
      cliCommand: redactedCommand(args, PROFILE_COMMAND_OPTIONS),
      findModel: isShown ? () => Promise.resolve(undefined) : findModel,
      inspectInput,
      onWarning,
      onNotice: (text) => {
        if (!shownNotes.has(text)) writeMessage("note", text);
        shownNotes.add(text);
      },
    }),
    signals.signal,
  );
}

async function withHubTraces(
  options: ProfileOptions,
  interrupt: AbortSignal,
): Promise<ProfileOptions> {
  if (options.hfWekaDataset === undefined) return options;
  const input = await import("../../run/runner/hub_traces_input.ts");
  return await untilAborted(input.withHubTraces(options, interrupt), interrupt);
}

function onWarning(text: string): void {
  writeMessage("warning", text);
}

async function inspectInput(path: string, format: string | undefined) {
  const input = await import("../../run/runner/inspected_input.ts");
  return await input.inspectInput(path, format);
}
