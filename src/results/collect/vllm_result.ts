/**
 * The result of `vllm bench serve --save-detailed` (vLLM 0.33), made of a run's records: the same
 * keys in the same order, the same units, and the definitions of vLLM's `calculate_metrics`.
 */

import type { RunPlan } from "../../config/plan/run_plan.ts";
import { summarize, type Summary } from "../../core/statistics/summarize.ts";
import { recordCursor } from "../../measurement/metrics/record_cursor.ts";
import {
  firstTokenNs,
  isCancelled,
  isValid,
  latencyNs,
  outputSequenceLength,
} from "../../measurement/metrics/request_record.ts";
import type { RunFolder } from "./run_folder.ts";

/** Backends by our endpoint types. */
const BACKENDS: Readonly<Record<string, string>> = {
  chat: "openai-chat",
  completions: "openai",
  responses: "openai-responses",
  embeddings: "openai-embeddings",
  "nim-embeddings": "openai-embeddings",
  "chat-embeddings": "openai-embeddings-chat",
  "cohere-rankings": "vllm-rerank",
  "audio-transcription": "openai-audio",
};

/** Backends whose replies have no tokens: vLLM's results of them have fewer keys. */
const POOLING: ReadonlySet<string> = new Set([
  "openai-embeddings",
  "openai-embeddings-chat",
  "vllm-rerank",
]);

/** vLLM's names of the objectives that it knows. */
const OBJECTIVES: Readonly<Record<string, "ttft" | "tpot" | "e2el">> = {
  "time_to_first_token": "ttft",
  "inter_token_latency": "tpot",
  "request_latency": "e2el",
};

/** The requests, a list for each thing; seconds. */
class Requests {
  readonly inputLens: number[] = [];
  readonly outputLens: number[] = [];
  readonly ttfts: number[] = [];
  readonly itls: number[][] = [];
  readonly latencies: number[] = [];
  readonly startTimes: number[] = [];
  readonly queueTimes: number[] = [];
  readonly errors: string[] = [];
}

/** What the keys are made of. */
interface Measured {
  readonly plan: RunPlan;
  readonly requests: Requests;
  /** Places of the requests that succeeded. */
  readonly valid: readonly number[];
  /** Of each of those: seconds, and output tokens. */
  readonly ttfts: readonly number[];
  readonly latencies: readonly number[];
  readonly outputs: readonly number[];
  /** Tokens of all their prompts, and of all their replies. */
  readonly input: number;
  readonly output: number;
  /** From the first start to the last end, seconds. */
  readonly duration: number;
}

/** The text of the file. */
export function vllmResult(folder: RunFolder): string {
  const { facts } = folder.manifest;
  const measured = measuredOf(facts.plan, requestsOf(folder));
  const backend = BACKENDS[facts.plan.endpointType] ?? facts.plan.endpointType;
  const result = {
    ...settings(folder, measured, backend),
    ...(POOLING.has(backend) ? poolingResult(measured) : generatingResult(measured)),
  };
  return `${JSON.stringify(result)}\n`;
}

function measuredOf(plan: RunPlan, requests: Requests): Measured {
  const valid = requests.errors.flatMap((error, at) => error === "" ? [at] : []);
  const pick = (values: readonly number[]): number[] => valid.map((at) => values[at] as number);
  const outputs = pick(requests.outputLens);
  const first = leastOf(requests.startTimes);
  const last = requests.startTimes.reduce(
    (end, start, at) => Math.max(end, start + (requests.latencies[at] as number)),
    -Infinity,
  );
  return {
    ...{ plan, requests, valid, outputs },
    ttfts: pick(requests.ttfts),
    latencies: pick(requests.latencies),
    input: pick(requests.inputLens).reduce((sum, count) => sum + count, 0),
    output: outputs.reduce((sum, count) => sum + count, 0),
    duration: last > first ? last - first : 0,
  };
}

