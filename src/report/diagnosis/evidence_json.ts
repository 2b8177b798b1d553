/** The measurements of a diagnosis in files, so that a sweep can evaluate its points again. */

import type { Evidence } from "./evidence.ts";

/** Keys of a summary's `evidence`, and their meaning. */
export const EVIDENCE_KEYS: Readonly<
  Record<keyof Evidence, readonly [key: string, description: string]>
> = {
  loop: ["loop", "How load is offered: closed or open"],
  isVarying: ["varying", "Whether the load varies on purpose"],
  isSlice: ["slice", "Whether the measurements are those of a slice"],
  hasTurns: ["sessions", "Whether requests are turns of sessions"],
  sent: ["sent", "Requests sent"],
  succeeded: ["succeeded", "Requests that succeeded"],
  failed: ["failed", "Requests that failed"],
  topError: ["top_error", "Most frequent failure"],
  unsent: ["unsent", "Arrivals that were never sent"],
  stalledSeconds: ["stalled_seconds", "Longest time without any byte, in seconds"],
  stalledFromSeconds: ["stalled_from_seconds", "Its start, in seconds"],
  isStallShown: ["stall_in_window", "Whether it is in the window"],
  clientError: ["client_error", "Share of the median latency that the client may have added"],
  clientStarved: ["client_starved", "Share of CPU time that the client needed and did not get"],
  concurrency: ["concurrency", "Number in flight that a closed loop keeps"],
  inFlight: ["in_flight", "Mean number in flight"],
  offeredPerSecond: ["offered_per_second", "Arrivals per second"],
  servedPerSecond: ["served_per_second", "Valid replies per second"],
  backlogPerSecond: ["backlog_per_second", "Growth of the backlog, requests per second"],
  backlogPerSecondLower: ["backlog_per_second_lower", "Lower 95 % bound of that"],
  steadySeconds: ["steady_seconds", "Length of the steady state, in seconds"],
  steadyRequests: ["steady_requests", "Requests that start in the steady state"],
  latencyMs: ["latency_ms", "Mean latency by the client's clock, in milliseconds"],
  ttftMs: ["ttft_ms", "Mean time to first token by the client's clock, in milliseconds"],
  decodeMs: [
    "decode_ms",
    "Mean time from the first token to the end by the client's clock, in milliseconds",
  ],
  queueMs: ["queue_ms", "Mean time in the server's queue, in milliseconds"],
  prefillMs: ["prefill_ms", "Mean time of prefill by the server, in milliseconds"],
  ttftParts: ["ttft_parts_ms", "Parts of ttft_ms, in milliseconds"],
  isPair: ["pair", "Whether different servers prefill and decode"],
  waitedPool: ["waited_pool", "Pool of a pair that requests wait for: prefill or decode"],
  poolWaiting: ["pool_waiting", "Mean number of requests that wait for that pool"],
  acceptanceRate: ["acceptance_rate", "Accepted tokens of all draft tokens, from 0 to 1"],
  acceptanceLength: ["acceptance_length", "Tokens of a decode step with a draft"],
  tokensPerStep: ["tokens_per_step", "Generated tokens of a decode step"],
  running: ["running", "Mean number of requests that run on the server"],
  runningMax: ["running_max", "Their maximum"],
  waiting: ["waiting", "Mean number of requests that wait on the server"],
  waitingMax: ["waiting_max", "Their maximum"],
  kvMax: ["kv_max", "Largest KV cache utilization of any instance, from 0 to 1"],
  preemptions: ["preemptions", "Preemptions"],
  cachedShare: ["cached_share", "Share of prompt tokens from the prefix cache"],
  promptTokens: ["prompt_tokens", "Mean prompt tokens"],
  itlMs: ["itl_ms", "Mean time between tokens, in milliseconds"],
  itlAloneMs: [
    "itl_alone_ms",
    "Mean time between tokens at a concurrency of 1 in the same sweep, in milliseconds",
  ],
};

const NAMES = Object.entries(EVIDENCE_KEYS) as [keyof Evidence, readonly [string, string]][];

/** Returns what is known, under the keys of files. */
export function evidenceObject(evidence: Evidence): Record<string, unknown> {
  return Object.fromEntries(
    NAMES.flatMap(([name, [key]]) => isKnown(name, evidence[name]) ? [[key, evidence[name]]] : []),
  );
}

/** Reads what {@linkcode evidenceObject} wrote; values of an unexpected type are unknown. */
export function readEvidence(value: Readonly<Record<string, unknown>>): Evidence {
  return Object.fromEntries(
    NAMES.flatMap(([name, [key]]) => isKnown(name, value[key]) ? [[name, value[key]]] : []),
  );
}

function isKnown(name: keyof Evidence, value: unknown): boolean {
  if (name === "loop" && value !== "closed" && value !== "open") return false;
  if (name === "waitedPool" && value !== "prefill" && value !== "decode") return false;
  return value !== null && typeof value === evidenceType(name) && !Number.isNaN(value) &&
    value !== Infinity;
}

/** JSON type of a measurement. */
export function evidenceType(name: string): "number" | "string" | "boolean" | "object" {
  if (name === "ttftParts") return "object";
  if (name === "loop" || name === "topError" || name === "waitedPool") return "string";
  return /^(is|has)[A-Z]/.test(name) ? "boolean" : "number";
}
