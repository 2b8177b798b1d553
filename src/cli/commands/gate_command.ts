import type { Command } from "npm:commander@15.1.0";
import { compareSides } from "../../measurement/compare/compare_sides.ts";
import { GATE_FILES, GATE_FOLDER } from "../../report/export/artifact_names.ts";
import { gateTexts } from "../../report/export/verdicts/gate_texts.ts";
import { judgeRegression } from "../../config/gate/judge_regression.ts";
import { checkWithoutServers, unknownServerMetric } from "../../config/gate/check_server_slos.ts";
import { customFigures } from "../../config/gate/gpu_figure.ts";
import { damagedGates } from "../../config/gate/damaged_gates.ts";
import { type GateResult, gatesPass, judgeSlos } from "../../config/gate/judge_slos.ts";
import type { JudgedRun } from "../../config/gate/judged_run.ts";
import { parseRequiredValidity, validityProblem } from "../../config/gate/required_validity.ts";
import { namesMeant } from "../../config/gate/server_figure.ts";
import { parseSlos, type Slo } from "../../config/gate/slo.ts";
import { GATE_OPTIONS } from "../../config/options/commands/compare_options.ts";
import { optionValues } from "../../config/options/config/option_values.ts";
import { resolveOptions } from "../../config/options/resolve_options.ts";
import type { Settings } from "../../config/options/settings.ts";
import { UsageError } from "../../config/options/usage_error.ts";
import { KNOWN_METRICS } from "../../telemetry/engines/engines.ts";
import { roleNamed } from "../../telemetry/engines/roles.ts";
import type { WindowName } from "../../report/model/window_name.ts";
import { RunFolderError } from "../../results/collect/run_folder.ts";
import {
  damageTexts,
  sameWindow,
  sideNotes,
  type StoredSide,
} from "../../results/collect/open_side.ts";
import type { StoredRun } from "../../results/collect/stored_run.ts";
import { printableText } from "../../report/console/printable_text.ts";
import { gateLines } from "../../report/console/gate_lines.ts";
import { firstReason } from "../../core/run_end/end_reason.ts";
import { withoutEndSlash } from "../../core/files/without_end_slash.ts";
import { EXIT_CODE } from "../terminal/exit_code.ts";
import { foldersOf, openedSide } from "../operands/run_operand.ts";
import { StepSummary } from "../terminal/step_summary.ts";
import { widthOf, writeMessage, writeOut } from "../terminal/terminal.ts";
import { writeFiles } from "../operands/write_files.ts";

/**
 * Runs `inferometer gate`: judges a run by what this command line names, and by nothing else.
 * @param operand its folder
 * @returns the exit code
 */
export async function gateCommand(command: Command, operand: string): Promise<number> {
  const settings = resolveOptions(GATE_OPTIONS, await optionValues(command, GATE_OPTIONS));
  const slo = (settings.slo ?? []).filter((text) => text.trim() !== "");
  const maxRegression = settings.maxRegression === undefined
    ? undefined
    : percentage(settings.maxRegression);
  if (slo.length === 0 && settings.baseline === undefined) {
    throw new UsageError("--slo", "Nothing to evaluate: --slo or --baseline is required");
  }
  const window = settings.window as WindowName;
  const directory = settings.outputDir ??
    `${(await foldersOf(operand))[0] as string}/${GATE_FOLDER}`;
  try {
    const side = await openedSide("run", await foldersOf(operand), undefined, window);
    const baseline = settings.baseline === undefined ? undefined : await openedSide(
      "baseline",
      await foldersOf(settings.baseline),
      "--baseline",
      window,
    );
    const compared = baseline && await comparable(baseline, side);
    return await judge({ operand, side, compared, slo, maxRegression, directory }, settings);
  } catch (error) {
    if (!(error instanceof RunFolderError && error.isDamage)) throw error;
    const damage = [error.message];
    const files = gateTexts([], `inferometer ${operand}`, {
      tags: [],
      endReason: undefined,
      damage,
    });
    await writeVerdict(directory, files);
    writeMessage("error", error.message);
    return EXIT_CODE.failed;
  }
}

/** Writes the files of a verdict, and its Markdown into the summary of a job of GitHub Actions. */
async function writeVerdict(
  directory: string,
  files: ReturnType<typeof gateTexts>,
): Promise<void> {
  await writeFiles(directory, files);
  const markdown = files.find(([name]) => name === GATE_FILES.gateMarkdown)?.[1]();
  if (markdown !== undefined) (await StepSummary.open())?.add(markdown);
}

/** Runs of a baseline and runs under evaluation. */
interface ComparedSides {
  readonly before: StoredSide;
  readonly after: StoredSide;
}

/** Baseline and run by the same window of both. */
async function comparable(baseline: StoredSide, side: StoredSide): Promise<ComparedSides> {
  const [before, after] = await sameWindow([baseline, side]) as [StoredSide, StoredSide];
  if (after !== side) {
    writeMessage(
      "note",
      "Not every run has a steady state: whole runs are compared with the baseline",
    );
  }
  return { before, after };
}

