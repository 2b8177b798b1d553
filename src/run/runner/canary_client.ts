import type { Origin } from "../../client/http/transport.ts";
import type { RunPlan } from "../../config/plan/run_plan.ts";
import { canaryPermissions } from "../../config/sandbox/permissions.ts";
import { ClockCells } from "../../core/thread/clock_cells.ts";
import type { LeadingClock } from "../../core/thread/run_clock.ts";
import type { Timers } from "../../core/thread/timers.ts";
import type { CanaryOrders } from "../../load/worker/canary_reader.ts";
import { CanaryCells } from "../../measurement/canary/canary_cells.ts";
import type { FromCanaryThread, ToCanaryThread } from "../../measurement/canary/messages.ts";
import { freePort } from "./free_port.ts";
import type { KeptThreads } from "./kept_threads.ts";
import { WorkerClient } from "./worker_client.ts";

const HOSTNAME = "127.0.0.1";
/** Longest that is waited for the thread to give its port back before it is ended. */
const CLOSE_MS = 1000;
/** Longest that is waited for the load workers to connect: they do in a few milliseconds, by TLS in 60. */
const CONNECT_MS = 300;

/** What load workers need of it. */
export type PoolCanaries = Pick<CanaryClient, "orders" | "init" | "connected" | "begin" | "end">;

/** Main's end of the canary thread. */
export class CanaryClient {
  readonly #worker: WorkerClient<ToCanaryThread, FromCanaryThread>;
  readonly #workers: number;
  readonly #cells: CanaryCells;
  readonly #clockCells = new ClockCells();
  readonly #onWarning: (text: string) => void;
  #clockOffsetMs = 0;
  /** Number of the last phase that has begun. */
  #phase = 0;
  #closed: Promise<void> | undefined;
  readonly #connected = Promise.withResolvers<void>();
  /** Where the load workers find the thread. */
  readonly orders: CanaryOrders;

  /**
   * Starts the thread; undefined if the plan wants none, or the runtime does not let it listen.
   * @param onWarning told why there are no canaries although the plan wants them
   */
  static start(
    plan: RunPlan,
    onWarning: (text: string) => void,
    threads?: KeptThreads,
  ): CanaryClient | undefined {
    if (!plan.canaries) return undefined;
    const port = plan.canaryPort ?? freePort();
    if (port === undefined || !mayUse(port)) {
      onWarning(
        "The client's own error is not measured: the runtime does not grant a port of this machine: " +
          `add --canary-port 9999 and --allow-net=${HOSTNAME}:9999, or --no-canaries`,
      );
      return undefined;
    }
    return new CanaryClient(plan, port, onWarning, threads);
  }

  private constructor(
    plan: RunPlan,
    port: number,
    onWarning: (text: string) => void,
    threads: KeptThreads | undefined,
  ) {
    this.#workers = plan.workers;
    this.#cells = new CanaryCells(plan.workers);
    this.#onWarning = onWarning;
    this.orders = {
      origin: originOf(port, plan.targets.every(({ origin }) => origin.protocol === "https:")),
      ...canaryReading(plan),
      token: `/${crypto.randomUUID()}`,
      cells: this.#cells.buffer,
    };
    const url = new URL("../../measurement/canary/canary_thread.ts", import.meta.url);
    this.#worker = new WorkerClient("canary", url, canaryPermissions(this.orders.origin.host), {
      onMessage: (message) => {
        if (message.type === "connected") this.#connected.resolve();
        if (message.type === "listening" && message.failure !== undefined) {
          this.#connected.resolve();
          onWarning(`Client error not measured: ${message.failure}`);
        }
      },
      onDeath: (reason) => {
        this.#connected.resolve();
        onWarning(`Client error no longer measured: ${reason}`);
      },
    }, threads);
  }

  /** Gives the thread its orders and sets its clock. */
  async init(clock: LeadingClock): Promise<void> {
    try {
      await this.#worker.ready;
    } catch {
      return; // It has died, and that was said.
    }
    const { asked, origin, token } = this.orders;
    this.#worker.post({
      type: "init",
      port: origin.port,
      isTls: origin.protocol === "https:",
      token,
      workers: this.#workers,
      isAsked: asked !== undefined,
      cells: this.#cells.buffer,
      clock: this.#clockCells.buffer,
    });
    try {
      this.#clockOffsetMs = clock.handshake(this.#clockCells);
    } catch (error) {
      this.#onWarning(`Client error not measured: ${(error as Error).message}`);
      this.close();
    }
  }

  /** Waits for the load workers to connect, so that their first chunks are watched; not for long. */
  async connected(timers: Timers): Promise<void> {
    const { promise, resolve } = this.#connected;
    const callOff = timers.once(CONNECT_MS, resolve);
    await promise;
    callOff();
  }

  /**
   * Canaries are written from now on.
   * @param startNs when the phase begins, on the run's clock
   */
  begin(startNs: number): void {
    this.#phase++;
    const [phase, clockOffsetMs] = [this.#phase, this.#clockOffsetMs];
    this.#worker.post({ type: "begin", phase, startNs, clockOffsetMs });
  }

  /** No more canaries are written. */
  end(): void {
    this.#cells.end(this.#phase);
  }

  /**
   * Leaves the thread to the next run, or ends it; not before it has nothing more to do, in the middle
   * of which the runtime may crash (see {@linkcode CanaryWriter}).
   */
  close(): Promise<void> {
    this.end();
    return this.#closed ??= this.#worker.closeAfter({ type: "rest" }, "resting", CLOSE_MS);
  }
}

function mayUse(port: number): boolean {
  const host = `${HOSTNAME}:${port}`;
  return Deno.permissions.querySync({ name: "net", host }).state === "granted";
}

function originOf(port: number, isTls: boolean): Origin {
  return {
    protocol: isTls ? "https:" : "http:",
    hostname: HOSTNAME,
    port,
    addresses: [HOSTNAME],
    host: `${HOSTNAME}:${port}`,
  };
}

/** How load workers read canaries: as they read the replies that the canaries represent. */
function canaryReading(
  { body, canaryTransport, reuse, transport }: RunPlan,
): Pick<CanaryOrders, "transport" | "asked" | "reuse"> {
  if ((canaryTransport ?? transport) === "socket") return { transport: "socket" };
  // The runtime's own client reads what a reply begins with a few turns later than what follows.
  return { transport: "fetch", asked: body.streaming ? "first" : "any", reuse };
}
