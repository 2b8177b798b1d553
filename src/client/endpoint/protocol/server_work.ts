import { DRAFT_POSITIONS } from "../../record/request_fields.ts";
import { isFields } from "./json_fields.ts";

type Fields = Readonly<Record<string, unknown>>;

/** Larger than any count of tokens, and than any time in milliseconds, of a request. */
const MAX_NUMBER = 1e9;
const NS_PER_MS = 1e6;
const NS_PER_SECOND = 1e9;

/**
 * Times and counts of a request that its server reported in the reply. A field that the server does
 * not report is missing.
 */
export interface ServerWork {
  /** Time in the server's queue. */
  readonly queueNs?: number;
  /** Time from being scheduled to the first token. */
  readonly prefillNs?: number;
  /** Time from arrival at the engine to its first token. */
  readonly ttftNs?: number;
  /** Time to transfer the KV cache from the prefill to the decode instance. */
  readonly transferNs?: number;
  /** Decode steps that had a draft. */
  readonly drafts?: number;
  /** Tokens that were drafted, and those of them that were accepted. */
  readonly draftTokens?: number;
  readonly acceptedTokens?: number;
  /** Drafts whose token at each position was accepted, from the first position. */
  readonly acceptedAt?: readonly number[];
  /** Name of the instance that processed the prompt, which may be that of a host. */
  readonly worker?: string;
}

/**
 * Reads what servers report about their own work, in the places of their vendors: `metrics` and
 * `kv_transfer_params` (vLLM), `timings` (llama.cpp), `nvext.timing` and `nvext.worker_id` (Dynamo),
 * `sglext.spec_tokens_details` (SGLang).
 * @returns undefined if the object has none of it
 */
export function readServerWork(json: Fields): ServerWork | undefined {
  const { kv_transfer_params: transfer, metrics, timings, nvext, sglext } = json;
  // Of a pair, the instance that prefilled.
  const prefiller = isFields(transfer) ? workerOf(transfer["remote_engine_id"]) : undefined;
  if (isFields(metrics)) return someOf({ ...vllmWork(metrics), worker: prefiller });
  if (prefiller !== undefined) return { worker: prefiller };
  if (isFields(timings)) return someOf(llamaWork(timings));
  if (isFields(nvext) && (isFields(nvext["timing"]) || isFields(nvext["worker_id"]))) {
    return someOf(dynamoWork(nvext["timing"], nvext["worker_id"]));
  }
  if (isFields(sglext) && isFields(sglext["spec_tokens_details"])) {
    return someOf(sglangDrafts(sglext["spec_tokens_details"]));
  }
  return undefined;
}

/** Reads `meta_info` of SGLang's own API; undefined if it has nothing of it. */
export function readSglangWork(meta: Fields): ServerWork | undefined {
  const { forward_entry_time: entry, prefill_finished_time: finished } = meta;
  const prefillSeconds = typeof entry === "number" && typeof finished === "number" && entry > 0
    ? finished - entry
    : undefined;
  return someOf({
    ...sglangDrafts(meta),
    queueNs: timeNs(meta["queue_time"], NS_PER_SECOND),
    prefillNs: timeNs(prefillSeconds, NS_PER_SECOND),
    worker: workerOf(meta["dp_rank"]),
  });
}

/** Reads the last line of Ollama's own API, whose times are nanoseconds. */
export function readOllamaWork(json: Fields): ServerWork | undefined {
  return someOf({ prefillNs: timeNs(json["prompt_eval_duration"], 1) });
}

/** Headers in which routers name the instance that a request went to. */
const WORKER_HEADERS = ["x-smg-routed-worker-id", "x-litellm-model-id"];

/**
 * Reads the headers of TGI, which has times in replies that are not streamed, and of routers.
 * @returns undefined if there are none of them
 */
export function readHeaderWork(
  headers: readonly (readonly [name: string, value: string])[],
): ServerWork | undefined {
  const valueOf = (wanted: string): number | undefined => {
    const text = headers.find(([name]) => name.toLowerCase() === wanted)?.[1];
    return text === undefined || text.trim() === "" ? undefined : Number(text);
  };
  const isTgi = valueOf("x-inference-time") !== undefined;
  const worker = headers.find(([name]) => WORKER_HEADERS.includes(name.toLowerCase()))?.[1];
  return someOf({
    queueNs: isTgi ? timeNs(valueOf("x-queue-time")) : undefined,
    worker: workerOf(worker),
  });
}

/** Whether later work has nothing that earlier work does not have. */
export function repeatsWork(later: ServerWork, earlier: ServerWork | undefined): boolean {
  return Object.entries(later).every(([name, value]) =>
    earlier !== undefined && earlier[name as keyof ServerWork] === value
  );
}

/** The name of an instance, of one or several parts; undefined without one. */
function workerOf(...names: readonly unknown[]): string | undefined {
  const known = names.filter((name) => typeof name === "string" || typeof name === "number");
  return known.join(".") || undefined;
}