function settings(
  { manifest: { facts, summary, phases } }: RunFolder,
  { plan, requests, valid, duration }: Measured,
  backend: string,
): Record<string, unknown> {
  const load = plan.phases.findLast(({ kind }) => kind === "profiling")?.load;
  const rate = load?.loop === "open" ? load.ratePerSecond : Infinity;
  const startNs = summary?.startNs ?? phases.at(-1)?.startNs ?? 0;
  const ended = new Date(Number(facts.baseEpochNs / 1_000_000n) + startNs / 1e6 + duration * 1e3);
  return {
    "date": ended.toISOString().replace(/[-:]|\..*$/g, "").replace("T", "-"),
    "endpoint_type": backend,
    "backend": backend,
    "label": null,
    "model_id": plan.models.join(","),
    "tokenizer_id": facts.tokenizer,
    "num_prompts": requests.errors.length,
    "request_rate": Number.isFinite(rate) ? rate : "inf",
    "burstiness": load?.loop === "open" ? load.smoothness : 1,
    "max_concurrency": load !== undefined && Number.isFinite(load.concurrency)
      ? load.concurrency
      : null,
    "duration": duration,
    "completed": valid.length,
  };
}

/** What vLLM writes of embeddings and rankings. */
function poolingResult(measured: Measured): Record<string, unknown> {
  const { plan: { dataset }, requests, valid, latencies, input } = measured;
  const perRequest = dataset.source === "synthetic" ? dataset.prompts?.textsPerRequest ?? 1 : 1;
  return {
    "total_input_tokens": input,
    "total_input_sequences": valid.length * perRequest,
    "request_throughput": perSecond(valid.length, measured),
    "input_sequence_throughput": perSecond(valid.length * perRequest, measured),
    "total_token_throughput": perSecond(input, measured),
    "input_lens": requests.inputLens,
    "latencies": requests.latencies,
    "queue_times": requests.queueTimes,
    "errors": requests.errors,
    ...statistics("e2el", latencies),
  };
}

/** What it writes of replies that have tokens. */
function generatingResult(measured: Measured): Record<string, unknown> {
  const { requests, valid, ttfts, latencies, outputs, input, output } = measured;
  const tpots = tpotsOf(measured);
  return {
    "failed": requests.errors.length - valid.length,
    "total_input_tokens": input,
    "total_output_tokens": output,
    "request_throughput": perSecond(valid.length, measured),
    "request_goodput": goodput(measured, tpots),
    "output_throughput": perSecond(output, measured),
    "total_token_throughput": perSecond(input + output, measured),
    "input_lens": requests.inputLens,
    "output_lens": requests.outputLens,
    "ttfts": requests.ttfts,
    "itls": requests.itls,
    "latencies": requests.latencies,
    "start_times": requests.startTimes,
    "queue_times": requests.queueTimes,
    // Texts of replies are in no record.
    "generated_texts": requests.errors.map(() => ""),
    "errors": requests.errors,
    ...busiestSecond(requests, valid),
    "rtfx": 0,
    ...statistics("ttft", ttfts),
    ...statistics("tpot", tpots.filter((_, at) => (outputs[at] as number) > 1)),
    ...statistics("itl", valid.flatMap((at) => requests.itls[at] as number[])),
    ...statistics("e2el", latencies),
  };
}

/** The time per output token after the first of each request; 0 of a single token. */
function tpotsOf({ ttfts, latencies, outputs }: Measured): number[] {
  return outputs.map((count, at) =>
    count > 1 ? ((latencies[at] as number) - (ttfts[at] as number)) / (count - 1) : 0
  );
}

/** Requests per second that met every objective that vLLM knows; null without such objectives. */
function goodput(measured: Measured, tpots: readonly number[]): number | null {
  const { plan, valid, ttfts, latencies } = measured;
  const found = { ttft: ttfts, tpot: tpots, e2el: latencies };
  const limits = plan.objectives.flatMap(({ tag, threshold }) => {
    const name = OBJECTIVES[tag];
    return name === undefined ? [] : [[found[name], threshold / 1e3] as const];
  });
  if (limits.length === 0) return null;
  const good = valid.filter((_, at) =>
    limits.every(([seconds, limit]) => limit >= (seconds[at] as number))
  );
  return perSecond(good.length, measured);
}

