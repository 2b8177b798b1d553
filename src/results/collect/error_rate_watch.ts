import type { RunEnd } from "../../core/run_end/end_reason.ts";
import { tooManyErrors } from "../../load/worker/error_rate.ts";
import {
  isCancelled,
  isValid,
  type RequestRecord,
} from "../../measurement/metrics/request_record.ts";

/**
 * Sees when more requests of the profiling phase have failed than a run may have. Load workers see
 * it first, but for replies that say too little, which are judged here.
 */
export class ErrorRateWatch {
  readonly #maxRate: number;
  #replies = 0;
  #failed = 0;
  #exceeded: RunEnd | undefined;

  /** @param maxRate share of the requests; with 1 a run never has too many failures */
  constructor(maxRate: number) {
    this.#maxRate = maxRate;
  }

  add(record: RequestRecord): void {
    if (record.phase !== 1 || isCancelled(record)) return;
    this.#replies++;
    if (!isValid(record)) this.#failed++;
    this.#exceeded ??= tooManyErrors(this.#failed, this.#replies, this.#maxRate);
  }

  /** Why the run should end; undefined while it need not. */
  get exceeded(): RunEnd | undefined {
    return this.#exceeded;
  }
}
