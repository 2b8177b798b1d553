/**
 * A request as a trace: one span from its start to its end by OpenTelemetry's conventions for
 * generative AI, and below it one for each of its phases: connect, send, wait, receive.
 */

import { receivingNs, sendingNs, waitingNs } from "../../measurement/metrics/record_metrics.ts";
import {
  firstTokenNs,
  isValid,
  type RequestRecord,
} from "../../measurement/metrics/request_record.ts";
import { fnv1a } from "../../core/statistics/fnv1a.ts";
import { mixedBits } from "../../core/statistics/mixed_bits.ts";
import { inputTokens, outputTokens } from "./request_meter.ts";
import type { OtlpContext } from "./otlp_context.ts";
import { attributeList, type Attributes, type OtlpObject } from "./otlp_message.ts";

/** Kinds of spans, and states, as OTLP numbers them. */
const INTERNAL = 1;
const CLIENT = 3;
const ERROR = 2;

const UUID = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;
/** Digits of a trace's ID whose value decides whether it is a sample: those that a double can hold. */
const SAMPLE_DIGITS = 13;

/** What is known of a request besides its numbers. */
export interface SpanSource {
  readonly requestId: string;
  readonly finishReason: string | null;
  /** Why it failed, undefined if it did not. */
  readonly error: string | undefined;
}

/**
 * The ID of a request's trace: the digits of the request's own ID, which the server got as
 * `X-Request-ID`. A request that got none, or another kind of one, has an ID made of what tells it
 * apart.
 */
export function traceId(requestId: string, record: RequestRecord, benchmarkId: string): string {
  if (UUID.test(requestId)) return requestId.replaceAll("-", "").toLowerCase();
  const name = requestId || `${record.phase}/${record.index}`;
  return [0, 1, 2, 3].map((part) => hash(`${benchmarkId}/${name}/${part}`)).join("");
}

/** Whether a trace is one of the share that is sent: the same ones whoever asks. */
export function isSampled(trace: string, ratio: number): boolean {
  return parseInt(trace.slice(-SAMPLE_DIGITS), 16) < ratio * 16 ** SAMPLE_DIGITS;
}

/** The spans of a request; none of one that never started. */
export function requestSpans(
  context: OtlpContext,
  record: RequestRecord,
  source: SpanSource,
  trace: string,
): OtlpObject[] {
  const { startNs, endNs } = record;
  if (Number.isNaN(startNs) || Number.isNaN(endNs)) return [];
  const root = spanId(trace, 0);
  const common = context.attributesOf(record);
  const lastNs = Math.max(
    startNs,
    Number.isNaN(record.lastEventNs) ? endNs : Math.max(record.lastEventNs, record.endNs),
  );
  const firstNs = startNs + firstTokenNs(record);
  return [
    {
      "traceId": trace,
      "spanId": root,
      "name": `${context.operation} ${context.modelOf(record)}`.trim(),
      "kind": CLIENT,
      "startTimeUnixNano": context.epoch(startNs),
      "endTimeUnixNano": context.epoch(lastNs),
      "attributes": attributeList({ ...common, ...requestAttributes(record, source) }),
      ...Number.isNaN(firstNs) ? {} : {
        "events": [{ "timeUnixNano": context.epoch(firstNs), "name": "first token" }],
      },
      ...isValid(record)
        ? {}
        : { "status": { "code": ERROR, "message": source.error?.toWellFormed() ?? "" } },
    },
    ...phasesOf(record).map(([name, from, to, attributes], index) => ({
      "traceId": trace,
      "spanId": spanId(trace, index + 1),
      "parentSpanId": root,
      "name": name,
      "kind": INTERNAL,
      "startTimeUnixNano": context.epoch(from),
      "endTimeUnixNano": context.epoch(Math.max(from, to)),
      "attributes": attributeList(attributes),
    })),
  ];
}

function requestAttributes(record: RequestRecord, source: SpanSource): Attributes {
  const { requestId, finishReason } = source;
  const first = firstTokenNs(record);
  return {
    "gen_ai.request.max_tokens": known(record.requestedTokens),
    "gen_ai.usage.input_tokens": known(inputTokens(record)),
    "gen_ai.usage.output_tokens": known(outputTokens(record)),
    "gen_ai.response.finish_reasons": finishReason === null ? undefined : [finishReason],
    "gen_ai.response.time_to_first_chunk": known(first / 1e9),
    "http.request.method": "POST",
    "http.response.status_code": record.status > 0 ? record.status : undefined,
    "http.request.resend_count": record.retried > 0 ? record.retried : undefined,
    "inferometer.request.id": requestId || undefined,
    "inferometer.request.number": record.index,
    "inferometer.phase": record.phase === 0 ? "warmup" : "profiling",
    "inferometer.worker": record.worker,
    "inferometer.intended_start_delay": known((record.startNs - record.intendedNs) / 1e9),
    "inferometer.content_chunks": known(record.chunkCount),
  };
}

type Phase = readonly [name: string, fromNs: number, toNs: number, attributes: Attributes];

/** The phases of a request that are known, one after another. */
function phasesOf(record: RequestRecord): Phase[] {
  const { startNs, blockedNs, dnsNs, connectingNs, tlsNs, sendStartNs, firstBodyNs } = record;
  const connectFrom = startNs + (blockedNs || 0);
  const connectTo = connectFrom + (dnsNs || 0) + (connectingNs || 0);
  // Nothing came: it was waited for until the end.
  const isSilent = Number.isNaN(record.headNs) && Number.isNaN(firstBodyNs);
  const sent = isSilent ? record.sendEndNs : sendStartNs + sendingNs(record);
  const answered = isSilent ? record.endNs : sent + waitingNs(record);
  const phases: Phase[] = [
    // One that was opened ahead took longer than the request had until it was sent.
    ...connectingNs > 0 && connectTo <= sendStartNs
      ? [
        ["connect", connectFrom, connectTo, {
          "inferometer.dns_lookup": known(dnsNs / 1e9),
          "inferometer.tls_handshake": tlsNs > 0 ? tlsNs / 1e9 : undefined,
        }] as const,
      ]
      : [],
    ["send", sendStartNs, sent, { "http.request.size": known(record.bytesSent) }],
    ["wait", sent, answered, {}],
    ...Number.isNaN(firstBodyNs) ? [] : [
      ["receive", firstBodyNs, firstBodyNs + receivingNs(record), {
        "http.response.size": known(record.bytesReceived),
      }] as const,
    ],
  ];
  return phases.filter(([, from, to]) => !Number.isNaN(from) && !Number.isNaN(to));
}

function known(value: number): number | undefined {
  return Number.isFinite(value) ? value : undefined;
}

/** IDs of the spans of a trace: the trace's last digits, counted on; never all zero. */
function spanId(trace: string, index: number): string {
  const high = trace.slice(16, 30);
  const low = (parseInt(trace.slice(30), 16) ^ index).toString(16).padStart(2, "0");
  return /[1-9a-f]/.test(high) ? high + low : `${high.slice(0, -1)}1${low}`;
}

/** FNV-1a of 32 bits with its bits mixed, in hexadecimal. */
function hash(text: string): string {
  const state = mixedBits(fnv1a(new TextEncoder().encode(text)));
  return (state >>> 0).toString(16).padStart(8, "0");
}
