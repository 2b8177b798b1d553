import {
  CANARY_FIELD_COUNT,
  CANARY_KIND,
  STALL_TICK_MS,
} from "../../measurement/canary/canary_kind.ts";
import { CANARY_ISSUER } from "../../measurement/canary/canary_certificate.ts";
import {
  type AskedCanaries,
  ASKING_CONNECTIONS,
  CANARY_CONNECTIONS,
} from "../../measurement/canary/canary_server.ts";
import { CanaryDecoder } from "../../measurement/canary/canary_message.ts";
import {
  type ConnectionReuse,
  emptyTrace,
  type Exchange,
  type Origin,
  type ReplySink,
  type TraceMarks,
  type Transport,
  type TransportOptions,
} from "../../client/http/transport.ts";
import type { ReadTurn } from "../../client/http/read_turn.ts";
import type { RunPlan } from "../../config/plan/run_plan.ts";
import type { Timers } from "../../core/thread/timers.ts";

/** A tick that comes so much too late ends a stall. */
const MIN_STALL_NS = 3e6;

/** Maximum delay of the canary thread between its timestamp and its write, in nanoseconds. */
const MAX_HELD_UP_NS = 1e6;

/** Where a load worker finds the canary thread. */
export interface CanaryOrders {
  readonly origin: Origin;
  /** Transport by which canaries are requested. */
  readonly transport: RunPlan["transport"];
  /** Canaries that are complete replies, as real requests receive them; absent for none. */
  readonly asked?: AskedCanaries | undefined;
  /** How they share connections. @default "never" */
  readonly reuse?: ConnectionReuse;
  readonly token: string;
  /** Memory of the {@linkcode CanaryCells}. */
  readonly cells: SharedArrayBuffer;
}

/** Functions and settings that a {@linkcode CanaryReader} needs. */
export interface CanaryReaderContext {
  readonly worker: number;
  readonly orders: CanaryOrders;
  readonly timers: Timers;
  readonly nowNs: () => number;
  /** State shared by the reads of this thread; undefined for none. */
  readonly turn?: ReadTurn | undefined;
  createTransport(options: TransportOptions): Transport;
}

/**
 * Reads the canaries of a phase, by the transport of the real streams, and detects stalls of this
 * thread. The delay of a canary that could not be written in time counts from its intended time.
 */
export class CanaryReader {
  readonly #transport: Transport;
  readonly #underWay = new Set<Exchange>();
  readonly #rows: number[] = [];
  readonly #timers: Timers;
  readonly #nowNs: () => number;
  #stopTimer = (): void => {};
  /** When the timer is due; never before the phase. */
  #dueNs = Infinity;

  /** Connects. */
  constructor({ worker, orders, timers, nowNs, turn, createTransport }: CanaryReaderContext) {
    const { asked, origin, reuse = "never", token } = orders;
    this.#transport = createTransport({
      reuse,
      trust: { caCerts: [CANARY_ISSUER], systemCerts: [] },
      nowNs,
      turn,
    });
    // Asked first: with all streams open, the other end looks at requests seldom.
    if (asked !== undefined) {
      for (let i = 0; i < ASKING_CONNECTIONS; i++) {
        this.#ask(origin, `${token}/${worker}/${asked}`);
      }
    }
    for (let i = 0; i < CANARY_CONNECTIONS; i++) this.#ask(origin, `${token}/${worker}`);
    this.#nowNs = nowNs;
    this.#timers = timers;
  }

  /** Begins the phase: stalls are recorded from this time onwards. */
  begin(): void {
    this.#dueNs = this.#nowNs() + STALL_TICK_MS * 1e6;
    this.#stopTimer = this.#timers.every(STALL_TICK_MS, () => this.#tick());
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
    // What ended with the last response was read before the timer came.
    this.#tick();
    for (const exchange of this.#underWay) this.#transport.abort(exchange);
    this.#underWay.clear();
    this.#transport.close();
  }

  #tick(): void {
    const nowNs = this.#nowNs();
    if (nowNs - this.#dueNs > MIN_STALL_NS) {
      this.#rows.push(CANARY_KIND.stall, this.#dueNs, NaN, nowNs);
    }
    this.#dueNs = nowNs + STALL_TICK_MS * 1e6;
  }

  /** Asks for canaries, and once more whenever a reply with one has ended: streams have no end. */
  #ask(origin: Origin, path: string): void {
    const trace = emptyTrace();
    const exchange: Exchange = {
      request: { origin, method: "GET", path, headerLines: "", body: [] },
      trace,
      sink: new RowSink(this.#rows, trace, () => {
        this.#underWay.delete(exchange);
        this.#ask(origin, path);
      }),
    };
    this.#underWay.add(exchange);
    this.#transport.send(exchange);
  }
}

/** Takes the canaries out of a connection's reply. */
class RowSink implements ReplySink {
  readonly #decoder = new CanaryDecoder();
  readonly #rows: number[];
  readonly #trace: TraceMarks;
  readonly #again: () => void;
  #isAnyRead = false;

  /** @param again called when a reply that brought a canary has ended */
  constructor(rows: number[], trace: TraceMarks, again: () => void) {
    this.#rows = rows;
    this.#trace = trace;
    this.#again = again;
  }

  onBody(bytes: Uint8Array, start: number, end: number, stampNs: number): void {
    const first = this.#rows.length;
    this.#decoder.push(bytes, start, end, stampNs, this.#rows);
    const last = this.#rows.length;
    this.#isAnyRead ||= last > first;
    for (let at = first; at < last; at += CANARY_FIELD_COUNT) {
      const writtenNs = this.#rows[at + 2] as number;
      if (writtenNs >= this.#trace.unreadSinceNs - MAX_HELD_UP_NS) continue;
      if (Number.isNaN(this.#trace.unreadSinceNs)) continue;
      this.#rows.push(CANARY_KIND.contradiction, writtenNs, this.#trace.unreadSinceNs, stampNs);
    }
  }

  onEnd(): void {
    if (this.#isAnyRead) this.#again();
  }

  onSent(): void {}
  onHead(): void {}
  // Fewer canaries make the bounds wider; the run is not disturbed.
  onFailure(): void {}
}
