/** Remarks that readers of a run's results need. */

import type { PhasePlan, RunPlan } from "../../config/plan/run_plan.ts";
import { replaysSessions } from "../../config/plan/replays_sessions.ts";
import { shardName } from "../../config/shard/shard.ts";
import {
  distributionOf,
  type MetricResults,
  valueOf,
} from "../../measurement/metrics/metric_results.ts";
import type { SessionResults } from "../../measurement/metrics/session_results.ts";
import { MAX_CUT_OFF_PCT } from "../../measurement/metrics/session_metrics.ts";
import { MAX_EXACT_SPANS } from "../../measurement/metrics/span_pool.ts";
import { loadChangeNotes } from "../../report/model/load_change.ts";
import type { LoadReport } from "../../report/model/load_report.ts";
import type { ClientHealth, RequestCounts } from "../../report/model/profile_report.ts";
import { promptLengthNote } from "../../report/model/prompt_length_note.ts";
import { type ServerInfo, serverName } from "../../report/server_info/server_info.ts";
import type { RunSummary } from "./run_manifest.ts";
import type { RunRecords } from "./run_records.ts";
import { concurrencyNotes } from "./concurrency_notes.ts";
import { clientStalled } from "./client_stalled.ts";
import { taskLengthNote } from "../../report/model/task_length_note.ts";
import { unsentTurnNotes } from "./unsent_turn_notes.ts";
import { uncheckedAnswersNote } from "./unchecked_answers_note.ts";

/** Largest median ITL of a mock server that has no times. */
const MAX_MOCK_ITL_MS = 0.05;

/** Facts of a run on which its remarks depend. */
export interface NotedRun {
  readonly plan: RunPlan;
  readonly summary: RunSummary;
  readonly records: RunRecords;
  readonly results: MetricResults;
  readonly requests: RequestCounts;
  readonly load: LoadReport;
  /** undefined where sessions have one request each. */
  readonly sessions: SessionResults | undefined;
  readonly stalls: ClientHealth["stalls"];
  /** About the share of prompts that came from caches; undefined if it is the planned one. */
  readonly cacheNote: string | undefined;
  /** About prompts that make the acceptance of drafts meaningless; undefined for none. */
  readonly acceptanceNote: string | undefined;
  /** Notes about GPUs. */
  readonly gpuNotes: readonly string[];
  readonly servers: readonly ServerInfo[];
  /** Whether there are metrics of servers or GPUs. */
  readonly hasMetrics: boolean;
  /** Whether every gap between chunks is known. */
  readonly areGapsExact: boolean;
}

/** A sentence each, in the order in which they are read. */
export function reportNotes(run: NotedRun): string[] {
  const { plan, summary, requests } = run;
  return [
    ...(summary.endedEarly === undefined ? [] : [`The run ended early: ${summary.endedEarly}`]),
    ...loadChangeNotes(summary.changes ?? [], summary.startNs),
    ...stallNotes(run.stalls),
    ...summary.notes,
    ...unsentNotes(summary, plan),
    ...concurrencyNotes(run),
    ...lostRecordNotes(summary, requests),
    ...mockNotes(run),
    ...unsentTurnNotes(
      run.sessions,
      requests,
      replaysSessions(plan.dataset) ? plan.dataset.agents.onFailedCall : undefined,
    ),
    ...durationNotes(run.sessions, run.summary),
    ...markerNotes(plan),
    ...(run.cacheNote === undefined ? [] : [run.cacheNote]),
    ...(run.acceptanceNote === undefined ? [] : [run.acceptanceNote]),
    ...run.gpuNotes,
    ...shardNotes(plan, run.hasMetrics),
    ...networkNotes(plan, summary),
    ...countingNotes(run),
    ...[uncheckedAnswersNote(run)].filter((note) => note !== undefined),
    ...[promptLengthNote(plan, run.results), taskLengthNote(plan, run.results)]
      .filter((note) => note !== undefined),
  ];
}

/** A mock server without times leaves only those of the client. */
function mockNotes({ results, servers }: NotedRun): string[] {
  const itl = distributionOf(results, "inter_token_latency");
  if (itl === undefined || itl.p50 > MAX_MOCK_ITL_MS || !servers.some(isMock)) return [];
  return [
    "The mock server sends all tokens of a reply at once, so times are those of the client: start " +
    "it with --ttft and --itl",
  ];
}

function isMock(server: ServerInfo): boolean {
  return serverName(server)?.startsWith("inferometer mock") === true;
}

function stallNotes(stalls: ClientHealth["stalls"]): string[] {
  const [first, ...others] = stalls.toSorted((a, b) => b.seconds - a.seconds);
  if (first === undefined) return [];
  const longest = `for ${first.seconds.toFixed(1)} s at ${first.startSeconds.toFixed(1)} s`;
  const stopped = "The process was suspended (machine or debugger)";
  if (others.length === 0) return [`${stopped} ${longest}; results from that period are affected`];
  const seconds = stalls.reduce((sum, stall) => sum + stall.seconds, 0);
  return [
    `${stopped} ${stalls.length} times, ${seconds.toFixed(1)} s in total, the longest ` +
    `${longest}; results from those periods are affected`,
  ];
}

