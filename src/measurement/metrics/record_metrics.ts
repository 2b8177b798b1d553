/**
 * The metrics of a single request, by their tags in the metrics reference: one table, longer than
 * other files because it is read as a whole.
 */

import { INPUT_PART_FIELDS } from "../../client/record/request_fields.ts";
import { VERDICT } from "../../client/record/verdict.ts";
import type { Metric, MetricFlag } from "./metric.ts";
import {
  decodeNs,
  firstOutputNs,
  firstTokenNs,
  isValid,
  latencyNs,
  outputSequenceLength,
  type RequestRecord,
  wasCut,
} from "./request_record.ts";
import { interTokenNs } from "./tokens_after_first_chunk.ts";

/** A metric of each request; in reports its values become a distribution. */
export interface RecordMetric<Tag extends string = RecordMetricTag> extends Metric<Tag> {
  /** Value for a request, in the metric's unit; NaN if there is none. */
  readonly value: (record: RequestRecord) => number;
  /** Whether its value is final before the reply is over, so that a reply that was cut has it. */
  readonly isKnownEarly?: true;
}

/** Whether a metric has a value of a request: of a valid one, or early of one that was cut. */
export function isMeasured(metric: RecordMetric, record: RequestRecord): boolean {
  return isValid(record) || (metric.isKnownEarly === true && wasCut(record));
}

const STREAMING_TOKENS: readonly MetricFlag[] = ["STREAMING_ONLY", "PRODUCES_TOKENS_ONLY"];
const USAGE: readonly MetricFlag[] = ["PRODUCES_TOKENS_ONLY", "NO_CONSOLE"];
const USAGE_DIFF: readonly MetricFlag[] = ["USAGE_DIFF_ONLY", "NO_CONSOLE"];
const REPORTED: readonly MetricFlag[] = ["PRODUCES_TOKENS_ONLY", "NO_CONSOLE"];
const TRACE: readonly MetricFlag[] = ["HTTP_TRACE_ONLY", "NO_CONSOLE"];
const ARRIVAL: readonly MetricFlag[] = ["ARRIVAL_PROCESS_ONLY"];

/** Nanoseconds to milliseconds. */
const ms = (ns: number): number => ns / 1e6;
/** Bytes to kilobytes of 1024. */
const kb = (bytes: number): number => bytes / 1024;
/** A count that is absent when it is zero. */
const nonZero = (count: number): number => count > 0 ? count : NaN;
/** A value of requests with drafts: those without have no acceptance. */
const ofDrafted = ({ draftTokens }: RequestRecord, value: number): number =>
  draftTokens > 0 ? value : NaN;
const percentOf = (value: number, base: number): number =>
  base > 0 ? Math.abs((value - base) / base) * 100 : NaN;

/** Request was written completely; never after the first byte of the reply. */
const sentNs = (record: RequestRecord): number => Math.min(record.sendEndNs, replyStartNs(record));
/** The first byte of the body, or the head of a reply without one. */
const replyStartNs = (record: RequestRecord): number =>
  Number.isNaN(record.firstBodyNs) ? record.headNs : record.firstBodyNs;
/** Time from the first byte of the request to its last one. */
export const sendingNs = (record: RequestRecord): number => sentNs(record) - record.sendStartNs;
/** From there to the first byte of the body. */
export const waitingNs = (record: RequestRecord): number => replyStartNs(record) - sentNs(record);
/** From there to the last byte of the body. */
export const receivingNs = (record: RequestRecord): number =>
  Number.isNaN(record.firstBodyNs) ? 0 : record.lastBodyNs - record.firstBodyNs;
/**
 * Time in nanoseconds to receive a non-streamed reply; 0 for a stream. For a job it is from its
 * first reply to its last.
 */
export const receivingWholeNs = (record: RequestRecord): number =>
  record.isWhole === 1 ? receivingNs(record) : 0;
const overheadNs = (record: RequestRecord): number =>
  record.blockedNs + record.dnsNs + record.connectingNs;
/** Sending, waiting and receiving. */
export const exchangeNs = (record: RequestRecord): number =>
  sendingNs(record) + waitingNs(record) + receivingNs(record);
/** Time lost to replies of 429 that were waited for; older records do not have it. */
const limitedNs = (record: RequestRecord): number => record.limitedNs || 0;
const queueWaitNs = (record: RequestRecord): number => record.claimedNs - record.intendedNs;