function perSecond(count: number, { duration }: Measured): number {
  return duration > 0 ? count / duration : 0;
}

/** Of any number of values: as arguments of a call, a hundred thousand are too many. */
function leastOf(values: readonly number[]): number {
  return values.reduce((least, value) => value < least ? value : least, Infinity);
}

function requestsOf(folder: RunFolder): Requests {
  const requests = new Requests();
  const cursor = recordCursor();
  for (const { row, chunkNs, error } of folder.records()) {
    cursor.row = row;
    cursor.chunkNs = chunkNs;
    if (cursor.phase === 0 || isCancelled(cursor)) continue;
    const isFine = isValid(cursor);
    const seconds = (ns: number): number => (ns || 0) / 1e9;
    requests.inputLens.push(cursor.inputTokens || 0);
    requests.outputLens.push(isFine ? outputSequenceLength(cursor) || 0 : 0);
    requests.ttfts.push(isFine ? seconds(firstTokenNs(cursor)) : 0);
    requests.itls.push(
      isFine
        ? Array.from(chunkNs.subarray(1), (stamp, at) => (stamp - (chunkNs[at] as number)) / 1e9)
        : [],
    );
    requests.latencies.push(isFine ? seconds(latencyNs(cursor)) : 0);
    requests.startTimes.push(cursor.startNs / 1e9);
    // What a request waited for a free slot; of a closed loop none waits.
    requests.queueTimes.push(Math.max(0, seconds(cursor.claimedNs - cursor.intendedNs)));
    requests.errors.push(isFine ? "" : error ?? "failed");
  }
  // The start of a dead thread's requests is unknown: they are to make no run longer.
  const { startTimes } = requests;
  const first = leastOf(startTimes);
  startTimes.forEach((start, at) => {
    if (Number.isNaN(start)) startTimes[at] = first === Infinity ? 0 : first;
  });
  return requests;
}

/** Statistics as vLLM names them, in milliseconds; zeros of nothing. */
function statistics(name: string, seconds: readonly number[]): Record<string, number> {
  const { avg, p50, std, p99 }: Pick<Summary, "avg" | "p50" | "std" | "p99"> = seconds.length === 0
    ? { avg: 0, p50: 0, std: 0, p99: 0 }
    : summarize(Float64Array.from(seconds));
  return {
    [`mean_${name}_ms`]: avg * 1e3,
    [`median_${name}_ms`]: p50 * 1e3,
    [`std_${name}_ms`]: std * 1e3,
    [`p99_${name}_ms`]: p99 * 1e3,
  };
}

/** The most chunks, and the most requests in flight, in any second since the first start. */
function busiestSecond(
  { startTimes, latencies, ttfts, itls }: Requests,
  valid: readonly number[],
): Record<string, number> {
  const zero = leastOf(valid.map((at) => startTimes[at] as number));
  const tokens = new Map<number, number>();
  const running = new Map<number, number>();
  const count = (counts: Map<number, number>, second: number): void => {
    counts.set(second, (counts.get(second) ?? 0) + 1);
  };
  for (const at of valid) {
    const start = startTimes[at] as number;
    let time = start + (ttfts[at] as number);
    count(tokens, Math.trunc(time - zero));
    for (const gap of itls[at] as number[]) count(tokens, Math.trunc((time += gap) - zero));
    const end = Math.trunc(start + (latencies[at] as number) - zero);
    for (let second = Math.trunc(start - zero); second <= end; second++) count(running, second);
  }
  const most = (counts: Map<number, number>): number =>
    [...counts.values()].reduce((max, value) => Math.max(max, value), 0);
  return { "max_output_tokens_per_s": most(tokens), "max_concurrent_requests": most(running) };
}
