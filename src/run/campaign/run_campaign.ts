/**
 * The runs of a command, one after another: it awaits idle servers between them,
 * keeps what is finished, and in the end, also an early one, writes what is made of all runs.
 */

import { ExportError } from "../../report/export/export_error.ts";
import { FolderSink } from "../../report/export/file_sink.ts";
import { claimFolder, releaseFolder } from "../../report/export/folder_claim.ts";
import { isFailure, isServerGone } from "../../core/run_end/end_reason.ts";
import { pauseUnless } from "../../core/thread/timers.ts";
import { machineNotices } from "../../config/plan/load/planned_workers.ts";
import { planLike } from "../../config/plan/resolve/plan_like.ts";
import type { RunPlan } from "../../config/plan/run_plan.ts";
import { redactor } from "../../core/secrets/redactor.ts";
import { prefixCacheNote, resetPrefixCache } from "../runner/reset_prefix_cache.ts";
import { ResultsClient } from "../runner/results_client.ts";
import { type RunOutcome, runProfile } from "../runner/run_profile.ts";
import { freePort } from "../runner/free_port.ts";
import { KeptThreads } from "../runner/kept_threads.ts";
import { serversIdle, watchedEndpoints } from "../runner/server_idle.ts";
import { openExportedRun } from "../../results/collect/exported_run.ts";
import { gatesPass } from "../../config/gate/judge_slos.ts";
import { validityProblem } from "../../config/gate/required_validity.ts";
import { reportValidityProblem } from "../../report/model/report_validity_problem.ts";
import { foundNoServer, readRunFigures } from "../../report/sweep/run_figures.ts";
import { readGates, readSearchResults, runGates } from "../../report/sweep/search_results.ts";
import { runFolder, SWEEP_FILES } from "../../report/sweep/sweep_layout.ts";
import { type SweepManifest, sweepManifestText } from "../../report/sweep/sweep_manifest.ts";
import type { SweepPoint } from "../../report/sweep/sweep_points.ts";
import { campaignOutput } from "./campaign_output.ts";
import type { EndedRun } from "../../report/console/campaign_cells.ts";
import { type CampaignTable, campaignTable } from "../../report/console/campaign_table.ts";
import type { Campaign, CampaignHooks, CampaignOutcome, RunVerdict } from "./campaign.ts";
import { isKept } from "./kept_run.ts";
import { isConverged, nextSearchPoint, plannedRuns } from "./planned_runs.ts";
import { type PlannedRun, runOptions } from "./run_options.ts";
import { runDataset } from "./run_salt.ts";
import { writeSweep, type WrittenSweep } from "./write_sweep.ts";

/** Size of runs that no plan limits. */
const NO_SIZE = { requestCount: Infinity, durationNs: Infinity };
/** Longest that the servers' last figures are asked for before the usual wait goes on. */
const SETTLE_MS = 2000;

/**
 * Makes the runs.
 * @throws {ExportError} if the folder cannot be written to, or is another command's
 * @throws as {@linkcode runProfile} does
 */
export async function runCampaign(
  campaign: Campaign,
  hooks: CampaignHooks,
): Promise<CampaignOutcome> {
  const { directory } = campaign;
  await Deno.mkdir(directory, { recursive: true });
  if (!await claimFolder(directory)) {
    throw new ExportError(directory, new Error("Another command is writing there"));
  }
  try {
    return await new Runs(campaign, hooks).all();
  } finally {
    await releaseFolder(directory);
  }
}

class Runs {
  readonly #campaign: Campaign;
  readonly #hooks: CampaignHooks;
  readonly #sink: FolderSink;
  readonly #verdicts: RunVerdict[] = [];
  readonly #notes: string[];
  #manifest: SweepManifest;
  #last: PlannedRun | undefined;
  /** Serves all runs: what it has compiled and read, it need not again. */
  #results: ResultsClient | undefined;
  /** Go from one run to the next. */
  readonly #threads = new KeptThreads();
  /** The same for all runs, as their threads may use no other one. */
  readonly #canaryPort: number | undefined;
  readonly #table: CampaignTable;
  #hasFailed = false;

