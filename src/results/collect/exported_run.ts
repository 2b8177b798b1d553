/**
 * A run from the files that it exported: its summary and a line for each request, as this program
 * and AIPerf write them.
 */

import { UNBOUNDED } from "../../core/statistics/unbounded.ts";
import { truthFigures } from "../../config/gate/truth_figure.ts";
import type { ClientFigures, JudgedRun } from "../../config/gate/judged_run.ts";
import type { ServerFigures } from "../../config/gate/server_figure.ts";
import { type RunSample, SampleBuilder } from "../../measurement/compare/run_sample.ts";
import { AnswerVerdictsBuilder } from "../../measurement/answers/answer_verdicts.ts";
import type { EndReason } from "../../core/run_end/end_reason.ts";
import { storedEndReason } from "../../core/run_end/stored_end_reason.ts";
import { answerFigures } from "../../report/model/answer_figures.ts";
import { answerWorkload } from "./answer_workload.ts";
import { lineVerdicts } from "./line_verdicts.ts";
import { answerIntervals } from "../../report/model/answer_intervals.ts";
import { efficiencyFigure, gpuText } from "../../report/model/judged_run.ts";
import type { WindowName } from "../../report/model/window_name.ts";
import { incompleteText } from "../../report/model/incomplete_tag.ts";
import { changesByHand } from "../../report/model/load_change.ts";
import {
  exportedNames,
  inOwnUnit,
  type JsonObject,
  linesOf,
  numbersOf,
  objectOf,
  productOf,
  readJson,
} from "./exported_files.ts";
import { lengthMismatchText } from "../../report/model/length_mismatch_text.ts";
import { LineTally } from "./exported_damage.ts";
import { readSummary } from "./exported_secrets.ts";
import { exportedSessions } from "./exported_sessions.ts";
import { exportedServers, exportedTimeline } from "./exported_server_metrics.ts";
import { RunFolderError } from "./run_folder.ts";
import type { StoredRun } from "./stored_run.ts";

/**
 * Opens a run by its exported files.
 * @param window part of the run that is looked at; the whole run where it has no steady state
 * @throws {RunFolderError} if there are none, or they cannot be read
 */
export async function openExportedRun(
  directory: string,
  window: WindowName = "steady",
): Promise<StoredRun> {
  const names = await exportedNames(directory);
  const { summary: summaryName, lines, serverMetrics } = names;
  const { summary } = await readSummary(directory, names);
  const metrics = await Deno.stat(`${directory}/${serverMetrics}`)
    .then(() => readJson(`${directory}/${serverMetrics}`), () => undefined);
  const steady = window === "run" ? undefined : exportedSteadyState(summary);
  const tally = new LineTally();
  const areDetected = objectOf(objectOf(summary["answers"])?.["anomalous"]) !== undefined;
  const verdicts = new AnswerVerdictsBuilder();
  const sample = await readLines(`${directory}/${lines}`, directory, steady, (record) => {
    tally.add(record);
    verdicts.add(...lineVerdicts(record, areDetected));
  });
  const inputConfig = objectOf(summary["input_config"]) ?? {};
  const judged = judgedSummary(summary, metrics, window);
  const scrapes = `${directory}/${serverMetrics.replace(/\.json$/, ".jsonl")}`;
  const verdict = objectOf(summary["validity"])?.["verdict"] ??
    objectOf(summary["measurement_error"])?.["verdict"];
  const hasScrapes = await Deno.stat(scrapes).then(() => true, () => false);
  return {
    directory,
    judged: withFailures(judged, sample),
    window: steady === undefined ? "run" : "steady",
    sample: {
      ...sample,
      ...costOf(summary),
      answers: verdicts.build(answerWorkload(inputConfig, "name"), undefined),
      sessions: await exportedSessions(`${directory}/${names.sessions}`),
      hasRates: sample.hasRates && !tally.lacksRequests(summary),
    },
    timeline: hasScrapes ? await exportedTimeline(scrapes, sample.startEpochNs) : [],
    ...labelsOf(summary),
    settings: { ...inputConfig, "changed_by_hand": byHandOf(summary) },
    product: productOf(summary),
    machine: undefined,
    partial: summaryName === undefined ? "it has no summary" : partialReason(summary),
    incomparable: incomparableReason(summary),
    damage: summaryName === undefined ? [] : tally.contradictions(summary, lines),
    endReason: summaryName === undefined ? "killed" : endReasonOf(summary),
    verdict: typeof verdict === "string" ? verdict : undefined,
  };
}

/** Code of why the run of a summary did not do all that was planned; undefined if it did. */
export function endReasonOf(summary: JsonObject): EndReason | undefined {
  return storedEndReason({
    code: summary["ended_early_reason"],
    text: summary["ended_early"],
    wasCancelled: summary["was_cancelled"],
  });
}

