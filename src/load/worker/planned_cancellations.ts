import type { CancellationPlan } from "../../config/plan/run_plan.ts";
import { randomStream } from "../../core/statistics/random_stream.ts";
import type { Timers } from "../../core/thread/timers.ts";

/**
 * Returns whether a turn of a session is cancelled on purpose. The decision depends only on the
 * seed, the session's number and the turn's place. Request numbers are unsuitable: those of later
 * turns depend on which replies arrive first.
 */
export function isCancelledByPlan(
  { share }: CancellationPlan,
  seed: number,
  session: number,
  turn: number,
): boolean {
  const name = turn === 0 ? "cancellation" : `cancellation/${turn}`;
  return randomStream(seed, name, session)() < share;
}

/** Ends some requests on purpose, each a while after it was written completely. */
export class PlannedCancellations<Request> {
  readonly #plan: CancellationPlan;
  readonly #seed: number;
  readonly #timers: Timers;
  readonly #cancel: (request: Request, message: string) => void;
  /** Functions that revoke pending cancellations. */
  readonly #pending = new Map<Request, () => void>();

  /** @param cancel ends a request */
  constructor(
    plan: CancellationPlan,
    seed: number,
    timers: Timers,
    cancel: (request: Request, message: string) => void,
  ) {
    this.#plan = plan;
    this.#seed = seed;
    this.#timers = timers;
    this.#cancel = cancel;
  }

  /** Handles a request that has been written; may be called more than once. */
  onSent(request: Request, session: number, turn: number): void {
    const { delayNs } = this.#plan;
    if (this.#pending.has(request)) return;
    if (!isCancelledByPlan(this.#plan, this.#seed, session, turn)) return;
    const callOff = this.#timers.once(delayNs / 1e6, () => {
      this.#pending.delete(request);
      this.#cancel(request, `Cancelled on purpose ${delayNs / 1e9} s after it was sent`);
    });
    this.#pending.set(request, callOff);
  }

  /** A request has ended. */
  onEnded(request: Request): void {
    this.#pending.get(request)?.();
    this.#pending.delete(request);
  }
}
