/** Several load workers on fake time that share a run of sessions, and a server that a test draws. */

import { PayloadTableBuilder } from "../../src/load/dataset/payloads/payload_table_builder.ts";
import type { TurnFacts } from "../../src/load/dataset/payloads/conversation_columns.ts";
import { CHAT_CONVERSATION } from "../../src/client/endpoint/openai/chat_conversation.ts";
import { messagesSpan } from "../../src/client/endpoint/protocol/conversation_format.ts";
import { configuredType } from "../../src/client/endpoint/endpoint_types.ts";
import { ControlBlock } from "../../src/load/worker/control_block.ts";
import { LoadWorker } from "../../src/load/worker/load_worker.ts";
import { resolvePlan } from "../../src/config/plan/resolve/resolve_plan.ts";
import type { PhasePlan, RunPlan } from "../../src/config/plan/run_plan.ts";
import { type RecordBlock, rowsOf } from "../../src/client/record/record_block.ts";
import { FIELD, FIELD_COUNT, type RequestField } from "../../src/client/record/request_fields.ts";
import { workloadSource } from "../../src/load/workload/create_workload.ts";
import { FakeTime } from "./fake_time.ts";
import { ScriptedTransport } from "./scripted_transport.ts";

/** What a request sent and what became of it. */
export interface PlayedRequest {
  readonly worker: number;
  readonly index: number;
  readonly session: number;
  readonly turn: number;
  readonly turns: number;
  readonly entry: number;
  readonly target: number;
  readonly intendedNs: number;
  readonly startNs: number;
  readonly endNs: number;
  readonly failed: boolean;
  readonly requestId: string;
  readonly correlationId: string;
}

/** A request as it was sent. */
export interface SentRequest {
  readonly id: string;
  readonly headerLines: string;
  // deno-lint-ignore no-explicit-any -- what a server parses
  readonly body: any;
  /** Text of the reply that it got. */
  reply: string;
}

/** How the server answers a request: after how long, and whether well. */
export type Answer = (number: number) => { readonly afterMs: number; readonly fails: boolean };

let planOnce: Promise<RunPlan> | undefined;

/** See the module's comment. */
export class SessionStage {
  readonly time = new FakeTime();
  readonly control = new ControlBlock();
  readonly sent: SentRequest[] = [];
  readonly played: PlayedRequest[] = [];
  readonly workers: LoadWorker[] = [];
  phasesDone = 0;
  /** Most sessions that were under way at once. */
  mostUnderWay = 0;
  readonly #countsTurns: boolean;

  static async of(
    workers: number,
    turns: readonly number[],
    delaysMs: (turn: number) => number,
    answer: Answer,
  ): Promise<SessionStage> {
    planOnce ??= resolvePlan(
      {
        url: ["http://127.0.0.1:1", "http://127.0.0.1:2"],
        model: "m",
        noServerMetrics: true,
        randomSeed: 1,
      },
      { cores: 2, cliCommand: "test", findModel: () => Promise.resolve("m") },
    );
    return new SessionStage(await planOnce, workers, turns, delaysMs, answer);
  }

  private constructor(
    plan: RunPlan,
    workers: number,
    turns: readonly number[],
    delaysMs: (turn: number) => number,
    answer: Answer,
  ) {
    const payloads = conversationPayloads(turns, delaysMs);
    const workload = workloadSource(plan, payloads.data);
    this.#countsTurns = payloads.data.conversations !== undefined;
    let ids = 0;
    for (let worker = 0; worker < workers; worker++) {
      const orders = { worker, plan, payloads: payloads.data, workload, canaries: undefined };
      this.workers.push(
        new LoadWorker(orders, {
          endpointType: configuredType(orders.plan),
          control: this.control,
          timers: this.time,
          lag: { begin: () => {}, end: () => new Float64Array(0) },
          clockOf: () => this.time,
          createTransport: (_name, { nowNs }) => this.#transport(nowNs, answer),
          wake: (other) => void this.time.once(0, () => this.workers[other]?.look()),
          newRequestId: () => `id-${ids++}`,
          toMain: ({ type }) => {
            if (type === "phaseDone") this.phasesDone++;
          },
          toResults: (message) => {
            if (message.type === "records") this.#take(worker, message.block);
          },
        }),
      );
    }
  }

