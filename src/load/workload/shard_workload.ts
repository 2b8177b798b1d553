import { globalIndexOf, type Shard, shareOf } from "../../config/shard/shard.ts";
import type { Session, Workload } from "./workload.ts";

/**
 * Part of a workload that one shard has: every n-th session, with its number, its content and its
 * time in the whole run. Sessions are renumbered for the code that counts and claims them.
 */
export class ShardWorkload implements Workload {
  readonly #whole: Workload;
  readonly #shard: Shard;

  constructor(whole: Workload, shard: Shard) {
    this.#whole = whole;
    this.#shard = shard;
  }

  get sessionCount(): number {
    return shareOf(this.#whole.sessionCount, this.#shard);
  }

  get turnLimit(): number | undefined {
    const { turnLimit } = this.#whole;
    return turnLimit === undefined ? undefined : shareOf(turnLimit, this.#shard);
  }

  /** undefined as that of the whole: threads see by themselves what arrives of such a one. */
  get readyCount(): number | undefined {
    const { readyCount } = this.#whole;
    return readyCount === undefined ? undefined : shareOf(readyCount, this.#shard);
  }

  session(index: number): Session {
    return this.#whole.session(globalIndexOf(index, this.#shard));
  }

  arrivalNs(index: number): number {
    return this.#whole.arrivalNs(globalIndexOf(index, this.#shard));
  }

  requestNumber(own: number): number {
    return globalIndexOf(own, this.#shard);
  }
}
