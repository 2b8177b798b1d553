import { chat } from "../../src/client/endpoint/openai/chat.ts";
import type { RunView } from "../../src/report/html/run_view.ts";
import type { RequestRecord } from "../../src/measurement/metrics/request_record.ts";
import { resolvePlan } from "../../src/config/plan/resolve/resolve_plan.ts";
import type { ProfileOptions } from "../../src/config/options/profile/profile_types.ts";
import { buildProfileReport } from "../../src/results/collect/build_profile_report.ts";
import type { FinishedRun } from "../../src/results/collect/finished_run.ts";
import { RunRecords } from "../../src/results/collect/run_records.ts";
import { runViewOf, type ServerView } from "../../src/results/collect/run_view_of.ts";
import { recordWith } from "./records.ts";
import { BASE_EPOCH_NS, MACHINE } from "./reports.ts";

/** A request of a made-up run: a valid one, unless it has an error. */
export type MadeRequest = Parameters<typeof recordWith>[0] & {
  readonly message?: string;
  readonly requestId?: string;
};

/** Settings of {@linkcode finishedRun}. */
export interface MadeRun {
  readonly options?: ProfileOptions;
  readonly summary?: Partial<FinishedRun["summary"]>;
  readonly phases?: FinishedRun["phases"];
}

/** A run of these requests, between its first second and the last end of them. */
export async function finishedRun(
  requests: Iterable<MadeRequest>,
  { options = {}, summary = {}, phases }: MadeRun = {},
): Promise<FinishedRun> {
  const plan = await resolvePlan(
    {
      ...{ url: ["http://127.0.0.1:1"], model: "m", streaming: true, noServerMetrics: true },
      ...{ randomSeed: 1, artifactDir: "a" },
      ...options,
    },
    { cores: 2, cliCommand: "inferometer profile", findModel: () => Promise.reject(new Error()) },
  );
  const records = new RunRecords(plan, chat, false);
  let endNs = 2e9;
  let sent = 0;
  for (const { message, requestId = "", ...fields } of requests) {
    const record: RequestRecord = recordWith({ index: sent++, ...fields });
    endNs = Math.max(endNs, record.endNs);
    const error = fields.error === undefined ? undefined : message ?? fields.error;
    records.add({ record, requestId, finishReason: null, error, rawReply: undefined });
  }
  return {
    facts: {
      ...{ plan, baseEpochNs: BASE_EPOCH_NS, tokenizer: "builtin", hasImages: false },
      ...{ machine: MACHINE, threads: [] },
    },
    phases: phases ?? [{ kind: "profiling", startNs: 1e9, endNs }],
    records,
    gpu: undefined,
    summary: {
      ...{ wasCancelled: false, isComplete: true, startNs: 1e9, endNs, sent },
      ...{ unsentArrivals: 0, loopLagMs: [], cpuCores: 0.5, notes: [] },
      ...summary,
    },
  };
}

/** What pages and pictures are made from. */
export function viewOf(
  run: FinishedRun,
  server: ServerView = { metrics: undefined, timeline: [] },
): RunView {
  const report = buildProfileReport(
    run.records,
    run.facts,
    run.summary,
    ["a.json"],
    server.metrics,
    run.gpu?.report,
  );
  return runViewOf(run, report, server);
}

/** Requests one after another, of which the latency grows from 100 ms by `growth` ms each. */
export function* steadyRequests(count: number, growth = 0): Generator<MadeRequest> {
  for (let index = 0; index < count; index++) {
    const startNs = 1e9 + index * 20e6;
    const stretch = growth * index * 1e6;
    const chunkNs = Float64Array.of(80e6, 90e6, 100e6).map((after) => startNs + after + stretch);
    yield { startNs, chunkNs, endNs: startNs + 101e6 + stretch };
  }
}