/** Arrivals that never became requests are in no figure, and they are those that waited longest. */
function unsentNotes(summary: RunSummary, { phases }: Pick<RunPlan, "phases">): string[] {
  const { unsentArrivals, sent, endedEarly, changes } = summary;
  if (unsentArrivals === 0 || endedEarly !== undefined) return [];
  const arrivals = unsentArrivals + sent;
  const waited = "their queueing time is not included in any statistic";
  // Whether the server or the hand was too slow is then not known.
  const byHand = changes?.some(({ phase, action }) =>
    phase === "profiling" && (action === "pause" || action === "concurrency")
  );
  if (clientStalled(summary)) {
    return [
      `${unsentArrivals} of ${arrivals} arrivals were not sent before the end because the client ` +
      `stalled; ${waited}`,
    ];
  }
  if (byHand !== true && !hasSlots(phases.findLast(({ kind }) => kind === "profiling"))) {
    return [
      `${unsentArrivals} of ${arrivals} arrivals were not sent before the end: the client fell ` +
      `behind the schedule (no concurrency limit was set); ${waited}`,
    ];
  }
  return [
    byHand === true
      ? `${unsentArrivals} of ${arrivals} arrivals were not sent before the end because the load was ` +
        `changed manually; ${waited}`
      : `${unsentArrivals} of ${arrivals} arrivals found no free slot: at this concurrency the ` +
        `server is saturated at the requested rate; ${waited}`,
  ];
}

/** Whether arrivals wait for a slot. */
function hasSlots(phase: PhasePlan | undefined): boolean {
  return phase?.prefill !== undefined || phase?.load.concurrency !== Infinity;
}

/** Records that were written and are not there: the figures are then of the other requests. */
function lostRecordNotes(
  { isComplete, sent }: RunSummary,
  { succeeded, failed, cancelled, cancelledOnPurpose }: RequestCounts,
): string[] {
  const lost = sent - succeeded - failed - cancelled - cancelledOnPurpose;
  if (!isComplete || lost <= 0) return [];
  return [
    `${lost} of ${sent} requests have no record and are excluded from all statistics: run/records.bin is damaged`,
  ];
}

/** Sessions whose durations are not reported, where that changes how the others are read. */
function durationNotes(
  sessions: SessionResults | undefined,
  { firstIdleNs }: Pick<RunSummary, "firstIdleNs">,
): string[] {
  if (sessions === undefined) return [];
  const { cutOff, enteredInMiddle, started, whole } = sessions;
  const percent = cutOff / started * 100;
  const remedy = firstIdleNs === undefined
    ? "use a longer --benchmark-duration or --num-sessions"
    : "the scenario ends with the first user that has no session left; use a file of more sessions";
  return [
    ...(percent > MAX_CUT_OFF_PCT
      ? [
        `The end of the run cut off ${cutOff} of ${started} sessions (${percent.toFixed(0)} %): ` +
        `durations are those of shorter sessions; ${remedy}`,
      ]
      : []),
    ...(enteredInMiddle > 0
      ? [
        `${enteredInMiddle} of ${started} sessions were entered in their middle: session durations ` +
        `are those of ${whole} whole ${whole === 1 ? "session" : "sessions"}`,
      ]
      : []),
  ];
}

/** Whose figures these are, where they are not those of the load that the report names. */
function shardNotes({ shard }: RunPlan, hasMetrics: boolean): string[] {
  if (shard === undefined || shard.count <= 1) return [];
  const metrics = hasMetrics ? ", but metrics of servers and GPUs are of the load of all" : "";
  return [
    `These are the results of ${shardName(shard)}${metrics}: merge makes one result of the shards`,
  ];
}

/** Without markers, a server has the prompts of an earlier run in its cache. */
function markerNotes({ dataset, cacheBust }: RunPlan): string[] {
  if (!replaysSessions(dataset) || cacheBust !== undefined) return [];
  return [
    "Sessions have no markers (--cache-bust none): the server may have cached their prompts before",
  ];
}

function networkNotes({ networkLatency }: RunPlan, { networkSamples = [] }: RunSummary): string[] {
  if (networkLatency?.kind !== "probe") return [];
  const failed = networkSamples.filter(({ rttNs }) => rttNs === undefined);
  const reason = failed[0]?.error ?? "there was no probe";
  if (failed.length === networkSamples.length) {
    return [`Network latency unknown, no adjustment made: ${reason}`];
  }
  return failed.length === 0 ? [] : [
    `${failed.length} of ${networkSamples.length} probes of the network failed: ${reason}`,
  ];
}

/** What is to be known of how tokens and times were counted. */
function countingNotes(
  { records: { profiling, replies, tokens }, results, areGapsExact }: NotedRun,
): string[] {
  const discrepancies = valueOf(results, "usage_discrepancy_count") ?? 0;
  const notes = [
    ...replies.notes(),
    ...tokens.notes(discrepancies, profiling.validCount),
  ];
  if (!areGapsExact) {
    notes.push(
      `Percentiles of inter_chunk_latency are within 0.1 %, not exact: there were more than ` +
        `${MAX_EXACT_SPANS / 1e6} million gaps`,
    );
  }
  return notes;
}
