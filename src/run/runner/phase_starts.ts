import type { RunPlan } from "../../config/plan/run_plan.ts";
import type { RunEnd } from "../../core/run_end/end_reason.ts";
import type { MainClock } from "../../core/thread/run_clock.ts";
import { SYSTEM_TIMERS, type Timers } from "../../core/thread/timers.ts";
import { untilAborted } from "../../core/thread/until_aborted.ts";
import {
  type Agreement,
  type ClockOffset,
  RendezvousError,
  type Stage,
} from "../../load/rendezvous/messages.ts";
import type { RendezvousClient } from "./rendezvous_client.ts";
import type { RunNotes } from "./run_notes.ts";

/** A start that is later than this is told. */
const WARN_NS = 50e6;
/** A longer wait for the others is told while it lasts. */
const TELL_WAIT_MS = 10_000;
/** How long before a start the phase is prepared: connections are opened then. */
const LEAD_MS = 1000;

/** How a phase began, against what was agreed. */
export interface AgreedStart {
  /** On the run's clock. */
  readonly intendedNs: number;
  readonly latenessNs: number;
}

/** What agrees with other shards. */
export type Barrier = Pick<RendezvousClient, "init" | "meet" | "over" | "collect" | "close">;

/** When the phases of a run begin: at once, at a time, or together with other shards. */
export class PhaseStarts {
  readonly #plan: RunPlan;
  readonly #clock: MainClock;
  readonly #interrupt: AbortSignal;
  readonly #notes: Pick<RunNotes, "tell" | "warn">;
  readonly #barrier: Barrier | undefined;
  readonly #timers: Timers;
  #begun = 0;
  #agreed: AgreedStart | undefined;
  #clockOffset: ClockOffset | undefined;

  /** @param barrier undefined where no other shards are */
  constructor(
    plan: RunPlan,
    clock: MainClock,
    interrupt: AbortSignal,
    notes: Pick<RunNotes, "tell" | "warn">,
    barrier: Barrier | undefined,
    timers: Timers = SYSTEM_TIMERS,
  ) {
    this.#plan = plan;
    this.#clock = clock;
    this.#interrupt = interrupt;
    this.#notes = notes;
    this.#barrier = barrier;
    this.#timers = timers;
  }

  /** How the last phase that had an agreed start began; undefined without one. */
  get agreed(): AgreedStart | undefined {
    return this.#agreed;
  }

  /** How far this machine's clock is ahead of shard 0's; undefined where nobody measured it. */
  get clockOffset(): ClockOffset | undefined {
    return this.#clockOffset;
  }

  /** @throws {RendezvousError} if the others cannot be met */
  async init(): Promise<void> {
    const { start } = this.#plan;
    // Its parents are out of the thread's reach.
    if (start?.by === "barrier") {
      try {
        await Deno.mkdir(start.directory, { recursive: true });
      } catch (error) {
        throw new RendezvousError(`--barrier ${start.directory}: ${(error as Error).message}`);
      }
    }
    await this.#barrier?.init(this.#clock);
  }

  /**
   * Waits for the start of the next phase, until shortly before it.
   * @returns when that is on the run's clock; undefined for at once
   * @throws {RendezvousError} if there will be none, or the interrupt's reason
   */
  async next(): Promise<number | undefined> {
    const stage = this.#begun++ === 0 ? 0 : 1;
    const { start } = this.#plan;
    if (start === undefined) return undefined;
    if (this.#barrier === undefined) {
      if (start.by !== "time" || stage > 0) return undefined;
      const startNs = this.#onRunClock(start.epochMs);
      await this.#untilShortlyBefore(startNs);
      return startNs;
    }
    const { atMs, clock, warning } = await this.#reportedBarrier(this.#barrier, stage);
    if (warning !== undefined) this.#notes.warn(warning);
    this.#clockOffset = clock;
    return this.#onRunClock(atMs);
  }

  async #reportedBarrier(barrier: Barrier, stage: Stage): Promise<Agreement> {
    const cancel = this.#timers.once(TELL_WAIT_MS, () => {
      this.#notes.tell(`Still waiting for the other shards after ${TELL_WAIT_MS / 1000} s`);
    });
    try {
      return await barrier.meet(stage);
    } finally {
      cancel();
    }
  }

  /**
   * Why a phase that is about to begin must not: it would be too late; undefined if it may. To be
   * asked again at its start, for the process may have stood still until then.
   */
  tooLate(intendedNs: number): RunEnd | undefined {
    const latenessNs = Math.max(0, this.#clock.nowNs() - intendedNs);
    this.#agreed = { intendedNs, latenessNs };
    const { maxLateNs } = this.#plan.start ?? { maxLateNs: Infinity };
    const late = `${(latenessNs / 1e6).toFixed(0)} ms later than agreed`;
    if (latenessNs > maxLateNs) {
      return {
        reason: "too_late",
        text: `it began too late, ${late}: more than --max-late ${maxLateNs / 1e9} s allows`,
      };
    }
    if (latenessNs > WARN_NS) this.#notes.warn(`The load began ${late}`);
    return undefined;
  }

  /**
   * Looks at the start of a phase whether it is on time.
   * @param onTooLate called with the reason if the run must not go on
   * @returns calls that off
   */
  watch(intendedNs: number, onTooLate: (end: RunEnd) => void): () => void {
    const leftMs = (intendedNs - this.#clock.nowNs()) / 1e6;
    if (leftMs <= 0) return () => {};
    return this.#timers.once(leftMs, () => {
      const end = this.tooLate(intendedNs);
      if (end !== undefined) onTooLate(end);
    });
  }

  /** Waits for the other shards, where this is shard 0. */
  async over(): Promise<void> {
    try {
      const warning = await this.#barrier?.over();
      if (warning !== undefined) this.#notes.warn(warning);
    } catch {
      // Interrupted: the others come to their ends alone.
    }
  }

  /**
   * Has the files of all shards brought to shard 0, where that is wanted.
   * @returns what is not where it was to be
   */
  async collect(): Promise<string | undefined> {
    const { start } = this.#plan;
    if (start?.by !== "rendezvous" || !start.collects) return undefined;
    try {
      return await this.#barrier?.collect();
    } catch {
      return "The run was interrupted, and the files of the shards were not collected in time";
    }
  }

  async close(): Promise<void> {
    await this.#barrier?.close();
  }

  #onRunClock(epochMs: number): number {
    // In two steps: nanoseconds since 1970 have more digits than a number.
    return Math.round((epochMs - Number(this.#clock.baseEpochNs) / 1e6) * 1e6);
  }

  async #untilShortlyBefore(startNs: number): Promise<void> {
    for (;;) {
      const leftMs = (startNs - this.#clock.nowNs()) / 1e6 - LEAD_MS;
      if (leftMs <= 0) return;
      let cancel = (): void => {};
      const pause = new Promise<void>((resolve) => {
        cancel = this.#timers.once(Math.min(leftMs, 2 ** 31 - 1), resolve);
      });
      await untilAborted(pause, this.#interrupt).finally(cancel);
    }
  }
}