/** Work as found: fields without a usable number are undefined. */
type FoundWork = { readonly [name in keyof ServerWork]: ServerWork[name] | undefined };

/** `time_to_first_token_ms` begins when the request is scheduled, unlike the histogram. */
function vllmWork(metrics: Fields): FoundWork {
  const queueNs = timeNs(metrics["queue_time_ms"]);
  const prefillNs = timeNs(metrics["time_to_first_token_ms"]);
  const drafts = metrics["speculative_decoding"];
  return {
    queueNs,
    prefillNs,
    ttftNs: queueNs === undefined || prefillNs === undefined ? undefined : queueNs + prefillNs,
    transferNs: timeNs(metrics["kv_transfer_time_ms"]),
    ...(isFields(drafts)
      ? draftCounts(
        drafts["num_spec_steps"],
        drafts["num_draft_tokens"],
        drafts["num_accepted_draft_tokens"],
        drafts["acceptance_histogram"],
      )
      : {}),
  };
}

/** The counts of drafts are missing where nothing was drafted. */
function llamaWork(timings: Fields): FoundWork {
  return {
    prefillNs: timeNs(timings["prompt_ms"]),
    ...draftCounts(undefined, timings["draft_n"], timings["draft_n_accepted"]),
  };
}

/**
 * With separate workers for prefill and decode, `ttft_ms` ends with the token of the prefill worker,
 * which clients do not receive yet.
 */
function dynamoWork(timing: unknown, workers: unknown): FoundWork {
  const { prefill_worker_id: prefill, decode_worker_id: decode, ...ranks } = isFields(workers)
    ? workers
    : {};
  const isApart = prefill !== undefined && decode !== undefined && prefill !== decode;
  // IDs of 64 bits lose digits as numbers, which no two workers share all the same.
  const worker = prefill === undefined
    ? workerOf(decode, ranks["decode_dp_rank"])
    : workerOf(prefill, ranks["prefill_dp_rank"]);
  if (!isFields(timing)) return { worker };
  return {
    worker,
    queueNs: timeNs(timing["prefill_wait_time_ms"]),
    prefillNs: timeNs(timing["prefill_time_ms"]),
    ttftNs: isApart ? undefined : timeNs(timing["ttft_ms"]),
  };
}

/** Names of 0.5.23 and after, then those before. */
function sglangDrafts(meta: Fields): FoundWork {
  return draftCounts(
    meta["spec_verify_ct"],
    meta["spec_num_proposed_drafts"] ?? meta["spec_draft_token_num"],
    meta["spec_num_correct_drafts"] ?? meta["spec_accept_token_num"],
    meta["spec_correct_drafts_histogram"],
  );
}

/**
 * The counts of drafts, if they fit each other.
 * @param histogram drafts by their number of accepted tokens, from 0
 */
function draftCounts(
  drafts: unknown,
  drafted: unknown,
  accepted: unknown,
  histogram?: unknown,
): FoundWork {
  const [draftTokens, acceptedTokens] = [countOf(drafted), countOf(accepted)];
  if (draftTokens === undefined || acceptedTokens === undefined) return {};
  if (acceptedTokens > draftTokens) return {};
  return {
    ...{ drafts: countOf(drafts), draftTokens, acceptedTokens },
    acceptedAt: positionsOf(histogram, acceptedTokens),
  };
}

/** Drafts whose token at each position was accepted; undefined if the counts do not fit. */
function positionsOf(histogram: unknown, acceptedTokens: number): number[] | undefined {
  if (!Array.isArray(histogram)) return undefined;
  const counts = histogram.map(countOf);
  if (!counts.every((count) => count !== undefined)) return undefined;
  const positions: number[] = [];
  let reached = 0;
  for (let accepted = counts.length - 1; accepted > 0; accepted--) {
    reached += counts[accepted] as number;
    positions.unshift(reached);
  }
  const sum = positions.reduce((sum, count) => sum + count, 0);
  return sum === acceptedTokens ? positions.slice(0, DRAFT_POSITIONS) : undefined;
}

function countOf(value: unknown): number | undefined {
  return Number.isInteger(value) && (value as number) >= 0 && (value as number) <= MAX_NUMBER
    ? value as number
    : undefined;
}

/** A time in whole nanoseconds. */
function timeNs(value: unknown, unitNs = NS_PER_MS): number | undefined {
  return typeof value === "number" && value >= 0 && value * unitNs <= MAX_NUMBER * NS_PER_MS
    ? Math.round(value * unitNs)
    : undefined;
}

/** The fields with a number; undefined if there is none. */
function someOf(found: FoundWork): ServerWork | undefined {
  const known = Object.entries(found).filter(([, value]) => value !== undefined);
  return known.length === 0 ? undefined : Object.fromEntries(known);
}