/** Difference in percent between the server's count and inferometer's. */
export const promptDiffPct = (record: RequestRecord): number =>
  percentOf(record.promptTokens, record.inputTokens);
/** See {@linkcode promptDiffPct}. */
export const completionDiffPct = (record: RequestRecord): number =>
  percentOf(record.completionTokens, outputSequenceLength(record));
/** See {@linkcode promptDiffPct}. */
export const reasoningDiffPct = (record: RequestRecord): number =>
  percentOf(record.reasoningTokens, record.thoughtTokens);

/**
 * The metrics of each request, in the order of the console's table as far as they are shown
 * there.
 */
export const RECORD_METRICS = catalog([
  {
    tag: "time_to_first_token",
    header: "Time to First Token",
    shortTag: "ttft",
    unit: "ms",
    flags: STREAMING_TOKENS,
    consoleOrder: 100,
    isKnownEarly: true,
    value: (record) => ms(firstTokenNs(record)),
  },
  {
    tag: "time_to_second_token",
    header: "Time to Second Token",
    shortTag: "ttst",
    unit: "ms",
    flags: STREAMING_TOKENS,
    consoleOrder: 200,
    isKnownEarly: true,
    value: ({ firstChunkNs, secondChunkNs }) => ms(secondChunkNs - firstChunkNs),
  },
  {
    tag: "time_to_first_output_token",
    header: "Time to First Output Token",
    shortTag: "ttfo",
    unit: "ms",
    flags: [...STREAMING_TOKENS, "SUPPORTS_REASONING"],
    consoleOrder: 210,
    isKnownEarly: true,
    value: (record) => ms(firstOutputNs(record)),
  },
  {
    tag: "request_latency",
    header: "Request Latency",
    shortTag: "latency",
    unit: "ms",
    flags: [],
    consoleOrder: 300,
    value: (record) => ms(latencyNs(record)),
  },
  {
    tag: "decode_duration",
    header: "Decode Duration",
    unit: "ms",
    flags: [...STREAMING_TOKENS, "NO_CONSOLE"],
    value: (record) => ms(decodeNs(record)),
  },
  {
    tag: "inter_token_latency",
    header: "Inter Token Latency",
    shortTag: "itl",
    unit: "ms",
    flags: STREAMING_TOKENS,
    consoleOrder: 400,
    value: (record) => ms(interTokenNs(record)),
  },
  {
    tag: "output_token_throughput_per_user",
    header: "Output Token Throughput Per User",
    shortTag: "tps_per_user",
    unit: "tokens/sec/user",
    // Its mean follows the few replies whose chunks came almost at once: `interactivity` is shown.
    flags: [...STREAMING_TOKENS, "LARGER_IS_BETTER", "NO_CONSOLE"],
    value: (record) => {
      const seconds = interTokenNs(record) / 1e9;
      return seconds === 0 ? NaN : 1 / seconds;
    },
  },
  {
    tag: "e2e_output_token_throughput",
    header: "E2E Output Token Throughput",
    unit: "tokens/sec/user",
    flags: ["PRODUCES_TOKENS_ONLY", "LARGER_IS_BETTER", "NO_CONSOLE"],
    value: (record) => {
      const seconds = latencyNs(record) / 1e9;
      return seconds === 0 ? NaN : outputSequenceLength(record) / seconds;
    },
  },
  {
    tag: "prefill_throughput_per_user",
    header: "Prefill Throughput Per User",
    unit: "tokens/sec/user",
    flags: [...STREAMING_TOKENS, "TOKENIZES_INPUT_ONLY", "LARGER_IS_BETTER", "NO_CONSOLE"],
    isKnownEarly: true,
    value: (record) => {
      const seconds = firstTokenNs(record) / 1e9;
      return seconds === 0 ? NaN : record.inputTokens / seconds;
    },
  },
  {
    tag: "output_sequence_length",
    header: "Output Sequence Length",
    shortTag: "osl",
    unit: "tokens",
    flags: ["PRODUCES_TOKENS_ONLY", "LARGER_IS_BETTER"],
    consoleOrder: 600,
    value: outputSequenceLength,
  },
  {
    tag: "input_sequence_length",
    header: "Input Sequence Length",
    shortTag: "isl",
    unit: "tokens",
    flags: ["TOKENIZES_INPUT_ONLY", "LARGER_IS_BETTER"],
    consoleOrder: 700,
    isKnownEarly: true,
    value: ({ inputTokens }) => inputTokens,
  },
  inputPart("system", "System", ({ systemTokens }) => systemTokens),
  inputPart("user", "User", ({ userTokens }) => userTokens),
  inputPart("assistant", "Assistant", ({ assistantTokens }) => assistantTokens),
  inputPart("reasoning", "Reasoning", ({ inputReasoningTokens }) => inputReasoningTokens),
  inputPart("tool_calls", "Tool Calls", ({ toolCallTokens }) => toolCallTokens),
  inputPart("tool_results", "Tool Results", ({ toolResultTokens }) => toolResultTokens),
  inputPart("tools", "Tool Definitions", ({ toolTokens }) => toolTokens),
  inputPart("salt", "Marker", ({ saltTokens }) => saltTokens),
  inputPart("template", "Template", templateTokens),
  {
    tag: "output_token_count",
    header: "Output Token Count",
    unit: "tokens",
    flags: ["PRODUCES_TOKENS_ONLY", "LARGER_IS_BETTER", "NO_CONSOLE"],
    value: ({ outputTokens }) => nonZero(outputTokens),
  },
  {
    tag: "reasoning_token_count",
    header: "Reasoning Token Count",
    unit: "tokens",
    flags: ["PRODUCES_TOKENS_ONLY", "SUPPORTS_REASONING", "LARGER_IS_BETTER", "NO_CONSOLE"],
    value: ({ thoughtTokens }) => thoughtTokens,
  },
  {
    tag: "image_throughput",
    header: "Image Throughput",
    unit: "images/sec",
    flags: ["SUPPORTS_IMAGE_ONLY", "LARGER_IS_BETTER"],
    consoleOrder: 860,
    value: (record) => nonZero(record.images) / (latencyNs(record) / 1e9),
  },
  {
    tag: "image_latency",
    header: "Image Latency",
    unit: "ms/image",
    flags: ["SUPPORTS_IMAGE_ONLY"],
    consoleOrder: 861,
    value: (record) => ms(latencyNs(record)) / nonZero(record.images),
  },
  {
    tag: "num_images",
    header: "Number of Images",
    unit: "images",
    flags: ["SUPPORTS_IMAGE_ONLY", "NO_CONSOLE"],
    value: ({ images }) => nonZero(images),
  },
  {
    tag: "usage_prompt_tokens",
    header: "Usage Prompt Tokens",
    unit: "tokens",
    flags: ["NO_CONSOLE"],
    value: ({ promptTokens }) => promptTokens,
  },
  {
    tag: "usage_prompt_cache_read_tokens",
    header: "Usage Prompt Cache Read Tokens",
    unit: "tokens",
    flags: ["LARGER_IS_BETTER", "NO_CONSOLE"],
    value: ({ cachedTokens }) => cachedTokens,
  },
  {
    tag: "usage_completion_tokens",
    header: "Usage Completion Tokens",
    unit: "tokens",
    flags: USAGE,
    value: ({ completionTokens }) => completionTokens,
  },
  {
    tag: "usage_total_tokens",
    header: "Usage Total Tokens",
    unit: "tokens",
    flags: ["NO_CONSOLE"],
    value: ({ totalTokens }) => totalTokens,
  },
  {
    tag: "usage_reasoning_tokens",
    header: "Usage Reasoning Tokens",
    unit: "tokens",
    flags: [...USAGE, "SUPPORTS_REASONING"],
    value: ({ reasoningTokens }) => reasoningTokens,
  },
  {
    tag: "reported_queue_time",
    header: "Reported Queue Time",
    unit: "ms",
    flags: REPORTED,
    value: ({ serverQueueNs }) => ms(serverQueueNs),
  },
  {
    tag: "reported_prefill_time",
    header: "Reported Prefill Time",
    unit: "ms",
    flags: REPORTED,
    value: ({ serverPrefillNs }) => ms(serverPrefillNs),
  },
  {
    tag: "reported_time_to_first_token",
    header: "Reported Time to First Token",
    unit: "ms",
    flags: REPORTED,
    value: ({ serverTtftNs }) => ms(serverTtftNs),
  },
  {
    tag: "reported_kv_transfer_time",
    header: "Reported KV Transfer Time",
    unit: "ms",
    flags: REPORTED,
    value: ({ serverTransferNs }) => ms(serverTransferNs),
  },
  {
    tag: "reported_drafts",
    header: "Reported Drafts",
    unit: "drafts",
    flags: REPORTED,
    value: (record) => ofDrafted(record, record.drafts),
  },
  {
    tag: "reported_draft_tokens",
    header: "Reported Draft Tokens",
    unit: "tokens",
    flags: REPORTED,
    value: (record) => ofDrafted(record, record.draftTokens),
  },
  {
    tag: "reported_accepted_tokens",
    header: "Reported Accepted Tokens",
    unit: "tokens",
    flags: [...REPORTED, "LARGER_IS_BETTER"],
    value: (record) => ofDrafted(record, record.acceptedTokens),
  },
  {
    tag: "reported_acceptance_rate",
    header: "Reported Acceptance Rate",
    unit: "ratio",
    flags: [...REPORTED, "LARGER_IS_BETTER"],
    value: (record) => ofDrafted(record, record.acceptedTokens / record.draftTokens),
  },
  {
    tag: "reported_acceptance_length",
    header: "Reported Acceptance Length",
    unit: "tokens",
    flags: [...REPORTED, "LARGER_IS_BETTER"],
    value: (record) => ofDrafted(record, 1 + record.acceptedTokens / nonZero(record.drafts)),
  },
  {
    tag: "good_answer",
    header: "Good Answer",
    unit: "ratio",
    flags: ["NEEDS_CORRECT_ONLY", "LARGER_IS_BETTER", "NO_CONSOLE"],
    value: ({ correct, valid }) => correct === VERDICT.no || valid === VERDICT.no ? 0 : 1,
  },
  {
    tag: "usage_prompt_tokens_diff_pct",
    header: "Usage Prompt Tokens Diff %",
    unit: "%",
    flags: USAGE_DIFF,
    value: promptDiffPct,
  },
  {
    tag: "usage_completion_tokens_diff_pct",
    header: "Usage Completion Tokens Diff %",
    unit: "%",
    flags: USAGE_DIFF,
    value: completionDiffPct,
  },
  {
    tag: "usage_reasoning_tokens_diff_pct",
    header: "Usage Reasoning Tokens Diff %",
    unit: "%",
    flags: [...USAGE_DIFF, "SUPPORTS_REASONING"],
    value: reasoningDiffPct,
  },
  {
    tag: "osl_mismatch_diff_pct",
    header: "OSL Mismatch Diff %",
    unit: "%",
    flags: ["PRODUCES_TOKENS_ONLY", "NO_CONSOLE"],
    value: (record) => {
      const { requestedTokens } = record;
      return (outputSequenceLength(record) - requestedTokens) / requestedTokens * 100;
    },
  },
  {
    tag: "http_req_blocked",
    header: "HTTP Blocked",
    unit: "ms",
    flags: TRACE,
    consoleOrder: 2000,
    value: ({ blockedNs }) => ms(blockedNs),
  },
  {
    tag: "http_req_dns_lookup",
    header: "HTTP DNS Lookup",
    unit: "ms",
    flags: TRACE,
    consoleOrder: 2010,
    value: ({ dnsNs }) => ms(dnsNs),
  },
  {
    tag: "http_req_connecting",
    header: "HTTP Connecting",
    unit: "ms",
    flags: TRACE,
    consoleOrder: 2020,
    value: ({ connectingNs }) => ms(connectingNs),
  },
  {
    tag: "http_req_tls_handshaking",
    header: "HTTP TLS Handshaking",
    unit: "ms",
    flags: TRACE,
    consoleOrder: 2025,
    value: ({ tlsNs }) => tlsNs > 0 ? ms(tlsNs) : NaN,
  },
  {
    tag: "http_req_sending",
    header: "HTTP Sending",
    unit: "ms",
    flags: TRACE,
    consoleOrder: 2030,
    value: (record) => ms(sendingNs(record)),
  },
  {
    tag: "http_req_waiting",
    header: "HTTP Waiting (TTFB)",
    unit: "ms",
    flags: TRACE,
    consoleOrder: 2040,
    value: (record) => ms(waitingNs(record)),
  },
  {
    tag: "http_req_receiving",
    header: "HTTP Receiving",
    unit: "ms",
    flags: TRACE,
    consoleOrder: 2050,
    value: (record) => ms(receivingNs(record)),
  },
  {
    tag: "http_req_connection_overhead",
    header: "HTTP Connection Overhead",
    unit: "ms",
    flags: TRACE,
    consoleOrder: 2060,
    value: (record) => ms(overheadNs(record)),
  },
  {
    tag: "http_req_duration",
    header: "HTTP Duration",
    unit: "ms",
    flags: TRACE,
    consoleOrder: 2070,
    value: (record) => ms(exchangeNs(record)),
  },
  {
    tag: "http_req_total",
    header: "HTTP Total Time",
    unit: "ms",
    flags: TRACE,
    consoleOrder: 2080,
    value: (record) => ms(overheadNs(record) + exchangeNs(record)),
  },
  {
    tag: "http_req_data_sent",
    header: "HTTP Data Sent",
    unit: "KB",
    flags: TRACE,
    consoleOrder: 2090,
    value: ({ bytesSent }) => kb(bytesSent),
  },
  {
    tag: "http_req_data_received",
    header: "HTTP Data Received",
    unit: "KB",
    flags: TRACE,
    consoleOrder: 2100,
    value: ({ bytesReceived }) => kb(bytesReceived),
  },
  {
    tag: "http_req_chunks_sent",
    header: "HTTP Chunks Sent",
    unit: "count",
    flags: TRACE,
    value: ({ writes }) => writes,
  },
  {
    tag: "http_req_chunks_received",
    header: "HTTP Chunks Received",
    unit: "count",
    flags: TRACE,
    value: ({ reads }) => reads,
  },
  {
    tag: "http_req_connection_reused",
    header: "HTTP Connection Reused",
    unit: "ratio",
    flags: TRACE,
    consoleOrder: 2110,
    value: ({ reused }) => reused,
  },
  {
    tag: "send_slip",
    header: "Send Slip",
    unit: "ms",
    flags: ["NO_CONSOLE"],
    isKnownEarly: true,
    value: (record) => ms(record.startNs - limitedNs(record) - record.claimedNs),
  },
  {
    tag: "credit_to_start_latency",
    header: "Credit-to-Start Latency",
    unit: "ms",
    flags: ["NO_CONSOLE"],
    isKnownEarly: true,
    value: (record) => ms(record.startNs - record.intendedNs),
  },
  {
    tag: "queue_wait",
    header: "Queue Wait",
    unit: "ms",
    flags: [...ARRIVAL, "NO_CONSOLE"],
    isKnownEarly: true,
    value: (record) => ms(queueWaitNs(record)),
  },
  {
    tag: "effective_time_to_first_token",
    header: "Time to First Token (from intended start)",
    unit: "ms",
    flags: [...STREAMING_TOKENS, ...ARRIVAL],
    consoleOrder: 110,
    isKnownEarly: true,
    value: (record) => ms(record.startNs + firstTokenNs(record) - record.intendedNs),
  },
  {
    tag: "effective_latency",
    header: "Request Latency (from intended start)",
    unit: "ms",
    flags: ARRIVAL,
    consoleOrder: 310,
    value: (record) => ms(record.startNs + latencyNs(record) - record.intendedNs),
  },
]);

