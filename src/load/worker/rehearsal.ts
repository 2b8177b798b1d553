/**
 * Runs artificial requests through the code that sends real ones.
 *
 * A runtime with a just-in-time compiler sends and reads its first hundred requests ten times
 * slower than all later ones. Without a rehearsal this cost is included in the first TTFTs of every
 * run: 3 to 30 ms, increasing with the number of streams that begin at once; and at a high arrival
 * rate in the first send slips.
 */

import type { EndpointType } from "../../client/endpoint/protocol/endpoint_type.ts";
import type { ReplyPiece, ScriptedReply } from "../../client/endpoint/protocol/reply_writer.ts";
import type { ByteStream } from "../../client/http/open_connection.ts";
import { chunkText, LAST_CHUNK, streamHead, wholeReply } from "../../client/http/reply_text.ts";
import { SocketTransport } from "../../client/http/socket_transport.ts";
import type { PhasePlan, RunPlan } from "../../config/plan/run_plan.ts";
import { collectYoungGarbage } from "../../core/thread/collect_garbage.ts";
import { LoopTurn } from "../../core/thread/loop_turn.ts";
import type { RunClock } from "../../core/thread/run_clock.ts";
import { pause, SYSTEM_TIMERS } from "../../core/thread/timers.ts";
import type { PayloadData } from "../dataset/payloads/payload_table.ts";
import { PayloadTableBuilder } from "../dataset/payloads/payload_table_builder.ts";
import { ControlBlock } from "./control_block.ts";
import { LoadWorker } from "./load_worker.ts";

/** Requests in flight at once, requests per round, and minimum and maximum number of rounds of a worker. */
const AT_ONCE = 8;
const ROUND = 16;
const MIN_ROUNDS = 2;
const MAX_ROUNDS = 32;
const PIECES = 24;
const BODY_BYTES = 2048;
const FAR_NS = 1e15;
const encoder = new TextEncoder();

/** Outcome of a rehearsal. */
export interface Rehearsal {
  readonly requests: number;
  /** How many of them were valid: all, unless the type does not read what it writes. */
  readonly valid: number;
}

/**
 * Sends several dozen requests of a plan's kind to memory, and reads their replies. Takes about ten
 * milliseconds on a warm thread, and otherwise continues as long as there is time, until the code
 * is as fast as it gets.
 *
 * Two workers run it sequentially: the runtime discards code that was compiled for the only worker
 * so far when the run's own worker is created, at its first tokens. With 10 streams the latest
 * first token was read 0.7 ms after it was written instead of 1.0 ms, with 100 streams their mean
 * was 0.6 instead of 0.75 ms (medians of eight and six alternating runs). Garbage is collected
 * afterwards, which would otherwise happen at the first tokens as well: the latest of the first ten
 * was read 0.7 ms after it was written instead of 1.1 ms (14 alternating runs).
 */
export async function rehearse(
  plan: RunPlan,
  type: EndpointType,
  clockOf: (offsetMs: number) => RunClock,
  hasTime: () => boolean = () => false,
): Promise<Rehearsal> {
  const reply = replyBytes(type, plan.body.streaming);
  const first = await play(plan, type, clockOf, reply, () => false);
  const second = await play(plan, type, clockOf, reply, hasTime);
  await turnOnce();
  collectYoungGarbage();
  return {
    requests: first.requests + second.requests,
    valid: first.valid + second.valid,
  };
}

/** The first message to oneself takes half a millisecond, at some token of the run's first replies. */
async function turnOnce(): Promise<void> {
  const turn = new LoopTurn();
  await new Promise<void>((resolve) => turn.next(resolve));
  turn.close();
}

