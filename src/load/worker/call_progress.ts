import { CallHeap } from "../../core/session_graph/call_heap.ts";
import { followersOf } from "../../core/session_graph/session_graph.ts";
import type { StartPosition } from "../../core/session_graph/start_position.ts";
import type { FailurePolicy } from "../../core/session_graph/unsent_calls.ts";
import type { PlayedCall } from "../dataset/payloads/graph_columns.ts";

/** A call that waits, is in flight, or has ended; `gone` calls are never sent. */
type CallState = "open" | "due" | "sent" | "ended" | "gone";

/** Which calls of a recorded session are due, in flight, over, or never sent. */
export class CallProgress {
  readonly #calls: readonly PlayedCall[];
  /** Start of the session as a whole. */
  #startNs = NaN;
  readonly #followers: readonly (readonly number[])[];
  readonly #states: CallState[];
  /** Edges of each call that are not met. */
  readonly #open: Uint32Array;
  /** Times of the calls' due events so far. */
  readonly #dueNs: Float64Array;
  /** Due times, then starts, had the client sent all calls before them punctually. */
  readonly #punctualNs: Float64Array;
  /** The event after which each call became due: see the field `waitedFor` of records. */
  readonly #waitedFor: Int32Array;
  /** Calls that are due at a time, in nanoseconds. */
  readonly #queue = new CallHeap();
  #requests: number;

  constructor(calls: readonly PlayedCall[]) {
    this.#calls = calls;
    this.#followers = followersOf(calls);
    this.#states = calls.map(() => "open");
    this.#open = Uint32Array.from(calls, ({ edges }) => edges.length);
    this.#dueNs = new Float64Array(calls.length);
    this.#punctualNs = new Float64Array(calls.length);
    this.#waitedFor = new Int32Array(calls.length).fill(-1);
    this.#requests = calls.filter(({ isVirtual }) => !isVirtual).length;
  }

  /** Calls that are sent, unless one fails. */
  get requests(): number {
    return this.#requests;
  }

  /** Whether a call is due, now or later. */
  get hasDue(): boolean {
    return this.#queue.size > 0;
  }

  /** The call that is due first; undefined if there is none. */
  get first(): number | undefined {
    return this.#queue.first;
  }

  /** When that call is due; Infinity if there is none. */
  get firstNs(): number {
    return this.#queue.firstMs;
  }

  /** Takes the call that is due first. */
  takeFirst(): void {
    this.#queue.pop();
  }

  isGone(call: number): boolean {
    return this.#states[call] === "gone";
  }

  /** When a call would be due, had the client sent all calls before it punctually. */
  punctualNs(call: number): number {
    return this.#punctualNs[call] as number;
  }

  /** The event after which a call became due. */
  waitedFor(call: number): number {
    return this.#waitedFor[call] as number;
  }

