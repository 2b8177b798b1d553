import { CANARY_FIELD_COUNT, CANARY_KIND, STALL_TICK_MS } from "../canary/canary_kind.ts";
import { CANARY_ISSUER } from "../canary/canary_certificate.ts";
import { CANARY_CONNECTIONS } from "../canary/canary_server.ts";
import { CanaryDecoder } from "../canary/canary_message.ts";
import {
  emptyTrace,
  type Exchange,
  type Origin,
  type ReplySink,
  type TraceMarks,
  type Transport,
  type TransportOptions,
} from "../http/transport.ts";
import type { ReadTurn } from "../http/read_turn.ts";
import type { RunPlan } from "../plan/run_plan.ts";
import type { Timers } from "../thread/timers.ts";

/** A tick that comes so much too late ends a standstill. */
const MIN_STALL_NS = 3e6;

/** The canary thread itself may be held up so long between its stamp and its write. */
const MAX_HELD_UP_NS = 1e6;

/** Where a load worker finds the canary thread. */
export interface CanaryOrders {
  readonly origin: Origin;
  /** How it is asked. */
  readonly transport: RunPlan["transport"];
  readonly token: string;
  /** Memory of the {@linkcode CanaryCells}. */
  readonly cells: SharedArrayBuffer;
}

/** What a {@linkcode CanaryReader} works with. */
export interface CanaryReaderContext {
  readonly worker: number;
  readonly orders: CanaryOrders;
  readonly timers: Timers;
  readonly nowNs: () => number;
  /** What the reads of this thread share; undefined for none. */
  readonly turn?: ReadTurn | undefined;
  createTransport(options: TransportOptions): Transport;
}

/**
 * Reads canaries during a phase, by the same transport as the real streams, and finds out when this
 * thread stood still: a canary that could not be written then counts from when it was intended.
 */
export class CanaryReader {
  readonly #transport: Transport;
  readonly #exchanges: Exchange[] = [];
  readonly #rows: number[] = [];
  readonly #stopTimer: () => void;

  constructor({ worker, orders, timers, nowNs, turn, createTransport }: CanaryReaderContext) {
    this.#transport = createTransport({
      reuse: "never",
      trust: { caCerts: [CANARY_ISSUER], systemCerts: [] },
      nowNs,
      turn,
    });
    for (let i = 0; i < CANARY_CONNECTIONS; i++) {
      const trace = emptyTrace();
      const exchange: Exchange = {
        request: {
          origin: orders.origin,
          method: "GET",
          path: `${orders.token}/${worker}`,
          headerLines: "",
          body: [],
        },
        trace,
        sink: new RowSink(this.#rows, trace),
      };
      this.#exchanges.push(exchange);
      this.#transport.send(exchange);
    }
    let dueNs = nowNs() + STALL_TICK_MS * 1e6;
    this.#stopTimer = timers.every(STALL_TICK_MS, () => {
      const tickNs = nowNs();
      if (tickNs - dueNs > MIN_STALL_NS) this.#rows.push(CANARY_KIND.stall, dueNs, NaN, tickNs);
      dueNs = tickNs + STALL_TICK_MS * 1e6;
    });
  }

  /** Rows of canaries that have gathered; see {@linkcode CANARY_FIELDS}. */
  get count(): number {
    return this.#rows.length / CANARY_FIELD_COUNT;
  }

  /** Takes the rows that have gathered. */
  take(): Float64Array<ArrayBuffer> {
    const rows = Float64Array.from(this.#rows);
    this.#rows.length = 0;
    return rows;
  }

  /** Ends reading; what was read by then can be taken. */
  close(): void {
    this.#stopTimer();
    for (const exchange of this.#exchanges) this.#transport.abort(exchange);
    this.#transport.close();
  }
}

/** Takes the canaries out of a connection's reply. */
class RowSink implements ReplySink {
  readonly #decoder = new CanaryDecoder();
  readonly #rows: number[];
  readonly #trace: TraceMarks;

  constructor(rows: number[], trace: TraceMarks) {
    this.#rows = rows;
    this.#trace = trace;
  }

  onBody(bytes: Uint8Array, start: number, end: number, stampNs: number): void {
    const first = this.#rows.length;
    this.#decoder.push(bytes, start, end, stampNs, this.#rows);
    const last = this.#rows.length;
    for (let at = first; at < last; at += CANARY_FIELD_COUNT) {
      const writtenNs = this.#rows[at + 2] as number;
      if (writtenNs >= this.#trace.unreadSinceNs - MAX_HELD_UP_NS) continue;
      if (Number.isNaN(this.#trace.unreadSinceNs)) continue;
      this.#rows.push(CANARY_KIND.contradiction, writtenNs, this.#trace.unreadSinceNs, stampNs);
    }
  }

  onSent(): void {}
  onHead(): void {}
  onEnd(): void {}
  // Fewer canaries make the bounds wider; the run is not disturbed.
  onFailure(): void {}
}