/** One worker's part. */
async function play(
  plan: RunPlan,
  type: EndpointType,
  clockOf: (offsetMs: number) => RunClock,
  reply: readonly Uint8Array[],
  hasTime: () => boolean,
): Promise<Rehearsal> {
  const control = new ControlBlock();
  const done = Promise.withResolvers<void>();
  let tick = (): void => {};
  const worker = new LoadWorker({
    worker: 0,
    plan: { ...plan, transport: "socket", reuse: "pooled", waitOn429: false },
    payloads: onePayload(),
    workload: {
      seed: plan.seed,
      samplingStrategy: plan.samplingStrategy,
      targetCount: plan.targets.length,
      modelCount: 1,
      profilingEntries: 1,
      warmupEntries: 0,
      conversations: undefined,
    },
    canaries: undefined,
  }, {
    endpointType: type,
    control,
    timers: {
      once: SYSTEM_TIMERS.once,
      every: (_intervalMs, call) => {
        tick = call;
        return () => {};
      },
    },
    lag: { begin() {}, end: () => new Float64Array() },
    clockOf,
    createTransport: (_name, options) =>
      new SocketTransport(options, () => Promise.resolve(new MemoryStream(reply))),
    newRequestId: () => crypto.randomUUID(),
    wake() {},
    toMain: ({ type }) => type === "phaseDone" ? done.resolve() : undefined,
    toResults: (message, transfer) => void structuredClone(message, { transfer }),
  });
  worker.beginPhase({
    plan: PHASE,
    // Nothing arrives by itself.
    startNs: clockOf(0).nowNs() + FAR_NS,
    clockOffsetMs: 0,
    slots: 0,
    connections: 0,
    workers: 1,
  });
  for (let round = 0; round < MIN_ROUNDS || round < MAX_ROUNDS && hasTime(); round++) {
    control.setArrived((round + 1) * ROUND);
    worker.onArrival();
    // Orders that have come meanwhile are heard now.
    while (control.inFlight > 0) await pause(SYSTEM_TIMERS, 0);
    // Handing on records takes three milliseconds the first time, of which two are the runtime's, that
    // only then reads what it needs to transfer anything: tokens of the second wave of 10 streams were read
    // 2.2 ms late instead of 0.5.
    tick();
  }
  control.endArrivals();
  worker.onArrival();
  await done.promise;
  worker.close();
  return { requests: control.claimed, valid: control.succeeded };
}

const PHASE: PhasePlan = {
  kind: "profiling",
  load: {
    loop: "open",
    ratePerSecond: 1000,
    arrivalPattern: "poisson",
    smoothness: 1,
    concurrency: AT_ONCE,
  },
  requestCount: Infinity,
  durationNs: Infinity,
  graceNs: Infinity,
};

/** The body that all requests have. */
function onePayload(): PayloadData {
  const builder = new PayloadTableBuilder();
  const body = [builder.addSegment(new Uint8Array(BODY_BYTES))];
  builder.addEntry(body, { inputTokens: 1, outputTokens: PIECES, images: 0 });
  return builder.finish(1).data;
}

/** A connection to a server that gives the same reply to every request, one of its pieces a read. */
class MemoryStream implements ByteStream {
  readonly #reply: readonly Uint8Array[];
  #next: number;
  /** Number of bytes of the next piece that have been read. */
  #given = 0;
  #onRequest: (() => void) | undefined;
  #isClosed = false;

  constructor(reply: readonly Uint8Array[]) {
    this.#reply = reply;
    this.#next = reply.length;
  }

  async read(buffer: Uint8Array): Promise<number | null> {
    // A turn of the microtask queue, for the request to be on its way.
    await Promise.resolve();
    let piece: Uint8Array | undefined;
    while ((piece = this.#reply[this.#next]) === undefined) {
      if (this.#isClosed) return null;
      await new Promise<void>((resolve) => this.#onRequest = resolve);
    }
    const given = piece.subarray(this.#given, this.#given + buffer.length);
    buffer.set(given);
    this.#given += given.length;
    if (this.#given === piece.length) {
      this.#next++;
      this.#given = 0;
    }
    return given.length;
  }

  write(bytes: Uint8Array): Promise<number> {
    this.#next = 0;
    this.#onRequest?.();
    return Promise.resolve(bytes.length);
  }

  close(): void {
    this.#isClosed = true;
    this.#onRequest?.();
  }
}

/** Content of the replies. An escape here and there takes another path than plain text. */
const SCRIPT: ScriptedReply = {
  id: "rehearsal-0123456789",
  createdSeconds: 1,
  model: "m",
  promptTokens: 1,
  pieces: Array.from({ length: PIECES }, (_, index): ReplyPiece => ({
    text: index % 8 === 7 ? `\n${index}` : ` word${index}`,
    tokens: 1,
    isReasoning: false,
  })),
  finishReason: "stop",
  includeUsage: true,
  usageInChunks: false,
  results: 1,
};

/** A reply as servers of this type write it: a stream, a frame in each piece, or a whole. */
function replyBytes(type: EndpointType, streaming: boolean): Uint8Array[] {
  const { stream } = type.writer;
  if (!streaming || stream === undefined) {
    const { contentType, body } = type.writer.whole(SCRIPT);
    return [wholeReply("200 OK", contentType, body)];
  }
  const { opening, content, closing } = stream.frames(SCRIPT);
  const frames = [...opening, ...content, ...closing].map((frame) => chunkText(frame));
  frames[0] = streamHead(stream.contentType) + (frames[0] ?? "");
  return [...frames, LAST_CHUNK].map((frame) => encoder.encode(frame));
}