/** Run under evaluation, and its objectives. */
interface Judgement {
  readonly operand: string;
  readonly side: StoredSide;
  /** Baseline and run by the same part of each; undefined without a baseline. */
  readonly compared: ComparedSides | undefined;
  readonly slo: readonly string[];
  readonly maxRegression: number | undefined;
  /** Folder of the files of the verdict. */
  readonly directory: string;
}

async function judge(
  { operand, side, compared, slo, maxRegression, directory }: Judgement,
  settings: Settings<typeof GATE_OPTIONS>,
): Promise<number> {
  const requireValid = parseRequiredValidity(settings.requireValid);
  const judged: GateResult[] = [];
  // A run's own fields of GPUs are known from itself alone.
  const slos = parseSlos(slo, customFigures(side.runs.flatMap(({ judged }) => judged.gpu ?? [])));
  if (slos.length > 0) judged.push(...objectiveGates(slos, side, operand));
  if (compared !== undefined && maxRegression !== undefined) {
    judged.push(...regressionGates(compared, maxRegression));
  } else for (const note of evidenceOf(side.runs)) writeMessage("warning", note);
  const damage = evidenceOf([...side.runs, ...compared?.before.runs ?? []]);
  const isDamageAllowed = settings.allowDamaged === true;
  const isRefused = damage.length > 0 && !isDamageAllowed;
  const gates = isRefused ? damagedGates(judged) : judged;
  writeOut(`${gateLines(gates, widthOf(Deno.stdout)).join("\n")}\n`);
  const title = `inferometer ${side.runs.map(({ directory }) => directory).join(", ")}`;
  const files = gateTexts(gates, title, {
    tags: side.tags,
    endReason: firstReason(...side.runs.map(({ endReason }) => endReason)),
    ...{ damage, isDamageAllowed },
  });
  await writeVerdict(directory, files);
  const place = printableText(withoutEndSlash(directory), Infinity);
  writeOut(`${place}/: ${files.map(([name]) => name).join(", ")}\n`);
  if (isRefused) {
    writeMessage(
      "error",
      `No gate is met by a damaged or partial run: ${
        damage[0]
      }; --allow-damaged evaluates what is left`,
    );
    return EXIT_CODE.failed;
  }
  for (const { directory, judged } of requireValid === undefined ? [] : side.runs) {
    const problem = validityProblem(requireValid ?? true, slos, judged);
    if (problem === undefined) continue;
    writeMessage("error", `--require-valid: in ${directory} ${problem}`);
    return EXIT_CODE.gate;
  }
  return gatesPass(gates, settings.inconclusive === "fail") ? EXIT_CODE.done : EXIT_CODE.gate;
}

/** Why the evidence of runs is damaged or partial, a phrase each; empty for whole runs. */
function evidenceOf(runs: readonly StoredRun[]): string[] {
  return runs.flatMap((run) => [
    ...(run.partial === undefined ? [] : [`${run.directory} is partial: ${run.partial}`]),
    ...damageTexts(run),
  ]);
}

function objectiveGates(slos: readonly Slo[], side: StoredSide, operand: string): GateResult[] {
  if (side.runs.length > 1) {
    throw new UsageError(
      "--slo",
      `gate takes one run with --slo: ${operand} has ${side.runs.length}`,
    );
  }
  const [{ judged }] = side.runs as [StoredRun];
  checkServerNames(slos, judged);
  return judgeSlos(slos, judged);
}

/** @throws {UsageError} for a metric that neither the run's servers nor any known ones have */
function checkServerNames(slos: readonly Slo[], { server }: JudgedRun): void {
  const names = [...new Set((server?.series ?? []).map(({ name }) => name))];
  for (const { source, metric } of slos) {
    if (source !== "server" || namesMeant(metric, names).length > 0) continue;
    if (names.length === 0) {
      checkWithoutServers(metric, KNOWN_METRICS);
      continue;
    }
    if (roleNamed(metric) !== undefined) continue;
    if (namesMeant(metric, KNOWN_METRICS).length > 0) continue;
    throw new UsageError("--slo", unknownServerMetric(metric, names));
  }
}

function regressionGates(
  { before, after }: ComparedSides,
  maxRegression: number,
): GateResult[] {
  for (const note of sideNotes(before, after)) writeMessage("warning", note);
  const [incomparable] = [...before.runs, ...after.runs].flatMap((run) => run.incomparable ?? []);
  const judgedOf = ({ runs }: StoredSide) => runs.map(({ judged }) => judged);
  const gates = judgeRegression(
    compareSides(before.samples, after.samples),
    maxRegression,
    { before: judgedOf(before), after: judgedOf(after), incomparable },
  );
  if (gates.length === 0) {
    throw new UsageError("--baseline", "There is nothing to compare with: no request succeeded");
  }
  return gates;
}

/** Reads `5%`; without the sign nobody knows whether 5 or 0.05 is meant. */
function percentage(text: string): number {
  const percent = /^(\d+(?:\.\d+)?)\s*%$/.exec(text.trim())?.[1];
  if (percent === undefined) {
    throw new UsageError("--max-regression", `Expected a percentage such as 5%: got "${text}"`);
  }
  return Number(percent) / 100;
}
