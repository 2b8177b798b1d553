import { ReplyReader } from "../../client/endpoint/protocol/reply_reader.ts";
import type { EndpointType } from "../../client/endpoint/protocol/endpoint_type.ts";
import type { ReplyContent } from "../../client/endpoint/protocol/reply_content.ts";
import type { NextRequest } from "../../client/endpoint/protocol/reply_protocol.ts";
import type { ResponseHead } from "../../client/http/response_head.ts";
import {
  type ConnectFault,
  emptyTrace,
  type Exchange,
  type OutgoingRequest,
  type ReplySink,
  type TraceMarks,
  type Transport,
  type TransportErrorKind,
} from "../../client/http/transport.ts";
import { ERROR_KINDS, type ErrorKind } from "../../client/record/error_kind.ts";
import type { RecordBlockBuilder } from "../../client/record/record_block.ts";
import { FIELD, FIELD_COUNT } from "../../client/record/request_fields.ts";
import type { Timers } from "../../core/thread/timers.ts";
import { JobCourse } from "./job_course.ts";
import { RawBody } from "./raw_body.ts";
import type { LimitedRequest } from "./rate_limit_waits.ts";
import { type RequestEnd, withPath } from "./request_end.ts";
import { clearWaits, fillRow, fillWaits, type SlotRequest } from "./request_row.ts";

/** The status of requests that come too often. */
const NOT_FOUND = 404;
const TOO_MANY_REQUESTS = 429;
/** Length of a finish reason that is kept; a server may send megabytes. */
const MAX_REASON_LENGTH = 200;

/** Functions and settings that a slot needs from its worker. */
export interface SlotContext {
  readonly endpointType: EndpointType;
  readonly transport: Transport;
  readonly records: RecordBlockBuilder;
  readonly keepRaw: boolean;
  /** @param body pieces of the request's body, whose own keys are taken out as well */
  readonly redact: (text: string, body?: readonly Uint8Array[]) => string;
  readonly nowNs: () => number;
  readonly timers: Pick<Timers, "once">;
  /** Whether another component waits for the first content chunks of requests. @default false */
  isBeginningAwaited?(): boolean;
  /** Called when a request is written, at the latest when it has ended. */
  onSent(slot: RequestSlot): void;
  /**
   * Called when the first content chunk of a request has arrived, and when the second one has.
   * @param told content chunks that had arrived by the last call
   */
  onBeginning?(slot: RequestSlot, told: number): void;
  /**
   * Called when a request received HTTP 429.
   * @returns whether it waits for {@linkcode RequestSlot.again}; false to fail it
   */
  onLimited?(slot: RequestSlot, limited: LimitedRequest): boolean;
  /** Called when a request has ended and its record is written. */
  onEnded(slot: RequestSlot, end: RequestEnd): void;
}

/** Carries one request at a time from its start to its record, and is then used again. */
export class RequestSlot implements ReplySink {
  readonly #context: SlotContext;
  readonly #reader: ReplyReader;
  readonly #row = new Float64Array(FIELD_COUNT);
  #exchange: Exchange | undefined;
  #request: SlotRequest | undefined;
  #raw: RawBody | undefined;
  #toldChunks = 0;
  #outgoing: OutgoingRequest | undefined;
  /** Exchange that received HTTP 429, and its message, while the request waits. */
  #limited: { readonly exchange: Exchange; readonly message: string } | undefined;
  #limitedCount = 0;
  /** The job that was submitted; undefined for requests of one exchange. */
  #job: JobCourse | undefined;
  /** The exchange before, while the next look at the job is waited for. */
  #pending: { readonly exchange: Exchange; readonly callOff: () => void } | undefined;
  /** First start of a request that was resent. */
  #firstStartNs = NaN;
  /** When a wait for the end of a body was given up. */
  #settledNs = -Infinity;
  #retryAfter: string | undefined;
  #finishReason = "";
  #redactedReason = "";