/** Returns why the run of a summary is not comparable with others; undefined if it is. */
function incomparableReason({ length_mismatch: mismatch }: JsonObject): string | undefined {
  const { checked, comparable, mismatched } = objectOf(mismatch) ?? {};
  return comparable === false
    ? lengthMismatchText({ checked: Number(checked), mismatched: Number(mismatched) })
    : undefined;
}

/** Returns why the results of a summary are not those of a whole run; undefined if they are. */
export function partialReason(summary: JsonObject): string | undefined {
  const { ended_early: endedEarly, was_cancelled: wasCancelled } = summary;
  if (typeof endedEarly === "string") return `it ended early: ${endedEarly}`;
  if (wasCancelled === true) return "it was interrupted";
  const incomplete = incompleteText(labelsOf(summary).tags);
  return incomplete === undefined ? undefined : `it is incomplete: ${incomplete}`;
}

/** With what AIPerf leaves out of a summary, in some versions, where nothing failed. */
function withFailures(judged: JudgedRun, { endSeconds }: RunSample): JudgedRun {
  if (endSeconds.length === 0) return judged;
  const failed = endSeconds.filter((end) => Number.isNaN(end)).length;
  const counted = (value: number, unit: string): ClientFigures => ({
    unit,
    stats: { "avg": value },
  });
  return {
    ...judged,
    client: new Map([
      ["error_request_count", counted(failed, "requests")],
      ["request_error_rate", counted(failed / endSeconds.length * 100, "%")],
      // What the summary says itself comes first.
      ...judged.client,
    ]),
  };
}

function byHandOf({ notes }: JsonObject): string | undefined {
  return changesByHand(Array.isArray(notes) ? notes : []);
}

function costOf(summary: JsonObject): { readonly costPerHour?: number } {
  const cost = objectOf(summary["inferometer"])?.["cost_per_hour"];
  return typeof cost === "number" ? { costPerHour: cost } : {};
}

/** Labels of a run, and what its servers said, as its summary has them. */
export function labelsOf(summary: JsonObject): Pick<StoredRun, "tags" | "servers"> {
  const pairs = (value: unknown): [string, string][] =>
    Object.entries(objectOf(value) ?? {}).map(([name, text]) => [name, String(text)]);
  const servers = summary["server_info"];
  return {
    tags: pairs(summary["tags"]),
    servers: (Array.isArray(servers) ? servers : []).map((server) => ({
      url: String(objectOf(server)?.["url"] ?? ""),
      facts: pairs(objectOf(server)?.["facts"]),
      asked: pairs(objectOf(server)?.["asked"]),
    })),
  };
}

/**
 * The figures of a run as its summary, and its file of server metrics, have them.
 * @param window part of the run whose statistics are taken; the whole run where it has no steady state
 */
export function judgedSummary(
  summary: JsonObject,
  metrics: JsonObject | undefined,
  window: WindowName = "steady",
): JudgedRun {
  const steady = window === "run" ? undefined : exportedSteadyState(summary);
  const client = new Map<string, ClientFigures>();
  for (const [tag, value] of Object.entries(summary)) {
    const { unit, ...stats } = objectOf(value) ?? {};
    if (typeof unit === "string") client.set(tag, { unit, stats: numbersOf(stats) });
  }
  for (const [tag, own] of Object.entries(objectOf(steady?.facts["metrics"]) ?? {})) {
    const whole = client.get(tag);
    if (whole === undefined) continue;
    client.set(tag, { ...whole, stats: { ...whole.stats, ...numbersOf(objectOf(own) ?? {}) } });
  }
  const answers = objectOf(summary["answers"]);
  for (const [tag, figures] of answerFigures(answers)) client.set(tag, figures);
  const judged = steady?.facts ?? summary;
  const error = objectOf(objectOf(judged["measurement_error"])?.["metrics"]) ?? {};
  const sampling = objectOf(judged["sampling_error"]);
  const intervals = answerIntervals(answers);
  const hasIntervals = sampling !== undefined || Object.keys(intervals).length > 0;
  return {
    client,
    server: metrics && exportedServers(metrics),
    gpu: gpuFigures(summary, client),
    truth: truthFigures(summary["server_truth"]),
    bounds: new Map(Object.entries(error)) as JudgedRun["bounds"],
    ...(hasIntervals ? { sampling: samplingOf({ ...sampling, ...intervals }) } : {}),
  };
}

/** Intervals as a summary has them, whose upper end is null if there is none. */
function samplingOf(sampling: JsonObject): NonNullable<JudgedRun["sampling"]> {
  const read = Object.entries(sampling).map(([tag, statistics]) =>
    [
      tag,
      Object.fromEntries(
        Object.entries(objectOf(statistics) ?? {}).map(([name, interval]) => {
          const known = objectOf(interval) ?? {};
          return [name, { ...known, upper: known["upper"] ?? UNBOUNDED }];
        }),
      ),
    ] as const
  );
  return new Map(read) as NonNullable<JudgedRun["sampling"]>;
}

