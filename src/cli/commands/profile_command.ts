import type { Command } from "npm:commander@15.1.0";
import { artifactNames } from "../../report/export/artifact_names.ts";
import { gateMarkdown } from "../../report/export/verdicts/gate_markdown.ts";
import { splitUrls } from "../../config/plan/servers/target_url.ts";
import type { RunPlan } from "../../config/plan/run_plan.ts";
import type { Screen } from "../../results/collect/messages.ts";
import { liveHost } from "../../run/runner/live_client.ts";
import { allShardsFolder } from "../../run/runner/rendezvous_client.ts";
import type { WarmThreads } from "../../run/runner/run_hooks.ts";
import type { RunOutcome } from "../../run/runner/run_profile.ts";
import { dropPermissions, keepFilePermissions } from "../../config/sandbox/permissions.ts";
import { EXIT_CODE } from "../terminal/exit_code.ts";
import { calibrationFile } from "../profile/machine_calibration.ts";
import { measuredRun } from "../profile/measured_run.ts";
import type { ShownCampaign } from "../profile/profile_campaign.ts";
import { planOf, type ProfileRequest, readProfileRequest } from "../profile/profile_request.ts";
import { reportExitCode } from "../profile/report_exit_code.ts";
import { catchSignals, type CaughtSignals } from "../terminal/signals.ts";
import { StepSummary } from "../terminal/step_summary.ts";
import { widthOf, writeMessage, writeOut } from "../terminal/terminal.ts";

/**
 * Runs `inferometer profile`.
 * @param args the arguments as they were given, for the files
 * @param warm threads that commands before it have left
 * @returns the exit code
 */