/** The tag of a metric that each request has a value of. */
export type RecordMetricTag = typeof RECORD_METRICS[number]["tag"];

/** Tokens of one part of the bodies with tools, calls of them, results or reasoning. */
function inputPart<Part extends string>(
  part: Part,
  name: string,
  value: (record: RequestRecord) => number,
): RecordMetric<`input_tokens_${Part}`> {
  return {
    tag: `input_tokens_${part}`,
    header: `Input Tokens: ${name}`,
    unit: "tokens",
    flags: ["TOKENIZES_INPUT_ONLY", "NO_CONSOLE"],
    isKnownEarly: true,
    value,
  };
}

/** Tokens that are in no part: separators and the markup of the chat template. */
function templateTokens(record: RequestRecord): number {
  return INPUT_PART_FIELDS.reduce((rest, field) => rest - record[field], record.inputTokens);
}

/** Keeps the tags of metrics as types. */
function catalog<Tag extends string>(
  metrics: readonly RecordMetric<Tag>[],
): readonly RecordMetric<Tag>[] {
  return metrics;
}

/** The times between consecutive content chunks: a list for each request, pooled in reports. */
export const INTER_CHUNK_LATENCY: Metric<"inter_chunk_latency"> = {
  tag: "inter_chunk_latency",
  header: "Inter Chunk Latency",
  shortTag: "icl",
  unit: "ms",
  flags: [...STREAMING_TOKENS, "NO_CONSOLE"],
};

/** The input length of failed requests. */
export const ERROR_ISL: RecordMetric<"error_isl"> = {
  tag: "error_isl",
  header: "Error Input Sequence Length",
  unit: "tokens",
  flags: ["ERROR_ONLY", "TOKENIZES_INPUT_ONLY", "NO_CONSOLE"],
  value: ({ inputTokens }) => inputTokens,
};