/** The figures of GPUs as a summary has them; undefined if it has none. */
function gpuFigures(
  summary: JsonObject,
  client: ReadonlyMap<string, ClientFigures>,
): ServerFigures[] | undefined {
  const telemetry = objectOf(summary["telemetry_data"]);
  if (telemetry === undefined) return undefined;
  const figures: ServerFigures[] = [];
  for (const [place, endpoint] of Object.entries(objectOf(telemetry["endpoints"]) ?? {})) {
    for (const value of Object.values(objectOf(objectOf(endpoint)?.["gpus"]) ?? {})) {
      const gpu = objectOf(value) ?? {};
      for (const [name, metric] of Object.entries(objectOf(gpu["metrics"]) ?? {})) {
        const { unit, ...stats } = objectOf(metric) ?? {};
        figures.push({
          ...{ name, unit: typeof unit === "string" ? unit : null, stats: numbersOf(stats) },
          series: gpuText(Number(gpu["gpu_index"]), place),
        });
      }
    }
  }
  for (const [tag, { unit, stats }] of client) {
    if (/^(nvidia|amd)_/.test(tag)) figures.push(efficiencyFigure(tag, unit, stats["avg"] ?? NaN));
  }
  return figures;
}

/**
 * Reads the lines of requests one by one.
 * @param name what the sample is called
 * @param onRequest is given all lines, those outside of the steady state as well
 */
async function readLines(
  path: string,
  name: string,
  steady: ExportedSteadyState | undefined,
  onRequest: (record: JsonObject) => void,
): Promise<RunSample> {
  const builder = new SampleBuilder();
  let firstNs: number | undefined;
  let number = 0;
  try {
    for await (const line of linesOf(path)) {
      number++;
      if (line.trim() === "") continue;
      const record = JSON.parse(line);
      const startNs = Number(record?.metadata?.request_start_ns);
      if (Number.isNaN(startNs) || !isSampled(record)) continue;
      onRequest(record);
      if (steady !== undefined && !(startNs >= steady.startNs && startNs < steady.endNs)) continue;
      firstNs ??= startNs;
      addRecord(builder, record, startNs - firstNs);
    }
  } catch (error) {
    throw new RunFolderError(`${path}, line ${number}: ${(error as Error).message}`);
  }
  const rateOf = (tag: string): number =>
    Number(objectOf(objectOf(steady?.facts["metrics"])?.[tag])?.["avg"]);
  return {
    ...builder.build(name, BigInt(Math.round(firstNs ?? 0)), steady?.seconds),
    rates: steady && {
      requests: rateOf("request_throughput"),
      tokens: rateOf("output_token_throughput"),
    },
  };
}

/** The steady state as a summary has it. */
interface ExportedSteadyState {
  /** Nanoseconds since 1970, as far as numbers hold them. */
  readonly startNs: number;
  readonly endNs: number;
  readonly seconds: number;
  /** The whole key. */
  readonly facts: JsonObject;
}

/** The steady state of a summary; undefined if it has none, or shows the whole run. */
function exportedSteadyState(summary: JsonObject): ExportedSteadyState | undefined {
  const facts = objectOf(summary["steady_state"]);
  const [startNs, endNs, seconds] = [facts?.["start_ns"], facts?.["end_ns"], facts?.["seconds"]]
    .map(Number);
  if (facts === undefined || startNs === undefined || endNs === undefined) return undefined;
  if (!(endNs > startNs) || seconds === undefined || !(seconds > 0)) return undefined;
  return { startNs, endNs, seconds, facts };
}

/** Requests of the profiling phase that were not cancelled; what a time limit cut off counts. */
function isSampled({ metadata, error }: JsonObject): boolean {
  const { benchmark_phase: phase, was_cancelled: cancelled } = objectOf(metadata) ?? {};
  if (phase !== undefined && phase !== "profiling") return false;
  return cancelled !== true || objectOf(error)?.["kind"] === "cut_off";
}

function addRecord(
  builder: SampleBuilder,
  { error, metadata, metrics }: JsonObject,
  startNs: number,
): void {
  const values = objectOf(metrics) ?? {};
  const value = (tag: string): number => inOwnUnit(objectOf(values[tag]), tag);
  const latencyMs = value("request_latency");
  const failed = (error !== undefined && error !== null) || Number.isNaN(latencyMs);
  const { request_start_ns: epochNs, request_end_ns: lastEpochNs } = objectOf(metadata) ?? {};
  const lastNs = startNs + Number(lastEpochNs) - Number(epochNs);
  builder.add({
    ...{ startNs, endNs: failed ? NaN : startNs + latencyMs * 1e6, value },
    ...(Number.isFinite(lastNs) ? { lastNs } : {}),
  });
}
