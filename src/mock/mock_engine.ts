/**
 * Replies are encoded when their requests arrive; what is left is to write ranges of bytes at
 * times that were fixed beforehand, so that no delay adds to the next one.
 */

import { JSON_BODY } from "../client/endpoint/protocol/body_format.ts";
import type {
  ReplyWriter,
  ScriptedReply,
  StreamWriter,
} from "../client/endpoint/protocol/reply_writer.ts";
import { writeAll } from "../core/files/write_all.ts";
import { randomStream } from "../core/statistics/random_stream.ts";
import type { TokenCoder } from "../load/dataset/tokenizers/tokenizer.ts";
import type { AlarmClock } from "./alarm_clock.ts";
import type { EndpointRoute } from "./endpoint_routes.ts";
import { BlockCache } from "./block_cache.ts";
import { AnswerBreaker } from "./answer_breaker.ts";
import { JobBoard } from "./job_board.ts";
import type { MockConnection } from "./mock_connection.ts";
import { MockGpus } from "./mock_gpus.ts";
import { MockMetrics } from "./mock_metrics.ts";
import type { CorruptionKind, FaultKind, MockOptions } from "./mock_options.ts";
import { errorReply, wholeBytes } from "./mock_replies.ts";
import { MockTruth, type ServedRequest } from "./mock_truth.ts";
import { PrefixCache } from "./prefix_cache.ts";
import { streamFrames } from "./reply_frames.ts";
import { problemOf, scriptReply } from "./reply_script.ts";
import type { MockRequest } from "./request_reader.ts";
import { SlotQueue } from "./slot_queue.ts";
import { StreamedReply } from "./streamed_reply.ts";

/** A request for an answer. */
export interface Generation {
  readonly connection: MockConnection;
  readonly request: MockRequest;
  readonly route: EndpointRoute;
  /** When it was complete, on `performance.now()`. */
  readonly receivedMs: number;
  /** Number of the request among all such requests, from 0. */
  readonly number: number;
  readonly fault: FaultKind | undefined;
  /** See {@linkcode ServedRequest}. */
  inputDigest?: string | undefined;
  corruption?: CorruptionKind | undefined;
}

/** Data that was sent in reply to a request. */
type Served = Pick<
  ServedRequest,
  "startedAfterMs" | "sentAfterMs" | "promptTokens" | "cachedTokens" | "outputTokens"
>;

/**
 * Answers requests at the times and with the faults that the options specify, and counts its
 * actions.
 */
export class MockEngine {
  readonly metrics: MockMetrics;
  readonly truth: MockTruth;
  readonly gpus: MockGpus;
  readonly prefixes: PrefixCache | undefined;
  readonly jobs = new JobBoard();
  readonly #options: MockOptions;
  readonly #tokenizer: TokenCoder;
  readonly #clock: Pick<AlarmClock, "at">;
  readonly #slots: SlotQueue;
  readonly #breaker: AnswerBreaker;