  constructor(context: SlotContext) {
    this.#context = context;
    this.#reader = new ReplyReader(context.endpointType);
  }

  /** Start of the request in flight; NaN if there is none. */
  get startedNs(): number {
    return this.#job?.startNs ?? this.#exchange?.trace.startNs ?? NaN;
  }

  /** First start of the request in flight, even if it was resent; NaN if there is none. */
  get firstStartedNs(): number {
    return Number.isNaN(this.#firstStartNs) ? this.startedNs : this.#firstStartNs;
  }

  /** Start of the request in flight, or of the last one. */
  get startNs(): number {
    return this.#job?.startNs ?? this.#exchange?.trace.startNs ??
      (this.#row[FIELD.startNs] as number);
  }

  /** When bytes of its reply came last, or it was sent; NaN while nothing more is expected. */
  get #heardNs(): number {
    if (this.#exchange === undefined || this.#reader.isSettled) return NaN;
    const { lastReadNs, sendStartNs, startNs } = this.#exchange.trace;
    return [lastReadNs, sendStartNs, startNs].find((ns) => !Number.isNaN(ns)) ?? NaN;
  }

  /** Run-wide number of the request in flight, or of the last one. */
  get requestNumber(): number {
    return this.#request?.index ?? NaN;
  }

  /** Content chunks of the request in flight, or of the last one. */
  get chunkCount(): number {
    return this.#reader.content.chunkCount;
  }

  /** Content of the reply in flight, or of the last one. */
  get content(): ReplyContent {
    return this.#reader.content;
  }

  /** Whether its first content chunk is awaited and has not arrived. */
  get isAwaited(): boolean {
    return this.#toldChunks === 0 && this.#context.isBeginningAwaited?.() === true;
  }

  /** Lateness of the last request: see the field `lateNs` of records. */
  get lateNs(): number {
    return this.#row[FIELD.lateNs] as number;
  }

  /** When it was known that the last request had ended. */
  get endNs(): number {
    return Math.max(this.#row[FIELD.endNs] as number, this.#settledNs);
  }

  /**
   * Returns the time from the start of the request in flight, or of the last one, to a content
   * chunk; NaN for none.
   */
  chunkAfterNs(index: number): number {
    if (index < 0 || index >= this.chunkCount) return NaN;
    return (this.#reader.content.chunkNs[index] as number) - this.startNs;
  }

  /** Starts a request. The slot must be free. */
  start(request: SlotRequest, outgoing: OutgoingRequest): void {
    this.#request = request;
    this.#reader.askedChoices = request.choices ?? 1;
    this.#limited = undefined;
    this.#limitedCount = 0;
    this.#firstStartNs = NaN;
    this.#send(outgoing);
  }

  /** Resends a request that received HTTP 429. */
  again(): void {
    if (this.#limited === undefined || this.#outgoing === undefined) return;
    this.#limited = undefined;
    this.#limitedCount++;
    this.#send(this.#outgoing);
  }

  /** Fails a request that waits to be resent, with the reply that it received. */
  giveUp(): void {
    if (this.#limited !== undefined) this.fail("http_status", this.#limited.message);
  }

  /** Ends the request in flight as failed. */
  fail(kind: ErrorKind, message: string): void {
    const exchange = this.#exchange;
    if (exchange === undefined) {
      const waiting = this.#limited ?? this.#pending;
      if (waiting === undefined) return;
      this.#pending?.callOff();
      this.#exchange = waiting.exchange;
      this.#limited = undefined;
      this.#pending = undefined;
    } else {
      this.#context.transport.abort(exchange);
      if (this.#exchange !== exchange) {
        // What was read of its reply has ended it, or has it wait; another one may have begun.
        if (this.#exchange === undefined) this.fail(kind, message);
        return;
      }
    }
    (this.#exchange as Exchange).trace.endNs = this.#context.nowNs();
    this.#finish(kind, message);
  }

  /** Ends a request whose reply is settled, unless more of it came after this time. */
  endSettled(sinceNs: number): void {
    const exchange = this.#exchange;
    if (exchange === undefined || !this.#reader.isSettled) return;
    const { trace } = exchange;
    if (!(trace.lastBodyNs < sinceNs)) return;
    this.#context.transport.abort(exchange);
    // What was read of its reply may have ended it.
    if (this.#exchange !== exchange) return;
    trace.endNs = trace.lastBodyNs;
    this.#settledNs = this.#context.nowNs();
    this.#judge(false, trace.endNs);
  }

  /** Fails a request whose reply has brought no byte since a time. */
  failStalled(sinceNs: number, message: string): void {
    if (this.#heardNs <= sinceNs) this.fail("timeout", message);
  }

  #send(outgoing: OutgoingRequest): void {
    this.#outgoing = outgoing;
    this.#reader.reset();
    this.#toldChunks = 0;
    this.#settledNs = -Infinity;
    this.#retryAfter = undefined;
    clearWaits(this.#row);
    this.#raw = this.#context.keepRaw ? new RawBody() : undefined;
    const exchange = { request: outgoing, trace: emptyTrace(), sink: this };
    this.#exchange = exchange;
    this.#context.transport.send(exchange);
  }

  onSent(): void {
    if (this.#job === undefined) this.#context.onSent(this);
  }

  onHead(head: ResponseHead): void {
    if (this.#exchange === undefined) return;
    this.#reader.begin(head.status, head.reason, head.headers);
    if (head.status === TOO_MANY_REQUESTS) {
      this.#retryAfter = head.headers.find(([name]) => name.toLowerCase() === "retry-after")?.[1];
    }
    this.#raw?.begin(head);
  }

  onBody(bytes: Uint8Array, start: number, end: number, stampNs: number): void {
    if (this.#exchange === undefined) return;
    this.#raw?.add(bytes, start, end, stampNs);
    const chunks = this.chunkCount;
    const goesOn = this.#reader.push(bytes, start, end, stampNs);
    fillWaits(this.#row, this.#exchange?.trace, chunks, this.chunkCount, stampNs);
    if (this.#toldChunks < 2 && this.chunkCount > this.#toldChunks) {
      const told = this.#toldChunks;
      this.#toldChunks = this.chunkCount;
      this.#context.onBeginning?.(this, told);
    }
    if (goesOn) return;
    // Enough is known of this reply; the rest of it, which may have no end, is not waited for.
    this.#context.transport.abort(this.#exchange);
    this.#exchange.trace.endNs = stampNs;
    this.#judge(false, stampNs);
  }

  onEnd(stampNs: number): void {
    if (this.#exchange !== undefined) this.#judge(true, stampNs);
  }

  onFailure(
    kind: TransportErrorKind,
    message: string,
    stampNs: number,
    fault?: ConnectFault,
  ): void {
    if (this.#exchange === undefined) return;
    if (kind === "truncated" && this.#reader.status !== 0) {
      // What came may still be complete ([DONE] was seen) or give a better reason.
      const error = this.#reader.end(false, stampNs);
      if (error?.kind === "http_status" && this.#waits(error.message)) return;
      if (error === undefined || error.kind !== "truncated") {
        this.#finish(error?.kind, error?.message ?? "");
        return;
      }
    }
    this.#finish(kind, message, fault);
  }

  #judge(complete: boolean, stampNs: number): void {
    const chunks = this.chunkCount;
    const error = this.#reader.end(complete, stampNs);
    fillWaits(this.#row, this.#exchange?.trace, chunks, this.chunkCount, stampNs);
    if (error?.kind === "http_status" && this.#waits(error.message)) return;
    const next = error === undefined ? this.#reader.next : undefined;
    if (next === undefined) this.#finish(error?.kind, error?.message ?? "");
    else this.#follow(next);
  }

  /** Polls a job that continues, after a pause. */
  #follow(next: NextRequest): void {
    const exchange = this.#exchange as Exchange;
    this.#job ??= new JobCourse(exchange.request, exchange.trace);
    this.#job.add(exchange.trace);
    const outgoing = this.#job.outgoing(next);
    this.#exchange = undefined;
    const callOff = this.#context.timers.once(next.afterMs, () => {
      this.#pending = undefined;
      this.#send(outgoing);
    });
    this.#pending = { exchange, callOff };
  }

  /** Returns whether the request will be resent later instead of ending now. */
  #waits(message: string): boolean {
    const exchange = this.#exchange as Exchange;
    if (this.#reader.status !== TOO_MANY_REQUESTS) return false;
    // The job's start, where it is a look at it that was refused.
    if (Number.isNaN(this.#firstStartNs)) this.#firstStartNs = this.startedNs;
    const underWayNs = this.#context.nowNs() - this.#firstStartNs;
    // Nothing of this exchange is heard any more, whatever becomes of the request.
    this.#exchange = undefined;
    this.#limited = { exchange, message };
    const waits = this.#context.onLimited?.(this, { underWayNs, retryAfter: this.#retryAfter });
    if (waits === true) return true;
    this.#exchange = exchange;
    this.#limited = undefined;
    return false;
  }

  #finish(kind: ErrorKind | undefined, message: string, fault?: ConnectFault): void {
    const request = this.#request as SlotRequest;
    const exchange = this.#exchange as Exchange;
    const { content } = this.#reader;
    const { finishReason } = content;
    const { text, reasoning, toolText, choiceLengths, toolCalls } = content.texts;
    const told = kind === undefined ? undefined : this.#context.redact(
      kind === "http_status" && this.#reader.status === NOT_FOUND
        ? withPath(message, exchange.request.path)
        : message,
      exchange.request.body,
    );
    const trace = this.#job?.whole(exchange.trace) ?? exchange.trace;
    this.#exchange = undefined;
    this.#job = undefined;
    fillRow(this.#row, request, trace, this.#reader);
    this.#noteEnd(trace, kind);
    if (request.isPriming !== true) {
      this.#context.records.add(this.#row, content.chunkNs, {
        requestId: request.requestId,
        correlationId: request.correlationId === request.requestId
          ? undefined
          : request.correlationId,
        finishReason: finishReason === null ? null : this.#redacted(finishReason),
        error: told,
        text,
        reasoning,
        toolText,
        choiceLengths,
        toolCalls,
        rawReply: this.#raw?.taken(request.turn > 0 ? exchange.request.body : undefined),
      });
    }
    this.#context.onSent(this);
    this.#context.onEnded(this, {
      ...{ kind, fault, status: this.#reader.status, message: told ?? "" },
    });
  }

  /** A finish reason without secrets; it is mostly that of the request before. */
  #redacted(finishReason: string): string {
    if (finishReason !== this.#finishReason) {
      this.#finishReason = finishReason;
      // Redacted first: half of a key is not recognized.
      this.#redactedReason = this.#context.redact(finishReason.slice(0, 2 * MAX_REASON_LENGTH))
        .slice(0, MAX_REASON_LENGTH);
    }
    return this.#redactedReason;
  }

  /** Records the outcome of the request, and how long it waited to be resent. */
  #noteEnd(trace: TraceMarks, kind: ErrorKind | undefined): void {
    const row = this.#row;
    row[FIELD.errorKind] = kind === undefined ? -1 : ERROR_KINDS.indexOf(kind);
    row[FIELD.limitedCount] = this.#limitedCount;
    row[FIELD.limitedNs] = this.#limitedCount > 0 ? trace.startNs - this.#firstStartNs : 0;
    const firstNs = trace.startNs - (row[FIELD.limitedNs] as number);
    row[FIELD.lateNs] = firstNs - (this.#request?.punctualNs ?? NaN);
  }
}