  /** Begins a phase on all workers; its arrivals have all come. */
  async begin(plan: PhasePlan): Promise<void> {
    this.control.beginPhase(this.#countsTurns);
    const { load } = plan;
    if (load.loop === "open") {
      this.control.setArrived(Math.min(plan.sessionCount ?? Infinity, plan.requestCount));
      this.control.endArrivals();
    }
    const count = this.workers.length;
    this.workers.forEach((worker, index) => {
      const slots = load.loop === "open"
        ? 0
        : Math.floor(load.concurrency / count) + (index < load.concurrency % count ? 1 : 0);
      worker.beginPhase({
        plan,
        startNs: 0,
        clockOffsetMs: 0,
        slots,
        connections: 0,
        workers: count,
      });
    });
    await this.time.pass(0);
  }

  /** Lets time pass until all workers are done; fails after a day. */
  async finish(): Promise<void> {
    for (let step = 0; this.phasesDone < this.workers.length; step++) {
      if (step > 100_000) throw new Error("The phase does not end");
      await this.time.pass(100);
    }
  }

  /** Requests of each session in the order of their turns. */
  get sessions(): Map<number, PlayedRequest[]> {
    const sessions = Map.groupBy(this.played, ({ session }) => session);
    for (const requests of sessions.values()) requests.sort((a, b) => a.turn - b.turn);
    return sessions;
  }

  #transport(nowNs: () => number, answer: Answer): ScriptedTransport {
    const transport = new ScriptedTransport(nowNs);
    const send = transport.send.bind(transport);
    transport.send = (exchange) => {
      send(exchange);
      const place = transport.sent.length - 1;
      const number = this.sent.length;
      const { ownLines = "", body } = exchange.request;
      const headerLines = exchange.request.headerLines + ownLines;
      const text = body.map((piece) => new TextDecoder().decode(piece)).join("");
      const id = /X-Request-ID: (.*)\r/.exec(headerLines)?.[1] as string;
      const request = { id, headerLines, body: JSON.parse(text), reply: "" };
      this.sent.push(request);
      this.mostUnderWay = Math.max(this.mostUnderWay, this.control.inFlight);
      this.time.once(0, () => {
        if (!transport.aborted.includes(exchange)) exchange.sink.onSent();
      });
      const { afterMs, fails } = answer(number);
      this.time.once(afterMs, () => {
        if (transport.aborted.includes(exchange)) return;
        if (fails) {
          transport.answer(place, "text/plain", "no", 500);
          return;
        }
        request.reply = `reply "${number}"\n`;
        transport.reply(place, request.reply);
      });
    };
    return transport;
  }

  #take(worker: number, block: RecordBlock): void {
    const { count, requestIds, correlationIds } = block;
    const rows = rowsOf(block);
    const correlations = new Map(correlationIds);
    for (let row = 0; row < count; row++) {
      const of = (field: RequestField): number => rows[row * FIELD_COUNT + FIELD[field]] as number;
      const requestId = requestIds[row] as string;
      this.played.push({
        worker,
        index: of("index"),
        session: of("session"),
        turn: of("turn"),
        turns: of("turns"),
        entry: of("entry"),
        target: of("target"),
        intendedNs: of("intendedNs"),
        startNs: of("startNs"),
        endNs: of("endNs"),
        failed: of("errorKind") >= 0,
        requestId,
        correlationId: correlations.get(row) ?? requestId,
      });
    }
  }
}

/** Conversations of chat whose turns say which entry they are. */
export function conversationPayloads(
  turns: readonly number[],
  delaysMs: (turn: number) => number,
): ReturnType<PayloadTableBuilder["finish"]> {
  const builder = new PayloadTableBuilder();
  let entry = 0;
  for (const count of turns) {
    builder.beginConversation();
    for (let turn = 0; turn < count; turn++) {
      const fields = {
        "messages": [{ "role": "user", "content": `turn é${entry}` }],
        "model": "m",
      };
      const body = builder.addSegment(new TextEncoder().encode(JSON.stringify(fields)));
      const facts: TurnFacts = {
        delayNs: turn === 0 ? 0 : delaysMs(entry) * 1e6,
        timestampNs: NaN,
        messages: messagesSpan(CHAT_CONVERSATION, fields),
        followsHistory: turn > 0,
      };
      builder.addTurn([body], { inputTokens: 1, outputTokens: 1, images: 0 }, facts);
      entry++;
    }
  }
  return builder.finish(0);
}
