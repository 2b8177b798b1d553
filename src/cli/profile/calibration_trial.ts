import type { TrialLoad } from "../../measurement/calibration/next_trial.ts";
import type { Trial } from "../../measurement/calibration/trial.ts";
import { type ComparedRequest, trialErrors } from "../../measurement/calibration/trial_errors.ts";
import { latencyDistribution } from "../../mock/latency_distribution.ts";
import { defaultMockOptions } from "../../mock/mock_options.ts";
import { MockServer } from "../../mock/mock_server.ts";
import type { ServedRequest } from "../../mock/mock_truth.ts";
import { valueOf } from "../../measurement/metrics/metric_results.ts";
import { resolvePlan } from "../../config/plan/resolve/resolve_plan.ts";
import { runProfile } from "../../run/runner/run_profile.ts";

/** Times of the mock server; its first tokens are spread, as those of real servers are. */
const NOMINAL = { ttftMs: 50, itlMs: 5 };
const TTFT = `normal:${NOMINAL.ttftMs}:10`;
/** Tokens of each reply, one in a chunk. */
const TOKENS = 30;
const PROMPT_TOKENS = 16;
/** Different prompts: enough, and made in no time. */
const PROMPTS = 64;
/** What running requests get, several times what they take. */
const GRACE_SECONDS = 1;

/** Settings of a trial. */
export interface TrialSettings {
  /** Time in which requests are sent. */
  readonly seconds: number;
  /** Folder for its files. */
  readonly directory: string;
  readonly interrupt: AbortSignal;
  /** Called with a sentence about something unexpected. */
  readonly onWarning: (text: string) => void;
}

/** Starts the server that the trials measure. */
export async function startTrialServer(): Promise<MockServer> {
  return await MockServer.start({
    ...defaultMockOptions(),
    ttft: latencyDistribution(TTFT),
    itl: latencyDistribution(String(NOMINAL.itlMs)),
    truth: true,
  });
}

/**
 * Measures the server as `profile` would, and compares the result with the server's own times.
 * @returns undefined if it was interrupted
 */
export async function calibrationTrial(
  server: MockServer,
  { workers, streams }: TrialLoad,
  { seconds, directory, interrupt, onWarning }: TrialSettings,
): Promise<Trial | undefined> {
  const plan = await resolvePlan({
    url: [server.url],
    model: defaultMockOptions().model,
    streaming: true,
    concurrency: streams,
    workers,
    // Code that runs for the first time is slow; a real run is long enough not to care.
    warmupRequestCount: streams,
    benchmarkDuration: seconds,
    benchmarkGracePeriod: GRACE_SECONDS,
    isl: PROMPT_TOKENS,
    osl: TOKENS,
    numDatasetEntries: PROMPTS,
    tokenizer: "builtin",
    noServerMetrics: true,
    noServerInfo: true,
    noRecords: true,
    artifactDir: directory,
    overwrite: true,
    randomSeed: streams,
  }, {
    cores: navigator.hardwareConcurrency,
    cliCommand: "inferometer calibrate",
    findModel: () => Promise.resolve(undefined),
  });
  server.takeServed();
  const { report, exportFailure } = await runProfile(plan, { interrupt, onWarning });
  if (exportFailure !== undefined) throw new Error(exportFailure);
  if (interrupt.aborted) return undefined;
  const lines = await Deno.readTextFile(`${directory}/profile_export.jsonl`);
  const served = server.takeServed();
  return {
    workers,
    streams,
    errors: trialErrors(comparedRequests(lines, served), NOMINAL),
    // A token in each chunk.
    eventsPerSecond: valueOf(report.results, "output_token_throughput") ?? 0,
    requestsPerSecond: valueOf(report.results, "request_throughput") ?? 0,
  };
}

/** The valid requests of the measured phase that both sides know. */
function comparedRequests(lines: string, served: readonly ServedRequest[]): ComparedRequest[] {
  const byId = new Map(served.map((request) => [request.requestId, request]));
  return lines.split("\n").flatMap((line) => {
    if (line === "") return [];
    const { metadata, metrics, error } = JSON.parse(line);
    const request = byId.get(metadata["x_request_id"]);
    // Its digits: as a double the time would be off by up to 128 ns.
    const startNs = /"request_start_ns":(\d+)/.exec(line)?.[1];
    const isMeasured = metadata["benchmark_phase"] === "profiling" && error === undefined;
    if (!isMeasured || request === undefined || startNs === undefined) return [];
    const { receivedMs, sentAfterMs } = request;
    const startMs = Number(BigInt(startNs) / 1000n) / 1e3;
    const [firstMs = NaN, lastMs = NaN] = [sentAfterMs[0], sentAfterMs.at(-1)];
    return [{
      reported: {
        ttftMs: metrics["time_to_first_token"]["value"],
        itlMs: metrics["inter_token_latency"]["value"],
      },
      truth: {
        ttftMs: receivedMs + firstMs - startMs,
        itlMs: (lastMs - firstMs) / (sentAfterMs.length - 1),
      },
    }];
  });
}