  /**
   * Begins with the calls that wait for no other one.
   * @param startNs start of the session
   */
  begin(startNs: number): void {
    this.#startNs = startNs;
    this.#dueNs.fill(startNs);
    this.#punctualNs.fill(startNs);
    this.#calls.forEach(({ edges, offsetMs }, call) => {
      if (edges.length === 0) this.#dueFrom(call, startNs + Math.round(offsetMs * 1e6));
    });
  }

  /**
   * Skips the calls before a position. A call that waits for skipped ones only starts at the time
   * from the position to its recorded start.
   * @param startNs when the session is entered
   * @param ruled changes the milliseconds before a call as the run changes recorded gaps
   */
  beginAt(
    { atMs, skipped }: StartPosition,
    startNs: number,
    ruled: (ms: number, call: PlayedCall) => number,
  ): void {
    this.#startNs = startNs - Math.round(atMs * 1e6);
    this.#dueNs.fill(startNs);
    this.#punctualNs.fill(startNs);
    const past = new Set(skipped);
    this.#calls.forEach(({ isVirtual, recordedMs }, call) => {
      if (isVirtual && recordedMs < atMs) past.add(call);
    });
    for (const call of past) this.#states[call] = "ended";
    this.#requests -= skipped.length;
    this.#calls.forEach((played, number) => {
      if (past.has(number)) return;
      const open = played.edges.filter(({ from }) => !past.has(from)).length;
      this.#open[number] = open;
      if (open > 0) return;
      const leftMs = ruled(played.recordedMs - atMs, played);
      this.#dueFrom(number, startNs + Math.round(leftMs * 1e6));
    });
  }

  /**
   * A call is sent.
   * @param punctualNs when it would be, had the client sent all calls punctually
   */
  start(call: number, punctualNs = this.punctualNs(call)): void {
    this.#states[call] = "sent";
    this.#punctualNs[call] = punctualNs;
  }

  /** A call has ended, or one that sends nothing was due. */
  end(call: number): void {
    this.#states[call] = "ended";
  }

  /** A call is not sent. */
  leaveOut(call: number): void {
    this.#states[call] = "gone";
  }

  /**
   * Meets the edges from an event of a call.
   * @param lateNs how much earlier the event would have been, had the client sent all calls punctually
   */
  meet(from: number, on: "start" | "end", atNs: number, lateNs = 0): void {
    for (const call of new Set(this.#followers[from])) {
      const { edges, notBeforeMs } = this.#calls[call] as PlayedCall;
      if (this.#states[call] !== "open") continue;
      for (const edge of edges) {
        if (edge.from !== from || edge.on !== on) continue;
        this.#open[call] = (this.#open[call] as number) - 1;
        const dueNs = atNs + Math.round(edge.gapMs * 1e6);
        this.#punctualNs[call] = Math.max(this.#punctualNs[call] as number, dueNs - lateNs);
        const isFirst = this.#waitedFor[call] === -1;
        if (!isFirst && dueNs <= (this.#dueNs[call] as number)) continue;
        this.#dueNs[call] = Math.max(dueNs, this.#dueNs[call] as number);
        // A call that sends nothing only passes on what it waited for itself.
        this.#waitedFor[call] = this.#calls[from]?.isVirtual
          ? this.#waitedFor[from] as number
          : 2 * from + (on === "start" ? 1 : 0);
      }
      if (this.#open[call] !== 0) continue;
      const leastNs = notBeforeMs === undefined
        ? -Infinity
        : this.#startNs + Math.round(notBeforeMs * 1e6);
      this.#punctualNs[call] = Math.max(this.#punctualNs[call] as number, leastNs);
      this.#enqueue(call, Math.max(this.#dueNs[call] as number, leastNs));
    }
  }

  /**
   * Leaves out the calls that are not sent because one failed, and lets calls continue that only keep
   * order.
   */
  fail(failed: number, policy: FailurePolicy, nowNs: number): void {
    if (policy === "continue") return;
    if (policy === "session") {
      this.#leaveAll();
      return;
    }
    const todo = [failed];
    for (let gone = todo.pop(); gone !== undefined; gone = todo.pop()) {
      for (const call of new Set(this.#followers[gone])) {
        if (!this.#isUnsent(call)) continue;
        const depends = (this.#calls[call] as PlayedCall).edges.some(({ from, on, kind }) =>
          from === gone && kind !== "order" && !(gone === failed && on === "start")
        );
        if (!depends) continue;
        this.leaveOut(call);
        todo.push(call);
      }
      // An edge that only keeps the order carries no failure.
      if (gone !== failed) this.#meetOrder(gone, nowNs);
    }
  }

  /** Lets the calls that are not sent be due earlier. */
  move(byNs: number): void {
    this.#startNs -= byNs;
    this.#states.forEach((state, call) => {
      if (state !== "open") return;
      this.#dueNs[call] = (this.#dueNs[call] as number) - byNs;
      this.#punctualNs[call] = (this.#punctualNs[call] as number) - byNs;
    });
    const waiting: [number, number][] = [];
    while (this.hasDue) {
      const timeNs = this.firstNs;
      waiting.push([timeNs - byNs, this.#queue.pop() as number]);
    }
    for (const [timeNs, call] of waiting) {
      // Calls that are left out stay so.
      if (this.isGone(call)) continue;
      this.#punctualNs[call] = (this.#punctualNs[call] as number) - byNs;
      this.#enqueue(call, timeNs);
    }
  }

  /** Leaves out all calls that are not sent yet. */
  drop(): void {
    this.#leaveAll();
    while (this.hasDue) this.takeFirst();
  }

  #leaveAll(): void {
    this.#calls.forEach((_, call) => {
      if (this.#isUnsent(call)) this.leaveOut(call);
    });
  }

  #isUnsent(call: number): boolean {
    const state = this.#states[call];
    return state === "open" || state === "due";
  }

  /** Lets a call be due at a time, which no other call has delayed. */
  #dueFrom(call: number, dueNs: number): void {
    this.#punctualNs[call] = dueNs;
    this.#enqueue(call, dueNs);
  }

  #enqueue(call: number, dueNs: number): void {
    this.#states[call] = "due";
    this.#dueNs[call] = dueNs;
    this.#queue.push(dueNs, call);
  }

  #meetOrder(from: number, atNs: number): void {
    const isOrder = (this.#followers[from] as readonly number[]).some((call) =>
      this.#states[call] === "open" &&
      (this.#calls[call] as PlayedCall).edges.some((edge) =>
        edge.from === from && edge.kind === "order"
      )
    );
    if (isOrder) this.meet(from, "end", atNs);
  }
}