export async function profileCommand(
  command: Command,
  args: readonly string[],
  warm: WarmThreads,
): Promise<number> {
  const signals = catchSignals(
    "\ninterrupted: running requests get 2 s, then what was measured is written; again to quit at once\n",
  );
  try {
    return await profileUntil(signals, command, args, warm);
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
  warm: WarmThreads,
): Promise<number> {
  const request = await readProfileRequest(signals, command, args, warm);
  const { ab, dryRun, printDenoFlags } = request.settings;
  if (request.isCampaign) return await severalRuns(request);
  if (ab !== undefined && !dryRun) return await runsInTurns(request, ab);
  const { options } = request;
  const plan = await planOf(request, ab === undefined ? options : { ...options, url: ab });
  if (printDenoFlags) return await printedFlags(request, plan);
  return dryRun ? await shownPlan(request, plan) : await oneRun(request, plan);
}

/** Repeated runs, a sweep, or a search. */
async function severalRuns(request: ProfileRequest): Promise<number> {
  const { args, settings: { config, ui, dryRun, printDenoFlags }, screen } = request;
  const { profileCampaign } = await import(
    "../profile/profile_campaign.ts" as string
  ) as typeof import("../profile/profile_campaign.ts");
  const show = async ({ plan, manifest, options }: ShownCampaign): Promise<number> => {
    if (printDenoFlags) {
      const { denoCommand } = await import("../profile/print_deno_flags.ts");
      const output = { ...plan.output, existing: "overwrite" as const };
      writeOut(`${await denoCommand({ ...plan, output }, options, args, [config])}\n`);
    } else {
      writeOut(await planText(request, plan, screen.width, undefined, manifest));
    }
    return EXIT_CODE.done;
  };
  return await profileCampaign({
    ...request,
    ui,
    resolve: (options) => planOf(request, options),
    onWarning: (text) => writeMessage("warning", text),
    show: dryRun || printDenoFlags ? show : undefined,
  });
}

/** Two servers, measured in turns. */
async function runsInTurns(request: ProfileRequest, ab: readonly string[]): Promise<number> {
  const { options, settings: { abBlocks }, signals, screen } = request;
  const { profileAb } = await import(
    "../profile/profile_ab.ts" as string
  ) as typeof import("../profile/profile_ab.ts");
  return await profileAb(options, ab.flatMap(splitUrls), abBlocks, {
    resolve: (options) => planOf(request, options),
    run: (plan, isLast) => measuredRun(request, plan, isLast ? keepFilePermissions : undefined),
    exitCodeOf: (plan, outcome) => exitCodeOf(plan, outcome, signals),
    write: writeOut,
    screen,
  });
}

async function printedFlags(request: ProfileRequest, plan: RunPlan): Promise<number> {
  const { args, options, settings, calibration, live } = request;
  const { denoCommand } = await import("../profile/print_deno_flags.ts");
  const files = [
    settings.config,
    calibration === undefined ? undefined : calibrationFile(settings.calibration),
  ];
  writeOut(`${await denoCommand(plan, options, args, files, live && liveHost(live))}\n`);
  return EXIT_CODE.done;
}

async function shownPlan(request: ProfileRequest, plan: RunPlan): Promise<number> {
  const { live } = request;
  writeOut(await planText(request, plan, widthOf(Deno.stdout), live && liveHost(live)));
  return EXIT_CODE.done;
}

async function planText(
  { signals }: ProfileRequest,
  plan: RunPlan,
  width: number,
  liveHost?: string,
  manifest?: ShownCampaign["manifest"],
): Promise<string> {
  const { dryRunText } = await import("../profile/dry_run.ts");
  const { sessionTotals } = await import("../profile/session_totals.ts");
  const totals = await sessionTotals(plan, signals.signal);
  return dryRunText(plan, width, liveHost, manifest, totals);
}

async function oneRun(request: ProfileRequest, plan: RunPlan): Promise<number> {
  const { screen, signals } = request;
  const hasGates = (plan.slos ?? []).length > 0;
  const stepSummary = hasGates ? await StepSummary.open() : undefined;
  const collects = plan.start?.by === "rendezvous" && plan.start.collects &&
    plan.shard?.index === 0;
  // The files of the others are merged in the end.
  const outcome = await measuredRun(
    request,
    plan,
    collects ? keepFilePermissions : dropPermissions,
  );
  const { gates, model, tags } = outcome.report;
  stepSummary?.add(gateMarkdown(gates, `inferometer ${model}`, tags));
  // The report comes before the reason why the exit code is not 0.
  if (screen.style !== "json") writeOut(outcome.screenText);
  const exitCode = exitCodeOf(plan, outcome, signals);
  // Of a run of several shards the object is that of all.
  if (screen.style === "json" && !collects) writeOut(withExit(outcome.screenText, exitCode));
  return collects ? Math.max(exitCode, await mergeCollected(plan, screen.style)) : exitCode;
}

/** The JSON object of a run with the exit code of the process. */
function withExit(text: string, exitCode: number): string {
  return text === "" ? "" : `${JSON.stringify({ ...JSON.parse(text), "exit": exitCode })}\n`;
}

/** Merges what the shards have sent, shows it, and its summary as JSON for who sees the screen only. */
async function mergeCollected(plan: RunPlan, style: Screen["style"]): Promise<number> {
  const { mergeFolder } = await import(
    "./merge_command.ts" as string
  ) as typeof import("./merge_command.ts");
  const folder = allShardsFolder(plan);
  const count = plan.shard?.count;
  const exitCode = await mergeFolder(folder, { style, expectShards: count, allowMissing: true });
  if (style === "json" || style === "quiet") return exitCode;
  const name = artifactNames(plan.output.prefix).json;
  writeOut(await Deno.readTextFile(`${folder}/${name}`).catch(() => ""));
  return exitCode;
}

function exitCodeOf(
  plan: RunPlan,
  outcome: RunOutcome,
  signals: CaughtSignals,
): number {
  if (outcome.exportFailure !== undefined) {
    writeMessage("error", outcome.exportFailure);
    return EXIT_CODE.failed;
  }
  if (signals.exitCode !== undefined) return signals.exitCode;
  if (plan.shard === undefined) return reportExitCode(outcome.report, plan);
  // Objectives are of the whole run: merge judges by them.
  return reportExitCode({ ...outcome.report, gates: [] }, { maxErrorRate: plan.maxErrorRate });
}