  /** @param clock rings at the times of writes */
  constructor(options: MockOptions, tokenizer: TokenCoder, clock: Pick<AlarmClock, "at">) {
    this.#clock = clock;
    this.#options = options;
    this.#breaker = new AnswerBreaker(options);
    this.#tokenizer = tokenizer;
    this.metrics = new MockMetrics(options.model, options.draftTokens);
    this.gpus = new MockGpus(options.gpus);
    this.truth = new MockTruth(options.truth);
    this.prefixes = options.prefixCache
      ? new PrefixCache(
        options.blockSize > 0
          ? new BlockCache(options.blockSize, options.cacheBlocks ?? Infinity)
          : undefined,
      )
      : undefined;
    this.#slots = new SlotQueue(options.slots, (waiting) => {
      this.metrics.waiting = waiting;
    });
  }

  /** Answers a request; false if its connection is to be closed. */
  async answer(generation: Generation): Promise<boolean> {
    const { connection, route, number, fault } = generation;
    const { type } = route;
    this.truth.received();
    const { body } = generation.request;
    // Where an API takes forms, some clients send the same fields as JSON.
    const fields = type.body.decode(body) ??
      (type.body.isJson ? undefined : JSON_BODY.decode(body));
    const problem = fields === undefined
      ? `The body is not ${type.body.description}`
      : problemOf(type, fields);
    if (fields === undefined || problem !== undefined) {
      await writeAll(connection, errorReply("400 Bad Request", problem ?? ""));
      return true;
    }
    if (fault === "429" || fault === "500") {
      const status = fault === "429" ? "429 Too Many Requests" : "500 Internal Server Error";
      const { retryAfter } = this.#options;
      const headers = fault === "429" && retryAfter !== undefined
        ? [`Retry-After: ${retryAfter}`]
        : [];
      await writeAll(connection, errorReply(status, `Injected fault ${fault}`, headers));
      const nothing = { startedAfterMs: 0, sentAfterMs: [], promptTokens: 0, outputTokens: 0 };
      this.#endTruth(generation, nothing, fault);
      return true;
    }
    const { reply, streaming, texts, hasForm, inputDigest } = scriptReply(
      route,
      fields,
      number,
      this.#options,
      this.#tokenizer,
      this.prefixes,
    );
    generation.inputDigest = inputDigest;
    if (type.writer.job !== undefined) return await this.#submit(generation, reply, type.writer);
    await this.#slots.enter();
    this.metrics.begin(reply.promptTokens);
    this.gpus.setRunning(this.metrics.running);
    if (reply.drafts !== undefined) this.metrics.verified(reply.drafts);
    try {
      const { stream } = type.writer;
      const asked = { number, texts, hasForm, running: this.metrics.running };
      const { reply: sent, kind } = this.#breaker.replyTo(asked, reply);
      generation.corruption = kind;
      return streaming && stream !== undefined
        ? await this.#stream(generation, sent, stream)
        : await this.#whole(generation, sent);
    } finally {
      this.#slots.leave();
    }
  }

  async #stream(
    generation: Generation,
    reply: ScriptedReply,
    writer: StreamWriter,
  ): Promise<boolean> {
    const { connection, receivedMs, number, fault } = generation;
    const frames = streamFrames(writer, reply);
    /** When the last chunk of each choice was written. */
    const lastMs: number[] = [];
    const startMs = performance.now();
    const streamed = new StreamedReply(connection, frames, {
      clock: this.#clock,
      startMs,
      delaysMs: this.#delays(number, frames.chunkChoices, reply),
      fault,
      writer,
      onChunk: (index, sentMs, lateMs) => {
        this.truth.sent(lateMs);
        const tokens = frames.chunkTokens[index] as number;
        const choice = frames.chunkChoices[index] as number;
        const last = lastMs[choice];
        if (last !== undefined) this.metrics.nextTokens((sentMs - last) / 1000, tokens);
        else if (choice > 0) this.metrics.otherTokens(tokens);
        else this.metrics.firstTokens((sentMs - receivedMs) / 1000, tokens);
        lastMs[choice] = sentMs;
      },
    });
    let outcome = fault ?? "aborted";
    try {
      const orderly = await streamed.send();
      if (fault === undefined) outcome = reply.finishReason;
      return orderly;
    } finally {
      const sentAfterMs = streamed.sentMs.map((sent) => sent - receivedMs);
      const outputTokens = frames.chunkTokens.slice(0, sentAfterMs.length)
        .reduce((sum, tokens) => sum + tokens, 0);
      const { promptTokens, cachedTokens } = reply;
      const startedAfterMs = startMs - receivedMs;
      const tokens = { promptTokens, cachedTokens, outputTokens };
      this.#end(generation, { startedAfterMs, sentAfterMs, ...tokens }, outcome);
    }
  }

  async #whole(generation: Generation, reply: ScriptedReply): Promise<boolean> {
    const { connection, route, receivedMs, number, fault } = generation;
    const startMs = performance.now();
    // A reply without tokens takes the time of a first one.
    const chunks = reply.pieces.length === 0 ? [0] : reply.pieces.map(({ choice = 0 }) => choice);
    const delays = this.#delays(number, chunks, reply);
    const dueMs = startMs + delays.reduce((sum, delay) => sum + delay, 0);
    // Not when it is to be written: of a large reply that takes milliseconds.
    const bytes = wholeBytes(route.type.writer.whole(reply), fault);
    await new Promise<void>((resolve) => {
      if (dueMs === startMs) resolve();
      else this.#clock.at(dueMs, resolve);
    });
    const { promptTokens, cachedTokens } = reply;
    const outputTokens = reply.pieces.reduce((sum, { tokens }) => sum + tokens, 0);
    const sentMs = performance.now();
    this.truth.sent(sentMs - dueMs);
    this.metrics.firstTokens((sentMs - receivedMs) / 1000, outputTokens);
    let outcome = fault ?? "aborted";
    try {
      await writeAll(connection, bytes);
      if (fault === "stall") await connection.read(new Uint8Array(1)).catch(() => null);
      if (fault === undefined) outcome = reply.finishReason;
      return fault === undefined || fault === "in-band" || fault === "malformed";
    } finally {
      const sentAfterMs = [sentMs - receivedMs];
      const startedAfterMs = startMs - receivedMs;
      const tokens = { promptTokens, cachedTokens, outputTokens };
      this.#end(generation, { startedAfterMs, sentAfterMs, ...tokens }, outcome);
    }
  }

  /** Takes a job in, and works on it when there is room, for the time of a first token. */
  async #submit(
    generation: Generation,
    reply: ScriptedReply,
    writer: ReplyWriter,
  ): Promise<boolean> {
    const { connection, receivedMs, number, fault, request } = generation;
    const setState = this.jobs.open(request.path.split("?")[0] as string, reply, writer);
    const work = async () => {
      await this.#slots.enter();
      setState("in_progress");
      this.metrics.begin(reply.promptTokens);
      const startMs = performance.now();
      const [delayMs = 0] = this.#delays(number, [0], reply);
      await new Promise<void>((resolve) => this.#clock.at(startMs + delayMs, resolve));
      const doneMs = performance.now();
      setState(fault === undefined ? "completed" : "failed");
      this.#slots.leave();
      this.truth.sent(doneMs - startMs - delayMs);
      this.metrics.firstTokens((doneMs - receivedMs) / 1000, 0);
      this.#end(generation, {
        startedAfterMs: startMs - receivedMs,
        sentAfterMs: [doneMs - receivedMs],
        promptTokens: reply.promptTokens,
        outputTokens: 0,
      }, fault ?? reply.finishReason);
    };
    work();
    const pending = writer.job?.pending(reply, true) ?? writer.whole(reply);
    // A job that fails says so when it is asked for.
    const ownFault = fault === "in-band" ? undefined : fault;
    await writeAll(connection, wholeBytes(pending, ownFault));
    if (fault === "stall") await connection.read(new Uint8Array(1)).catch(() => null);
    return ownFault === undefined || ownFault === "malformed";
  }

  /** Reports the outcome of an admitted request to metrics and truth. */
  #end(generation: Generation, served: Served, outcome: string): void {
    this.metrics.end(
      isSuccess(outcome) ? outcome : "abort",
      (performance.now() - generation.receivedMs) / 1000,
      served.promptTokens,
      served.outputTokens,
    );
    this.gpus.setRunning(this.metrics.running);
    this.#endTruth(generation, served, outcome);
  }

  /**
   * Returns the milliseconds before each chunk: first prefill and TTFT, then the gaps. Choices advance
   * in lockstep.
   * @param choices of the chunks
   */
  #delays(
    number: number,
    choices: readonly number[],
    { promptTokens, cachedTokens = 0 }: ScriptedReply,
  ): number[] {
    const random = randomStream(this.#options.seed, "mock.delays", number);
    const { ttft, itl, prefillTimePerToken } = this.#options;
    const prefillMs = (promptTokens - cachedTokens) * prefillTimePerToken;
    return choices.map((choice, index) =>
      choice > 0 ? 0 : index === 0 ? ttft(random) + prefillMs : itl(random)
    );
  }

  #endTruth(
    { request, receivedMs, inputDigest, corruption }: Generation,
    served: Served,
    outcome: string,
  ): void {
    const session = request.headers.get("x-correlation-id");
    this.truth.ended({
      requestId: request.headers.get("x-request-id") ?? "",
      ...(session === undefined ? {} : { session }),
      endedAfterMs: performance.now() - receivedMs,
      ...(inputDigest === undefined ? {} : { inputDigest }),
      ...(corruption === undefined ? {} : { corruption }),
      receivedMs: performance.timeOrigin + receivedMs,
      ...served,
      outcome,
    }, isSuccess(outcome));
  }
}

function isSuccess(outcome: string): boolean {
  return outcome === "stop" || outcome === "length" || outcome === "tool_calls";
}
