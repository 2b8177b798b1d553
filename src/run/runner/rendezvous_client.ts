import type { RunPlan } from "../../config/plan/run_plan.ts";
import type { StartPlan } from "../../config/plan/start_plan.ts";
import { USER_AGENT } from "../../config/plan/version.ts";
import { rendezvousPermissions } from "../../config/sandbox/permissions.ts";
import { ClockCells } from "../../core/thread/clock_cells.ts";
import type { MainClock } from "../../core/thread/run_clock.ts";
import { untilAborted } from "../../core/thread/until_aborted.ts";
import { untilGraceEnds } from "../../core/thread/until_grace_ends.ts";
import {
  type Agreement,
  type BarrierOrders,
  type FromRendezvousThread,
  RendezvousError,
  type Stage,
  type ToRendezvousThread,
} from "../../load/rendezvous/messages.ts";
import { planHash } from "../../results/collect/run_manifest.ts";
import { hostName } from "./host_name.ts";
import { WorkerClient } from "./worker_client.ts";

/** A start on which shards agree. */
export type BarrierPlan = Exclude<StartPlan, { by: "time" }>;

/** The folder in which all shards have theirs. */
export function allShardsFolder({ output }: Pick<RunPlan, "output">): string {
  return output.directory.replace(/\/[^/]*$/, "");
}

/** Time for the files of an interrupted run to get to shard 0: engines kill 30 s after the signal. */
const COLLECT_GRACE_MS = 15_000;
/** Longest that a thread which is to end holds up the run. */
const CLOSE_MS = 1000;

/** Main's end of the rendezvous thread. */
export class RendezvousClient {
  readonly #worker: WorkerClient<ToRendezvousThread, FromRendezvousThread>;
  readonly #plan: RunPlan;
  readonly #start: BarrierPlan;
  readonly #interrupt: AbortSignal;

  /** @returns undefined where the plan has no other shards to agree with */
  static start(
    plan: RunPlan,
    interrupt: AbortSignal,
    onWarning: (text: string) => void,
  ): RendezvousClient | undefined {
    const { start } = plan;
    if (start === undefined || start.by === "time") return undefined;
    return new RendezvousClient(plan, start, interrupt, onWarning);
  }

  /** Starts the thread, with what it needs and nothing else. */
  constructor(
    plan: RunPlan,
    start: BarrierPlan,
    interrupt: AbortSignal,
    onWarning: (text: string) => void,
  ) {
    this.#plan = plan;
    this.#start = start;
    this.#interrupt = interrupt;
    const url = new URL("../../load/rendezvous/rendezvous_thread.ts", import.meta.url);
    this.#worker = new WorkerClient(
      "rendezvous",
      url,
      rendezvousPermissions(plan.shard, start, plan.output.directory),
      {
        onMessage(message) {
          if (message.type === "warning") onWarning(message.text);
        },
        onDeath: (reason) => onWarning(`The rendezvous thread died: ${reason}`),
      },
    );
  }

  /**
   * Has the thread listen, or come to shard 0.
   * @throws {RendezvousError} if it cannot
   */
  async init(clock: MainClock): Promise<void> {
    await this.#worker.ready;
    const cells = new ClockCells();
    this.#worker.post({ type: "init", orders: await this.#orders(), clock: cells.buffer });
    const clockOffsetMs = clock.handshake(cells);
    const began = this.#worker.next("began");
    const baseEpochMs = Number(clock.baseEpochNs) / 1e6;
    this.#worker.post({ type: "clock", clockOffsetMs, baseEpochMs });
    const { failure } = await began;
    if (failure === undefined) return;
    const start = this.#start;
    throw new RendezvousError(
      start.by === "rendezvous"
        ? `--rendezvous: Cannot listen on ${start.hostname}:${start.port}: ${failure}`
        : failure,
    );
  }

  async #orders(): Promise<BarrierOrders> {
    const { shard } = this.#plan;
    const start = this.#start;
    if (shard === undefined) throw new RangeError("Only shards meet");
    const common = {
      self: {
        shard,
        host: hostName(),
        planHash: await planHash(this.#plan),
        version: USER_AGENT,
      },
      timeoutMs: start.timeoutNs / 1e6,
    };
    if (start.by === "barrier") return { ...common, by: "barrier", directory: start.directory };
    const { hostname, port, token, collects } = start;
    const collectsInto = collects ? allShardsFolder(this.#plan) : undefined;
    return { ...common, by: "rendezvous", hostname, port, token, collectsInto };
  }

  /**
   * Waits until all are ready for a stage.
   * @throws {RendezvousError} if it cannot begin, or the interrupt's reason
   */
  async meet(stage: Stage): Promise<Agreement> {
    const agreed = this.#worker.next("agreed");
    // Where the interrupt is first, nobody looks at it any more.
    agreed.catch(() => {});
    this.#worker.post({ type: "meet", stage });
    const { agreement, failure } = await untilAborted(agreed, this.#interrupt);
    if (agreement === undefined) throw new RendezvousError(failure);
    return agreement;
  }

  /** Waits for the others, where this is shard 0; what the user must know of that. */
  async over(): Promise<string | undefined> {
    const allOver = this.#worker.next("allOver");
    allOver.catch(() => {});
    this.#worker.post({ type: "over" });
    return (await untilAborted(allOver, this.#interrupt)).warning;
  }

  /**
   * Sends the files of this shard to shard 0, or waits for those of the others; for a short time if
   * the run was interrupted.
   * @throws the interrupt's reason when that time is over
   * @returns what the user must know: what is not where it was to be
   */
  async collect(): Promise<string | undefined> {
    const collected = this.#worker.next("collected");
    collected.catch(() => {});
    this.#worker.post({ type: "collect", folder: this.#plan.output.directory });
    return (await untilGraceEnds(collected, this.#interrupt, COLLECT_GRACE_MS)).warning;
  }

  /** Leaves the others, and ends the thread. */
  async close(): Promise<void> {
    await this.#worker.closeAfter({ type: "close" }, "closed", CLOSE_MS);
  }
}
