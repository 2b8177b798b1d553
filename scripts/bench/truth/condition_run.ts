import type { BenchContext } from "../bench_case.ts";
import { MODEL, PROMPT_TOKENS } from "../load_client.ts";
import { CA_CERTIFICATE } from "../certificates.ts";
import type { LoadTarget } from "../load_target.ts";
import type { MachineUse } from "../machine_use.ts";
import { MeasuredProcess } from "../measured_process.ts";
import { productCommand } from "../product.ts";
import { pause, waitForRequests } from "../wait_for_requests.ts";
import { parseClientRecords } from "./client_records.ts";
import { type Condition, STOP_AFTER_MS } from "./conditions.ts";
import { startBurners } from "./cpu_burners.ts";
import {
  type JudgedStatistic,
  judgeStatistics,
  type ReportedJson,
  type Verdict,
} from "./judged_statistics.ts";
import { startMetricsEndpoint } from "./metrics_endpoint.ts";
import { parseServedRequests } from "./served_requests.ts";
import { TlsFront } from "./tls_front.ts";
import { trueStatistics } from "./true_statistics.ts";

/** What a run under some condition came to. */
export interface ConditionOutcome {
  readonly condition: Condition;
  /** ISO 8601. */
  readonly at: string;
  readonly machine: MachineUse;
  /** Valid requests whose truth is known. */
  readonly requests: number;
  /** Valid requests of which the target says something else than the client. */
  readonly unmatched: number;
  /** Most milliseconds by which a first token was seen before it was written. */
  readonly earliestMs: number;
  /** The run's verdict; absent in a product that does not judge its own error. */
  readonly verdict?: Verdict;
  readonly reasons?: readonly string[];
  readonly statistics: readonly JudgedStatistic[];
}

/** Files that are kept of a run beside the client's own. */
const TIMES_FILE = "server_times.txt";
const OUTCOME_FILE = "outcome.json";

/**
 * Runs the client under a condition and compares what it reports with the load target's own times.
 * @throws {Error} if the client failed, or most of its requests are not known to the target
 */
export async function runCondition(
  context: BenchContext,
  condition: Condition,
): Promise<ConditionOutcome> {
  await context.machine.waitForQuiet(context.patienceMs);
  const { keepFolder } = context.selection;
  const folder = keepFolder === undefined
    ? await Deno.makeTempDir({ prefix: "bench-" })
    : await freshFolder(keepFolder, condition.name);
  const target = await context.startTarget({
    ...condition.replies,
    keepsTimes: true,
  });
  const front = condition.tls ? await TlsFront.start(target.url) : undefined;
  const metrics = condition.metricsSamples > 0
    ? startMetricsEndpoint(condition.metricsSamples)
    : undefined;
  const endBurners = startBurners(condition.burners);
  try {
    const at = new Date().toISOString();
    const endWatch = context.machine.begin();
    const options = clientOptions(condition, front?.url ?? target.url, metrics?.url, folder);
    const client = await MeasuredProcess.start(productCommand(context.binary, options));
    const [cost] = await Promise.all([client.cost, stopOnce(client, target, condition.stopMs)]);
    const machine = endWatch({
      clientSeconds: cost.cpuSeconds,
      targetSeconds: target.cpuSeconds,
    });
    if (cost.exitCode !== 0) {
      throw new Error(`${condition.name} ended with ${cost.exitCode}:\n${cost.output}`);
    }
    const times = await (front ?? target).times();
    const outcome = { condition, at, machine, ...await judge(condition, folder, times) };
    if (keepFolder !== undefined) {
      await Deno.writeTextFile(`${folder}/${TIMES_FILE}`, times);
      await Deno.writeTextFile(`${folder}/${OUTCOME_FILE}`, JSON.stringify(outcome, null, 2));
    }
    return outcome;
  } finally {
    await endBurners();
    await metrics?.close();
    await front?.stop();
    await target.stop();
    if (keepFolder === undefined) await Deno.remove(folder, { recursive: true });
  }
}

/** A new folder in another one, numbered where there was one of the name. */
async function freshFolder(parent: string, name: string): Promise<string> {
  await Deno.mkdir(parent, { recursive: true });
  for (let number = 1;; number++) {
    const folder = `${parent}/${name}${number === 1 ? "" : `-${number}`}`;
    try {
      await Deno.mkdir(folder);
      return folder;
    } catch (error) {
      if (!(error instanceof Deno.errors.AlreadyExists)) throw error;
    }
  }
}

function clientOptions(
  condition: Condition,
  url: string,
  metricsUrl: string | undefined,
  folder: string,
): string[] {
  const { streams, rate, requests } = condition;
  return [
    ...["profile", "--url", url, "--model", MODEL, "--streaming", "--ui", "none"],
    ...["--isl", `${PROMPT_TOKENS}`, "--osl", `${condition.tokens}`],
    ...["--benchmark-duration", `${condition.seconds}`, "--benchmark-grace-period", "5"],
    ...["--random-seed", "1", "--artifact-dir", folder, "--overwrite"],
    ...(streams === undefined ? [] : ["--concurrency", `${streams}`]),
    ...(rate === undefined ? [] : ["--request-rate", `${rate}`]),
    ...(requests === undefined ? [] : ["--request-count", `${requests}`]),
    ...(condition.reconnects ? ["--connection-reuse-strategy", "never"] : []),
    ...(condition.tls ? ["--ca-cert", CA_CERTIFICATE] : []),
    ...(metricsUrl === undefined
      ? ["--no-server-metrics"]
      : ["--server-metrics", metricsUrl, "--server-metrics-interval", "0.1"]),
    ...condition.options,
  ];
}

/** Lets the client stand still for so long, in the middle of its run. */
async function stopOnce(
  client: MeasuredProcess,
  target: LoadTarget,
  stopMs: number,
): Promise<void> {
  if (stopMs === 0) return;
  await waitForRequests(target, 1);
  await pause(STOP_AFTER_MS);
  client.signal("SIGSTOP");
  await pause(stopMs);
  client.signal("SIGCONT");
}

/** Compares the client's files with the target's times. */
async function judge(
  { name, replies }: Condition,
  folder: string,
  times: string,
): Promise<Omit<ConditionOutcome, "condition" | "at" | "machine">> {
  const reported: ReportedJson = JSON.parse(
    await Deno.readTextFile(`${folder}/profile_export_aiperf.json`),
  );
  const records = parseClientRecords(await Deno.readTextFile(`${folder}/profile_export.jsonl`));
  const truth = trueStatistics(records, parseServedRequests(times), replies.eventsPerWrite ?? 1);
  // A request or two may have no truth, as one that the target had not ended yet.
  if (truth.requests === 0 || truth.unmatched > truth.requests / 100) {
    throw new Error(
      `${name}: the truth of ${truth.unmatched} requests is missing: ${truth.problem}`,
    );
  }
  const claims = reported["measurement_error"];
  return {
    requests: truth.requests,
    unmatched: truth.unmatched,
    earliestMs: truth.earliestMs,
    ...(claims === undefined ? {} : { verdict: claims.verdict, reasons: claims.reasons }),
    statistics: judgeStatistics(reported, truth),
  };
}