  constructor(campaign: Campaign, hooks: CampaignHooks) {
    this.#campaign = campaign;
    this.#hooks = hooks;
    this.#manifest = campaign.manifest;
    this.#notes = [...campaign.manifest.notes];
    this.#sink = new FolderSink(campaign.directory);
    const { canaries, canaryPort, phases, slos = [] } = campaign.plan;
    this.#table = campaignTable(campaign.manifest, {
      slos,
      size: phases.find(({ kind }) => kind === "profiling") ?? NO_SIZE,
      width: campaign.screen.width,
    });
    this.#canaryPort = canaryPort ?? (canaries ? freePort() : undefined);
  }

  /** Makes the runs that are missing. */
  async all(): Promise<CampaignOutcome> {
    const { directory, screen, showTable } = this.#campaign;
    const { interrupt } = this.#hooks;
    await this.#save(false);
    for (const line of this.#table.head) this.#hooks.onLine(line);
    try {
      if (this.#manifest.search === undefined) await this.#planned();
      else await this.#search();
    } catch (error) {
      // What was measured before is worth as much as it was.
      if (!interrupt.aborted && this.#verdicts.length === 0) throw error;
      if (!interrupt.aborted) {
        this.#hasFailed = true;
        this.#note((error as Error).message);
      } else if (error !== interrupt.reason) throw error;
    }
    this.#results?.close();
    this.#threads.close();
    await this.#hooks.onLastRunEnd();
    await this.#save(!interrupt.aborted && !this.#hasFailed);
    const written = await this.#written();
    return {
      text: campaignOutput(written, screen, { directory, showTable }),
      markdown: written.markdown,
      runs: this.#verdicts,
      isFound: written.search && written.search.answer.answer !== undefined,
      hasFailed: this.#hasFailed,
    };
  }

  #written(): Promise<WrittenSweep> {
    this.#hooks.onStage("writing the results of all runs");
    return writeSweep(this.#campaign.directory, this.#manifest, this.#sink);
  }

  async #planned(): Promise<void> {
    const runs = plannedRuns(this.#manifest);
    const { directory } = this.#campaign;
    for (const [index, run] of runs.entries()) {
      if (this.#hooks.interrupt.aborted) return;
      if (run.trial > 0 && await isConverged(directory, this.#manifest, run)) continue;
      await this.#run(run, `${index + 1}/${runs.length}`);
    }
  }

  async #search(): Promise<void> {
    for (let made = 0; !this.#hooks.interrupt.aborted; made++) {
      // A run that was interrupted is made again before anything follows from the others.
      const point = this.#manifest.points[made] ?? await this.#nextPoint();
      if (point === undefined) return;
      await this.#run({ point, trial: 0 }, String(point.index + 1));
      if (await this.#hadNoServer(point)) return;
    }
  }

  /** Adds the point that follows from those of a search; undefined if it is over. */
  async #nextPoint(): Promise<SweepPoint | undefined> {
    const { points, search } = this.#manifest;
    const { maxRuns } = search as NonNullable<SweepManifest["search"]>;
    if (points.length >= maxRuns) return undefined;
    const point = await nextSearchPoint(this.#campaign.directory, this.#manifest);
    if (point === undefined) return undefined;
    this.#manifest = { ...this.#manifest, points: [...points, point] };
    await this.#save(false);
    return point;
  }

  /** Whether a point's run found no server, so that a search can find nothing more; notes why. */
  async #hadNoServer(point: SweepPoint): Promise<boolean> {
    const { shape, prefix } = this.#manifest;
    const folder = `${this.#campaign.directory}/${runFolder(shape, point, 0)}`;
    const figures = await readRunFigures(folder, prefix);
    if (figures === undefined || !foundNoServer(figures)) return false;
    this.#hasFailed = true;
    const why = isServerGone(figures.endReason) ? figures.endedEarly : "no request could connect";
    this.#note(`The search ends at ${point.label}: ${why}`);
    return true;
  }

  /** Makes a run, unless it was made before. */
  async #run(run: PlannedRun, number: string): Promise<void> {
    const { directory, options, plan: first, machine, reset } = this.#campaign;
    const { interrupt, onProgress, onStage, onLine } = this.#hooks;
    const folder = `${directory}/${runFolder(this.#manifest.shape, run.point, run.trial)}`;
    const like = planLike(first, await runOptions(options, this.#manifest, run, folder), machine);
    const plan = {
      ...like,
      dataset: runDataset(like.dataset, this.#manifest, run),
      canaryPort: this.#canaryPort,
    };
    if (await isKept(folder, plan, this.#manifest.seed !== undefined)) {
      const verdict = await keptVerdict(labelOf(run), folder, this.#campaign.plan);
      if (verdict !== undefined) this.#verdicts.push(verdict);
      onLine(await this.#line(run, number, folder, "kept"));
      return;
    }
    await this.#rest(run, plan);
    if (interrupt.aborted) return;
    if (this.#isFound(run)) {
      for (const notice of machineNotices(plan, machine)) this.#hooks.onWarning(notice);
    }
    if (reset !== undefined) {
      const missing = await resetPrefixCache(plan, reset, interrupt);
      if (missing.length > 0) this.#note(prefixCacheNote(missing));
    }
    onStage(`${number}  ${labelOf(run)}`);
    if (this.#results?.isAlive !== true) {
      this.#results = new ResultsClient(directory, undefined, {
        onWarning: () => {},
        onWriting: () => {},
      });
    }
    const outcome = await runProfile(plan, {
      interrupt,
      results: this.#results,
      threads: this.#threads,
      onProgress,
      onStage: (text) => onStage(`${number}  ${labelOf(run)}  ${text}`),
      onWarning: (text, endReason) => {
        // A search looks for where objectives are missed; its lines tell which runs ended early.
        const isExpected = this.#manifest.search !== undefined && endReason !== undefined;
        if (!isExpected) this.#hooks.onWarning(text);
      },
      onThreadsStarted: () => this.#hooks.onThreadsStarted(),
      metricsSettled: (plan) => this.#settled(plan),
    });
    this.#last = run;
    this.#verdicts.push(verdictOf(labelOf(run), outcome, plan));
    onLine(await this.#line(run, number, folder, undefined));
  }

  /** Whether nobody knew of a run's point before, to warn of it. */
  #isFound({ point }: PlannedRun): boolean {
    return this.#manifest.search !== undefined && point.index > 0;
  }

  async #line(
    run: PlannedRun,
    number: string,
    folder: string,
    remark: string | undefined,
  ): Promise<string> {
    const figures = await readRunFigures(folder, this.#manifest.prefix);
    const gates = await runGates(folder, figures, this.#manifest.search);
    const bracket = await this.#bracket();
    const { point, trial } = run;
    return this.#table.line({ number, point, trial, figures, gates, remark, ...bracket });
  }

  /** Bracket of a search so far; empty for other commands. */
  async #bracket(): Promise<Pick<EndedRun, "bracket">> {
    const { search } = this.#manifest;
    if (search === undefined) return {};
    const { answer: { answer: low, limit: high } } = await readSearchResults(
      this.#campaign.directory,
      { ...this.#manifest, search },
    );
    return { bracket: { low, high } };
  }

  /** Before a run that is not the first: pauses that were asked for, and idle servers. */
  async #rest({ point, trial }: PlannedRun, plan: RunPlan): Promise<void> {
    const last = this.#last;
    if (last === undefined) return;
    const { interrupt, onStage } = this.#hooks;
    const isSamePoint = last.point.index === point.index && last.trial !== trial;
    const seconds = isSamePoint ? this.#manifest.cooldownSeconds : Math.max(
      this.#manifest.pointCooldownSeconds,
      // Trials of a sweep are between points, too.
      last.trial === trial ? 0 : this.#manifest.cooldownSeconds,
    );
    if (seconds > 0) {
      onStage(`pause of ${seconds} s`);
      await pauseUnless(interrupt, seconds * 1e3);
    }
    const { idleTimeoutMs } = this.#campaign;
    if (idleTimeoutMs === 0 || interrupt.aborted) return;
    onStage("waiting for the server to be idle");
    const idleness = await serversIdle(watchedEndpoints(plan), plan, idleTimeoutMs, interrupt);
    if (idleness === "busy") {
      this.#note(
        `The server still had requests of others, or of earlier runs, ${idleTimeoutMs / 1e3} s ` +
          `before ${point.label || `run ${trial + 1}`}`,
      );
    }
  }

  /** Servers that say they are idle have counted everything; one that tells nothing never settles. */
  async #settled(plan: RunPlan): Promise<void> {
    const { interrupt } = this.#hooks;
    const idleness = await serversIdle(watchedEndpoints(plan), plan, SETTLE_MS, interrupt);
    if (idleness !== "idle") await new Promise(() => {});
  }

  #note(text: string): void {
    const shown = redactor(this.#campaign.plan.secrets)(text);
    this.#notes.push(shown);
    this.#hooks.onWarning(shown);
  }

  async #save(isComplete: boolean): Promise<void> {
    this.#manifest = { ...this.#manifest, notes: [...new Set(this.#notes)], isComplete };
    await this.#sink.write(SWEEP_FILES.manifest, [sweepManifestText(this.#manifest)]);
  }
}

function labelOf({ point, trial }: PlannedRun): string {
  return [point.label, ...(point.label === "" || trial > 0 ? [`run ${trial + 1}`] : [])]
    .filter((text) => text !== "").join(", ");
}

function verdictOf(
  label: string,
  { report, exportFailure }: Pick<RunOutcome, "report" | "exportFailure">,
  plan: RunPlan,
): RunVerdict {
  const { endReason, endedEarly, requests, gates } = report;
  return {
    label,
    sent: requests.sent,
    succeeded: requests.succeeded,
    failed: requests.failed,
    stopped: isFailure(endReason) ? endedEarly : undefined,
    gatesMet: gatesPass(gates, plan.failsInconclusive),
    validityProblem: reportValidityProblem(report, plan),
    exportFailure,
  };
}

/** What a run that was made before means for the command. */
async function keptVerdict(
  label: string,
  folder: string,
  { failsInconclusive, output: { prefix }, requireValid, slos = [] }: RunPlan,
): Promise<RunVerdict | undefined> {
  const figures = await readRunFigures(folder, prefix);
  if (figures === undefined) return undefined;
  const { requests: { sent, succeeded, failed }, endReason, endedEarly } = figures;
  const gates = await readGates(folder) ?? [];
  return {
    ...{ label, sent, succeeded, failed },
    stopped: isFailure(endReason) ? endedEarly : undefined,
    gatesMet: gatesPass(gates, failsInconclusive),
    validityProblem: requireValid === undefined
      ? undefined
      : validityProblem(requireValid, slos, (await openExportedRun(folder)).judged),
    exportFailure: undefined,
  };
}
